#!/usr/bin/env python3
"""round_trips, with known messages and times: round_trips_test.py EMU TARGET PROGRAM."""
import json
import subprocess
import sys
import tempfile
import tomllib

emu, target_file, program = sys.argv[1:]
with open(target_file, "rb") as file:
    network = tomllib.load(file)["network"]


def us(text):
    assert text.endswith("us"), text
    return round(float(text[:-2]) * 1e6)  # picoseconds


def overhead(side, ranks, size):
    o = network[side]
    return us(o["fixed"]) + us(o["per_process"]) * ranks + us(o["per_byte"]) * size


def flight(size):
    return us(network["latency"]) + us(network["gap_per_byte"]) * (size - 1)


def run(ranks, tasks):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([emu, "run", "-n", str(ranks), "--target", target_file, "--json", folder + "/run.json", program,
                        str(tasks)], check=True, stdout=subprocess.DEVNULL, timeout=100)
        return json.load(open(folder + "/run.json"))


wrong = 0


def expect(what, got, wanted):
    global wrong
    if got != wanted:
        wrong += 1
        print(f"FAIL: {what}: {got}, not {wanted}")


# Every slave asks once more than it gets tasks. The reduction at the end is a tree.
for ranks, tasks in ((2, 50), (9, 100), (33, 300)):
    expect(f"messages of {ranks} ranks", run(ranks, tasks)["messages"], 2 * (tasks + ranks - 1) + ranks - 1)

# One slave: no two events are concurrent.
tasks = 20
one_way = overhead("send", 2, 4) + flight(4) + overhead("receive", 2, 4)
slave = (tasks + 1) * 2 * one_way + tasks * 10**9 + overhead("send", 2, 8)
master = slave + flight(8) + overhead("receive", 2, 8)
expect("finish of master and slave", [rank["finish_picoseconds"] for rank in run(2, tasks)["per_rank"]], [master, slave])
sys.exit(1 if wrong else 0)
