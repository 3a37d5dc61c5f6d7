#!/usr/bin/env python3
"""check_times.py RUN.json TARGET TASKS: the costs of dynamic.cc's messages for all ranks together, in any order."""
import json
import re
import sys
import tomllib

run = json.load(open(sys.argv[1]))
target = tomllib.load(open(sys.argv[2], "rb"))
tasks, ranks, rounds = int(sys.argv[3]), len(run["per_rank"]), 4


def in_units(text, units):
    number, unit = re.fullmatch(r"([0-9.]+)(\w+)", text).groups()
    return float(number) * units[unit]


def picoseconds(of, key):
    return in_units(target["network"][of].get(key, "0us"), {"ps": 1, "ns": 1e3, "us": 1e6, "ms": 1e9})


def overhead(of, length):
    """Overhead of a message; rates are whole femtoseconds per byte."""
    return (round(picoseconds(of, "fixed") + picoseconds(of, "per_process") * ranks) +
            round(round(picoseconds(of, "per_byte") * 1e3) * max(length, 1) / 1e3))


limit = int(in_units(target["network"]["eager_limit"], {"B": 1, "KiB": 1024, "MiB": 1 << 20}))
steps = ranks.bit_length() - 1  # of an allreduce and of a barrier, for a power of two
lengths = {}  # bytes: messages
for length, count in [(8, tasks + ranks - 1),  # tasks, and an end for each slave
                      (70000, len(range(0, tasks, 7))), (40, tasks - len(range(0, tasks, 7))),  # results
                      (4, ranks * ranks),  # from each rank to each
                      (8, ranks * steps), (0, ranks * steps)]:
    lengths[length] = lengths.get(length, 0) + rounds * count

expected = {f"{of}_overhead": sum(count * overhead(of, length) for length, count in lengths.items())
            for of in ("send", "receive")}
handshakes = sum(count for length, count in lengths.items() if length > limit)
expected["handshake"] = 2 * handshakes * (overhead("send", 1) + overhead("receive", 1))

wrong = []
for part, cost in expected.items():
    got = sum(round(rank[part + "_seconds"] * 1e12) for rank in run["per_rank"])
    if got != cost:
        wrong.append(f"{part} of all ranks: {got} ps, and the messages cost {cost} ps")
print("\n".join(wrong))
sys.exit(1 if wrong or ranks & (ranks - 1) else 0)
