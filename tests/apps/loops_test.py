#!/usr/bin/env python3
"""loops: equal sums under every rule, native and emulated; and predicted times that are known in advance.

    loops_test.py MPIRUN EMU LOOPS
"""
import json
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from commands import check, folder, refused, run, write  # noqa: E402

mpirun, emu, loops = sys.argv[1:]

# A network with nearly no costs: 2 slaves of speed 1 and 0.5 (the master is the first of three nodes). Each chunk is
# timed by two readings of the clock.
target = write("two-speeds.toml", """name = "two speeds"
compute = "declared"
[network]
latency = "1ns"
gap_per_byte = "0us"
eager_limit = "64KiB"
send = { fixed = "0us", per_process = "0us", per_byte = "0us" }
receive = { fixed = "0us", per_process = "0us", per_byte = "0us" }
poll = { fixed = "1ps" }
[[node]]
count = 2
[[node]]
count = 1
speed = 0.5
""")
chunks = folder / "chunks"
one = run(mpirun, "-n", 1, loops, "--iterations", 300, "--mean", "1us").out


def native(rule, *options):
    ended = run(mpirun, "-n", 3, loops, "--rule", rule, "--iterations", 300, "--mean", "1us", "--cost", "bimodal", *options)
    check(ended.out == one, f"{rule} {options}: another sum")


def expect(seconds, rule, *options):
    """The predicted time with 3 ranks, to a microsecond. Returns what the program prints."""
    result = folder / "run.json"
    ended = run(emu, "run", "-n", 3, "--target", target, "--json", result, loops, "--rule", rule, "--chunks", chunks, *options)
    predicted = json.loads(result.read_text())["predicted_seconds"]
    check(abs(predicted - seconds) < 1e-6, f"{rule} {options}: {predicted} s, expected {seconds} s; {chunks.read_text()}")
    return ended.out


for rule in ("static", "self", "guided", "factoring", "trapezoid", "weighted", "adaptive", "mfsc", "af", "awf-b", "awf-c", "awf-d", "awf-e", "advised"):
    native(rule)
native("fsc", "--overhead", "10us", "--deviation", "1us")
for rule in ("static", "self", "guided", "factoring", "trapezoid"):
    native(rule, "--counter", "one-sided")

even = ("--iterations", 300, "--mean", "1ms")
# Half of 300 iterations of 1 ms at half the speed; 200 and 100; with a probe of 10 ms before.
check(expect(0.3, "static", *even) == one, "another sum when emulated")
expect(0.2, "self", *even)
check(expect(0.2, "self", *even, "--counter", "one-sided") == one, "another sum by a counter when emulated")
expect(0.22, "weighted", *even, "--probe", "10ms")
expect(0.2, "weighted", *even, "--weights", "2,1")
# Columns of the chunks: start, iterations, slave.
first_two = [line.split() for line in chunks.read_text().splitlines()[:2]]
check(sorted((c[2], c[1]) for c in first_two) == [("1", "100"), ("2", "50")], f"weights: {first_two}")
# The master computes the last two iterations; then the slaves need 298 ms / 1.5. If the slaves have unequal speeds that
# the master does not know at first, it loses at most an iteration of the slow one.
check(run(emu, "run", "-n", 3, "--target", target, "--json", folder / "advised.json", loops, "--rule", "advised", *even).out == one,
      "advised: another sum when emulated")
advised = json.loads((folder / "advised.json").read_text())["predicted_seconds"]
check(0.002 + 0.298 / 1.5 <= advised <= 0.002 + 0.298 / 1.5 + 0.002, f"advised: {advised} s")
for iterations in (1, 2, 3, 7):
    ended = [run(mpirun, "-n", ranks, loops, "--rule", "advised", "--iterations", iterations, "--mean", "1us").out for ranks in (1, 2, 5)]
    check(len(set(ended)) == 1, f"advised, {iterations} iterations: {ended}")
# Costs of 1 2 3 ms (slave 1) and 4 5 6 ms (slave 2, half as fast).
costs = write("costs", "".join(f"{i}ms\n" for i in range(1, 7)))
expect(0.03, "static", "--costs", costs)
# Increasing costs: the second half has three quarters of the 4 ms.
expect(0.006, "static", "--iterations", 4, "--mean", "1ms", "--cost", "increasing")

wrong_costs = write("wrong", costs.read_text() + "5 parsecs\n")
for text, options in (
        ("--rule 'best': expected static, self, ", ("--rule", "best")),
        ("--weights '1,0': expected 2 numbers above 0", ("--rule", "weighted", "--weights", "1,0")),
        ("--weights is an option of --rule weighted", ("--weights", "1,1")),
        ("whose chunks depend on the rank that gets them", ("--rule", "adaptive", "--counter", "one-sided")),
        ("whose chunks depend on the rank that gets them", ("--rule", "advised", "--counter", "one-sided")),
        ("--rule fsc needs --overhead and --deviation", ("--rule", "fsc")),
        ("--overhead is an option of --rule fsc", ("--overhead", "1ms")),
        ("--iterations '0'", ("--iterations", 0)),
        (f"{re.escape(str(folder))}/none: cannot be read", ("--costs", folder / "none")),
        (f"{re.escape(str(folder))}: is a directory", ("--costs", folder)),
        (f"{re.escape(str(wrong_costs))}: line 7: '5 parsecs'", ("--costs", wrong_costs)),
        ("--costs and --mean exclude each other", ("--costs", costs, "--mean", "1ms")),
        ("cannot be written", ("--chunks", folder / "none" / "chunks"))):
    refused(text, mpirun, "-n", 3, loops, *options, program="loops")
print("ok")
