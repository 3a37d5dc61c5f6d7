#!/usr/bin/env python3
"""Checks that hold for any prediction, however long the measured work took: check_measured.py RUN.json."""
import json
import sys


def picoseconds(seconds):
    return round(seconds * 1e12)


run = json.load(open(sys.argv[1]))
parts = ("compute", "send_overhead", "receive_overhead", "poll", "handshake", "wait", "node_down")
wrong = []
for rank in run["per_rank"]:
    name, finish = f"rank {rank['rank']}", rank["finish_picoseconds"]
    spent = {part: picoseconds(rank[part + "_seconds"]) for part in parts}
    if sum(spent.values()) != finish:
        wrong.append(f"{name}: {spent} are {sum(spent.values())} ps, and it finishes at {finish} ps")
    if min(spent.values()) < 0:
        wrong.append(f"{name}: {spent}: a time below 0")
if run["predicted_picoseconds"] != max(rank["finish_picoseconds"] for rank in run["per_rank"]):
    wrong.append("what is predicted is not the last finish")
on_path = sum(run["critical_path"]["picoseconds"].values())
if on_path != run["predicted_picoseconds"]:
    wrong.append(f"the critical path has {on_path} of {run['predicted_picoseconds']} ps")
if sum(rank["compute_seconds"] for rank in run["per_rank"]) <= 0:
    wrong.append("no work was measured")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
