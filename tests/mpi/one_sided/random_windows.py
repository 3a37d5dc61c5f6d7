#!/usr/bin/env python3
"""Random programs of one-sided operations and messages, and the instants of their effects by a simple simulation.

    random_windows.py write SEED RANKS FOLDER [failing]     FOLDER/program and FOLDER/target.toml
    random_windows.py check SEED RANKS FOLDER [failing]     compares FOLDER/log/RANK, which player.cc wrote

windows_simulator.py computes the instants. failing: the last rank, which is the target of no operation, fails during
the run, and there are only locks.
"""
import pathlib
import random
import sys

sys.dont_write_bytecode = True
from windows_simulator import Simulator


class Target:
    """Numbers that make ties likely."""

    failure = None  # of the last rank's node: the instant

    def __init__(self, rng):
        self.latency = rng.choice([1000, 5000, 20000])
        self.gap_per_byte = rng.choice([0, 1, 7])
        self.gap = rng.choice([0, 0, 1500])
        self.send = rng.choice([100, 500, 3000])
        self.send_byte = rng.choice([0, 1])
        self.receive = rng.choice([100, 700])
        self.poll = rng.choice([1, 100, 1000])
        self.medium = rng.choice(["free", "free", "serial", "bus"])

    def text(self, ranks):
        medium = {"free": "", "serial": 'card = "serial"', "bus": 'medium = "bus"'}[self.medium]
        return f"""name = "one-sided"
compute = "declared"
on_failure = "error"
[network]
{medium}
latency = "{self.latency}ps"
gap_per_byte = "{self.gap_per_byte}ps"
gap = "{self.gap}ps"
eager_limit = "unlimited"
send = {{ fixed = "{self.send}ps", per_process = "0ps", per_byte = "{self.send_byte}ps" }}
receive = {{ fixed = "{self.receive}ps", per_process = "0ps", per_byte = "0ps" }}
poll = {{ fixed = "{self.poll}ps" }}
[[node]]
count = {ranks}
""" + (f"""[[event]]
kind = "fail"
node = {ranks - 1}
at = "{self.failure}ps"
""" if self.failure else "")

    def o_s(self, k):
        return self.send + self.send_byte * max(k, 1)

    def travel(self, k):
        return self.latency + (max(k, 1) - 1) * self.gap_per_byte


# --- random programs


class Writer:
    def __init__(self, rng, ranks, may_test):
        self.rng, self.ranks, self.may_test, self.lines = rng, ranks, may_test, []
        self.targets = ranks

    def add(self, rank, *words):
        self.lines.append(" ".join(map(str, (rank, *words))))

    def compute(self, rank):
        if self.rng.random() < 0.4:
            self.add(rank, "compute", self.rng.choice([100, 1000, 1000, 5000, 20000]) * self.rng.randint(1, 3))

    def data(self, rank, to):
        kind = self.rng.choice(
            ["put", "add", "add", "get", "fetch", "fetch", "swap", "gadd", "peek", "rput", "rget", "null"])
        cell, value = self.rng.randrange(8), self.rng.randrange(100)
        if kind == "fetch":
            self.add(rank, kind, to, cell, value)
        elif kind == "swap":
            self.add(rank, kind, to, cell, value, self.rng.randrange(3))
        else:
            n = self.rng.choice([1, 1, 2, 8, 40, 0])
            self.add(rank, kind, to, cell, n, value)

    def somebody(self):
        return self.rng.choice([0, 0, self.rng.randrange(self.targets)])

    def locks(self):
        for rank in range(self.ranks):
            for _ in range(self.rng.randint(0, 3)):
                self.compute(rank)
                to, exclusive = self.somebody(), self.rng.choice([0, 1])
                self.add(rank, "lock", to, exclusive)
                if to == rank and exclusive:
                    self.add(rank, "look")
                for _ in range(self.rng.randint(0, 3)):
                    self.data(rank, to)
                    if self.rng.random() < 0.3:
                        self.add(rank, "flush", to)
                self.compute(rank)
                self.add(rank, "unlock", to)

    def meet(self):
        for rank in range(self.ranks):
            self.add(rank, "fence")
            self.add(rank, "close")

    def messages(self):
        """A rank that waits for a message holds locks: no rank may wait for an exclusive one meanwhile."""
        self.meet()
        self.lock_all(True)
        self.meet()

    def lock_all(self, messages=False):
        for rank in range(self.ranks):
            self.compute(rank)
            self.add(rank, "lock_all")
            for _ in range(self.rng.randint(0, 5)):
                self.data(rank, self.somebody())
                kind = self.rng.random()
                if kind < 0.25:
                    self.add(rank, self.rng.choice(["flush", "flush", "flush_local"]), self.somebody())
                elif kind < 0.35:
                    self.add(rank, "flush_all")
                elif kind < 0.5:
                    self.add(rank, "sync")
                self.compute(rank)
            if messages and rank > 0:
                self.add(rank, "send", 0, self.rng.choice([0, 1, 100, 3000]))
                self.compute(rank)
            if messages and rank == 0:
                for _ in range(1, self.ranks):
                    self.add(rank, "receive")
                    if self.rng.random() < 0.3:
                        self.data(rank, self.somebody())
            self.add(rank, "unlock_all")

    def fences(self):
        for rank in range(self.ranks):
            self.compute(rank)
            self.add(rank, "fence")
        for rank in range(self.ranks):
            for _ in range(self.rng.randint(0, 4)):
                self.data(rank, self.somebody())
                self.compute(rank)
            self.add(rank, "close")

    def groups(self):
        # Each pair of an origin and a target, with its own probability; no rank waits before all have posted.
        pairs = {(o, t) for o in range(self.ranks) for t in range(self.ranks) if self.rng.random() < 0.4}
        for rank in range(self.ranks):
            origins = [o for o in range(self.ranks) if (o, rank) in pairs]
            targets = [t for t in range(self.ranks) if (rank, t) in pairs]
            self.compute(rank)
            if origins:
                self.add(rank, "post", *origins)
            if targets:
                self.add(rank, "start", *targets)
                for _ in range(self.rng.randint(0, 4)):
                    self.data(rank, self.rng.choice(targets))
                self.compute(rank)
                self.add(rank, "complete")
            if origins:
                self.add(rank, self.rng.choice(["wait", "test"]) if self.may_test else "wait")


def failing_program(seed, ranks):
    rng = random.Random(seed * 1000 + ranks)
    target = Target(rng)
    target.failure = 1_400_000 + rng.randrange(400_000)
    writer = Writer(rng, ranks, may_test=False)
    writer.targets = ranks - 1
    for rank in range(ranks):
        writer.add(rank, "compute", 300_000 + rng.randrange(50_000))
    for _ in range(rng.randint(6, 12)):
        rng.choice([writer.locks, writer.locks, writer.lock_all])()
    return target, writer.lines


def program(seed, ranks):
    rng = random.Random(seed * 1000 + ranks)
    target = Target(rng)
    writer = Writer(rng, ranks, may_test=target.poll > 1)  # the simulator tests at each picosecond
    for _ in range(rng.randint(6, 12)):
        rng.choice([writer.locks, writer.locks, writer.lock_all, writer.messages, writer.fences, writer.groups])()
    return target, writer.lines


# --- the simulator


def main():
    verb, seed, ranks, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), pathlib.Path(sys.argv[4])
    target, lines = (failing_program if "failing" in sys.argv else program)(seed, ranks)
    if verb == "write":
        (folder / "program").write_text("\n".join(lines) + "\n")
        (folder / "target.toml").write_text(target.text(ranks))
        return 0
    logs = [(folder / "log" / str(r)).read_text().splitlines() for r in range(ranks)]
    simulator = Simulator(target, ranks, [int(log[0].split()[1]) for log in logs], lines)
    simulator.run()
    for r in simulator.ranks[:-1] if target.failure else simulator.ranks:
        memory = sum(v * (i + 1) for i, v in enumerate(simulator.servers[r.number].memory))
        expected = [logs[r.number][0], *r.log, f"memory {memory}"]
        for i, (e, got) in enumerate(zip(expected, logs[r.number])):
            if e != got:
                print(f"seed {seed}, {ranks} ranks: rank {r.number}, operation {i}:\n  expected {e}\n  got      {got}")
                return 1
        if len(expected) != len(logs[r.number]) or r.lines:
            print(f"seed {seed}, {ranks} ranks: rank {r.number}: {len(logs[r.number])} lines, not {len(expected)}")
            return 1
    print(f"seed {seed}, {ranks} ranks: {len(lines)} operations, {simulator.contested} waited for a lock, "
          f"{simulator.given_back} given back")
    return 0


if __name__ == "__main__":
    sys.exit(main())
