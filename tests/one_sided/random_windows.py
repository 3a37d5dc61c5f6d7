#!/usr/bin/env python3
"""Random programs of one-sided operations, beside messages, and what they do when, by the plainest means.

    random_windows.py write SEED RANKS FOLDER     FOLDER/program and FOLDER/target.toml
    random_windows.py check SEED RANKS FOLDER     compares FOLDER/log/RANK, which player.cc wrote

The simulator is a second opinion on libemu/rank/semantics.md, "One-sided operations": all ranks and all servers in one
process, and always the one whose next action has the least instant. Card "free", one link, all messages eager.
"""
import pathlib
import random
import sys

CELLS, WORD, NEVER = 64, 8, 1 << 62


class Target:
    """Numbers that make ties likely."""

    def __init__(self, rng):
        self.latency = rng.choice([1000, 5000, 20000])
        self.gap_per_byte = rng.choice([0, 1, 7])
        self.gap = rng.choice([0, 0, 1500])
        self.send = rng.choice([100, 500, 3000])
        self.send_byte = rng.choice([0, 1])
        self.receive = rng.choice([100, 700])
        self.poll = rng.choice([1, 100, 1000])

    def text(self, ranks):
        return f"""name = "one-sided"
compute = "declared"
[network]
latency = "{self.latency}ps"
gap_per_byte = "{self.gap_per_byte}ps"
gap = "{self.gap}ps"
eager_limit = "unlimited"
send = {{ fixed = "{self.send}ps", per_process = "0ps", per_byte = "{self.send_byte}ps" }}
receive = {{ fixed = "{self.receive}ps", per_process = "0ps", per_byte = "0ps" }}
poll = {{ fixed = "{self.poll}ps" }}
[[node]]
count = {ranks}
"""

    def o_s(self, k):
        return self.send + self.send_byte * max(k, 1)

    def travel(self, k):
        return self.latency + (max(k, 1) - 1) * self.gap_per_byte


# --- random programs


class Writer:
    def __init__(self, rng, ranks):
        self.rng, self.ranks, self.lines = rng, ranks, []

    def add(self, rank, *words):
        self.lines.append(" ".join(map(str, (rank, *words))))

    def compute(self, rank):
        if self.rng.random() < 0.4:
            self.add(rank, "compute", self.rng.choice([100, 1000, 1000, 5000, 20000]) * self.rng.randint(1, 3))

    def data(self, rank, to):
        kind = self.rng.choice(["put", "add", "add", "get", "fetch", "fetch", "swap"])
        cell, value = self.rng.randrange(8), self.rng.randrange(100)
        if kind == "fetch":
            self.add(rank, kind, to, cell, value)
        elif kind == "swap":
            self.add(rank, kind, to, cell, value, self.rng.randrange(3))
        else:
            n = self.rng.choice([1, 1, 2, 8, 40, 0])
            self.add(rank, kind, to, cell, n, value)

    def somebody(self):
        return self.rng.choice([0, 0, self.rng.randrange(self.ranks)])

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
        """Who waits for a message holds locks: nobody may wait for an exclusive one meanwhile."""
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
                    self.add(rank, "flush", self.somebody())
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
        # Every pair of an origin and a target with a chance of its own; nobody waits before all have posted.
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
                self.add(rank, "wait")


def program(seed, ranks):
    rng = random.Random(seed * 1000 + ranks)
    target, writer = Target(rng), Writer(rng, ranks)
    for _ in range(rng.randint(6, 12)):
        rng.choice([writer.locks, writer.locks, writer.lock_all, writer.messages, writer.fences, writer.groups])()
    return target, writer.lines


# --- the simulator


class Server:
    """A window at its target."""

    def __init__(self):
        self.memory = [0] * CELLS
        self.pending = []  # [ready, origin, number, operation]
        self.holders = {}
        self.waiting = []
        self.behind = {}


class Rank:
    def __init__(self, number, clock, lines):
        self.number, self.clock, self.lines = number, clock, lines
        self.running = None  # the operation at hand, as a generator: yields what it waits for
        self.wants = None
        self.inbox = []  # [arrival, source, number, kind, content]
        self.log = []
        self.last_send = None
        self.last_arrival = {}
        self.sent = 0
        self.awaited = {}
        self.touched, self.locked = set(), {}
        self.brought = []
        self.all = False
        self.access = []


class Simulator:
    def __init__(self, target, ranks, clocks, lines):
        self.t = target
        self.ranks = [Rank(r, clocks[r], [l for l in lines if l.split()[0] == str(r)]) for r in range(ranks)]
        self.servers = [Server() for _ in range(ranks)]
        self.contested = 0

    # --- sending
    def start(self, r, cost):
        if r.last_send is not None:
            r.clock = max(r.clock, r.last_send + self.t.gap)
        r.last_send = r.clock
        r.clock += cost

    def send(self, r, to, k, kind, content=None):
        self.start(r, self.t.o_s(k))
        r.sent += 1
        self.ranks[to].inbox.append([r.clock + self.t.travel(k), r.number, r.sent, kind, content])

    def operate(self, r, to, k, operation):
        self.start(r, self.t.o_s(k))
        r.sent += 1
        arrival = max(r.clock + self.t.travel(k), r.last_arrival.get(to, 0))
        r.last_arrival[to] = arrival
        if operation.get("answers") is not None:
            r.awaited[to] = r.awaited.get(to, 0) + 1
        self.servers[to].pending.append([arrival, r.number, r.sent, operation])

    # --- the servers
    def effect(self, target):
        s = self.servers[target]
        entry = min(s.pending, key=lambda e: e[:3])
        s.pending.remove(entry)
        at, origin, _, o = entry
        if origin in s.behind:
            s.behind[origin].append(entry)
            return
        if (o["kind"] == "lock" or o.get("locks")) and origin not in s.holders:
            exclusive = o.get("exclusive", False)
            fits = not s.holders or not (exclusive or any(s.holders.values()))
            if not fits or s.waiting:
                s.waiting.append((origin, exclusive))
                s.behind[origin] = [entry]
                self.contested += 1
                return
            s.holders[origin] = exclusive
        content = self.apply(s, o) if "act" in o else None
        if o.get("answers") is not None:
            arrival = at + max(self.t.latency, 1) + (max(o["answers"], 1) - 1) * self.t.gap_per_byte
            self.ranks[origin].inbox.append([arrival, target, 1 << 62, "result", (target, o.get("place"), content)])
        if o["kind"] == "unlock":
            del s.holders[origin]
            while s.waiting:
                following, exclusive = s.waiting[0]
                if s.holders and (exclusive or any(s.holders.values())):
                    break
                s.waiting.pop(0)
                s.holders[following] = exclusive
                for waited in s.behind.pop(following):
                    waited[0] = max(waited[0], at)
                    s.pending.append(waited)

    @staticmethod
    def apply(s, o):
        act, cell, values = o["act"], o["cell"], o["values"]
        before = s.memory[cell:cell + o["n"]]
        for i, value in enumerate(values):
            if act == "put":
                s.memory[cell + i] = value
            elif act in ("add", "fetch"):
                s.memory[cell + i] += value
            elif act == "swap" and s.memory[cell] == o["compare"]:
                s.memory[cell] = value
        return before

    # --- what a rank waits for: generators that yield what events end it
    def answers(self, r, of):
        while sum(n for to, n in r.awaited.items() if of is None or to == of):
            yield ("results",)

    def words(self, r, kind, sources):
        left = list(sources)
        while left:
            yield ("words", kind, left)

    def flush(self, r, of):
        asked = sorted(r.touched if of is None else r.touched & {of})
        for to in asked:
            self.operate(r, to, 1, {"kind": "flush", "answers": 0})
        r.touched -= set(asked)
        yield from self.answers(r, of)

    def barrier(self, r):
        distance, size = 1, len(self.ranks)
        while distance < size:
            self.send(r, (r.number + distance) % size, 0, ("barrier", distance))
            yield from self.words(r, ("barrier", distance), [(r.number - distance) % size])
            distance *= 2

    def call(self, r, what, a):
        r.output = ""
        if what == "compute":
            r.clock += a[0]
        elif what in ("put", "add", "get", "fetch", "swap"):
            self.data(r, what, a)
        elif what in ("fence", "close"):
            yield from self.flush(r, None)
            yield from self.barrier(r)
        elif what == "lock":
            self.operate(r, a[0], 1, {"kind": "lock", "exclusive": bool(a[1]),
                                      "answers": 0 if a[0] == r.number else None})
            if a[0] == r.number:
                yield from self.answers(r, a[0])
        elif what == "unlock":
            self.operate(r, a[0], 1, {"kind": "unlock", "answers": 0})
            yield from self.answers(r, a[0])
            r.touched.discard(a[0])
        elif what == "lock_all":
            r.all, r.locked = True, {}
        elif what == "unlock_all":
            for to in sorted(r.locked):
                self.operate(r, to, 1, {"kind": "unlock", "answers": 0})
            yield from self.answers(r, None)
            r.all = False
            r.touched.clear()
        elif what == "flush":
            yield from self.flush(r, a[0])
        elif what == "flush_all":
            yield from self.flush(r, None)
        elif what == "sync":
            r.clock += max(self.t.poll, 1)
            yield ("until",)
        elif what == "post":
            for to in a:
                self.send(r, to, 0, "post")
            r.exposed = a
        elif what == "start":
            r.access = a
            yield from self.words(r, "post", a)
        elif what == "complete":
            yield from self.flush(r, None)
            for to in r.access:
                self.send(r, to, 0, "complete")
        elif what == "wait":
            yield from self.words(r, "complete", r.exposed)
        elif what == "send":
            self.send(r, a[0], a[1], "message", a[1])
        elif what == "receive":
            yield ("words", "message", None)
        if what in ("unlock", "unlock_all", "fence", "close", "complete", "flush_all"):
            r.output = "".join(f" {value}" for values in r.brought for value in values)
            r.brought = []
        if what in ("sync", "look"):
            memory = self.servers[r.number].memory
            r.output = f" sum {sum(v * (i + 1) for i, v in enumerate(memory))}"

    def data(self, r, what, a):
        to, cell = a[0], a[1]
        n = 1 if what in ("fetch", "swap") else a[2]
        o = {"kind": "act", "act": what, "cell": cell, "n": n, "values": []}
        if what in ("put", "add"):
            o["values"] = [a[3] + i for i in range(n)]
        elif what in ("fetch", "swap"):
            o["values"] = [a[2]]
            o["compare"] = a[3] if what == "swap" else None
        brings = what in ("get", "fetch", "swap")
        if brings:
            o["place"] = values = [None] * n
            r.brought.append(values)
            o["answers"] = n * WORD
        if n == 0:
            return
        if r.all and to not in r.locked:
            o["locks"] = r.locked[to] = True
        k = {"get": 0, "swap": 2 * WORD}.get(what, n * WORD)
        self.operate(r, to, k, o)
        if brings:
            r.touched.discard(to)
        else:
            r.touched.add(to)

    # --- events of a rank that waits
    def event(self, r):
        """The least that it handles now; None."""
        wants = r.wants
        found = []
        for m in r.inbox:
            if m[3] == "result":
                found.append(m)
            elif wants[0] == "words" and m[3] == wants[1] and (wants[2] is None or m[1] in wants[2]):
                found.append(m)
        return min(found, key=lambda m: m[:3], default=None)

    def handle(self, r, m):
        r.inbox.remove(m)
        r.clock = max(r.clock, m[0])
        if m[3] == "result":
            of, place, content = m[4]
            r.awaited[of] -= 1
            if place is not None:
                place[:] = content
            return
        r.clock += self.t.receive
        if r.wants[2] is None:
            r.output += f" from {m[1]}"
            r.wants = ()
        else:
            r.wants[2].remove(m[1])

    def next_action(self, r):
        if not r.lines:
            return NEVER
        if r.running is None:
            return r.clock
        m = self.event(r)
        if r.wants[0] == "until":
            return r.clock
        return max(r.clock, m[0]) if m else NEVER

    def go_on(self, r):
        """Until it waits for something again."""
        while True:
            try:
                r.wants = next(r.running)
            except StopIteration:
                r.log.append(f"{r.lines.pop(0)}:{r.output} at {r.clock}")
                r.running = None
            return

    def act(self, r):
        if r.running is None:
            words = r.lines[0].split()
            r.running = self.call(r, words[1], [int(w) for w in words[2:]])
            return self.go_on(r)
        m = self.event(r)
        if r.wants[0] == "until":
            if m and m[0] <= r.clock:
                return self.handle(r, m)
            return self.go_on(r)
        self.handle(r, m)
        if r.wants == () or r.wants[0] == "results" or r.wants[2] == []:
            self.go_on(r)

    def run(self):
        while True:
            best, what = NEVER, None
            for i, s in enumerate(self.servers):
                if s.pending and (at := min(s.pending)[0]) < best:
                    best, what = at, (self.effect, i)
            for r in self.ranks:
                if (at := self.next_action(r)) < best:
                    best, what = at, (self.act, r)
            if what is None:
                return
            what[0](what[1])


def main():
    verb, seed, ranks, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), pathlib.Path(sys.argv[4])
    target, lines = program(seed, ranks)
    if verb == "write":
        (folder / "program").write_text("\n".join(lines) + "\n")
        (folder / "target.toml").write_text(target.text(ranks))
        return 0
    logs = [(folder / "log" / str(r)).read_text().splitlines() for r in range(ranks)]
    simulator = Simulator(target, ranks, [int(log[0].split()[1]) for log in logs], lines)
    simulator.run()
    for r in simulator.ranks:
        memory = sum(v * (i + 1) for i, v in enumerate(simulator.servers[r.number].memory))
        expected = [logs[r.number][0], *r.log, f"memory {memory}"]
        for i, (e, got) in enumerate(zip(expected, logs[r.number])):
            if e != got:
                print(f"seed {seed}, {ranks} ranks: rank {r.number}, operation {i}:\n  expected {e}\n  got      {got}")
                return 1
        if len(expected) != len(logs[r.number]) or r.lines:
            print(f"seed {seed}, {ranks} ranks: rank {r.number}: {len(logs[r.number])} lines, not {len(expected)}")
            return 1
    print(f"seed {seed}, {ranks} ranks: {len(lines)} operations, {simulator.contested} waited for a lock")
    return 0


if __name__ == "__main__":
    sys.exit(main())
