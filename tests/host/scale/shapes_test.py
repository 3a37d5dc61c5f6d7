#!/usr/bin/env python3
"""The cost of one of many objects does not grow with their number: shapes_test.py EMU SHAPES."""
import os
import subprocess
import sys
import tempfile

emu, program = sys.argv[1:]
TARGET = """name = "eight slots"
compute = "declared"
[network]
latency = "50us"
gap_per_byte = "10ns"
eager_limit = "64B"
[network.poll]
fixed = "1us"
[network.send]
fixed = "3us"
per_process = "0us"
per_byte = "0us"
[network.receive]
fixed = "2us"
per_process = "0us"
per_byte = "0us"
[[node]]
count = 8
"""
# Limit of the CPU time per object with ten times as many, relative. If it grows with their number, it is about ten
# times.
MOST = 4
# Numbers that exceed the same caches in both cases.
SHAPES = {"requests": 2000, "rendezvous": 2000, "any": 2000, "backwards": 2000, "all": 2000, "fence": 2000, "gets": 2000,
          "unexpected": 2000, "probes": 2000, "column": 1000, "grid": 1000, "long": 6000}
MESSAGE = 17_000_000
wrong = 0


def measured(folder, ranks, *words):
    with open(folder + "/target.toml", "w") as file:
        file.write(TARGET)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EMU_")}
    # On one core: waking a rank on another core takes several times as long, whatever the rank does.
    run = subprocess.run([emu, "run", "--cores", "1", "-n", str(ranks), "--target", folder + "/target.toml", program, *map(str, words)],
                         check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=100, env=environment)
    return [float(word) for word in run.stdout.split()]


with tempfile.TemporaryDirectory() as folder:
    # Other load on the machine varies: the minimum of three is the library's cost.
    least = {}
    for _ in range(3):
        for shape, n in SHAPES.items():
            costs = measured(folder, 2, shape, n, 10 * n)
            least[shape] = list(map(min, costs, least.get(shape, costs)))
    for shape, n in SHAPES.items():
        few, many = least[shape]
        print(f"{shape}: {few} ns for each of {n}, {many} of {10 * n}")
        if many > MOST * few:
            wrong += 1
            print(f"FAIL: {shape}: {many / few:.1f} times as much for each")
    # At most one message is in transit. Two are kept for the next ones.
    left = measured(folder, 8, "ring", MESSAGE)[0]
    print(f"ring: {left} bytes are left")
    if not MESSAGE / 2 < left < 2.5 * MESSAGE:
        wrong += 1
        print(f"FAIL: ring: {left / MESSAGE:.1f} times the message")
sys.exit(1 if wrong else 0)
