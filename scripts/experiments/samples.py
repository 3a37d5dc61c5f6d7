"""Measured times of contenders, and rows that print them."""
import os
import statistics
import subprocess
import time

from experiment import EMU, die, read


class Samples:
    """Measurements of each contender, one value a round."""

    def __init__(self, out):
        self.out, self.values = out, {}
        self.large = False  # with jobs that fill this machine
        self.loggopsim = None  # path of LogGOPSim; None: it is missing

    def add(self, name, **values):
        for kind, value in values.items():
            self.values.setdefault((name, kind), []).append(value)

    def median(self, name, kind):
        return statistics.median(self.values[name, kind])

    def measure(self, name, *command, may_end_with=(0,), environment=None):
        """Runs a contender once, and keeps wall and CPU seconds, with all its children, and the largest resident
        size of any of them. Returns its output and its exit code."""
        log = f"{self.out}/{name}.log"
        with open(log, "w") as file:
            begin = time.monotonic()
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                                     env=os.environ | (environment or {}))
            _, status, usage = os.wait4(child.pid, 0)
            wall = time.monotonic() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        text = read(log)
        if child.returncode not in may_end_with:
            die(f"{name} failed: " + "\n".join(text.splitlines()[-5:]))
        self.add(name, wall=wall, cpu=usage.ru_utime + usage.ru_stime, mib=usage.ru_maxrss / 1024)
        return text, child.returncode

    def cpu_per(self, short, long, count):
        """us of CPU per item; `long` has `count` items more than `short`, so that the costs of start and end cancel."""
        return (self.median(long, "cpu") - self.median(short, "cpu")) / count * 1e6

    def ratio(self, one, other, kind):
        return self.median(one, kind) / self.median(other, kind)


def verdict(text, value, limit):
    """Prints a value with the required `limit`."""
    print(f"  {text:62} {value:10.3f}   limit {limit:g}   {'met' if value <= limit else 'missed'}")


def row(text, wall, cpu, each, item):
    print(f"  {text:34} {wall:10.2f} s wall {cpu:10.2f} s CPU {each:10.2f} us CPU per {item}")


def emulated(out, ranks, target, *words, options=()):
    return [EMU, "run", *options, "--json", f"{out}/last.json", "-n", str(ranks), "--target", target, *words]


def rounds_of(rounds):
    for number in range(1, rounds + 1):
        print(f"  round {number} of {rounds}", flush=True)
        yield number
