#!/usr/bin/env python3
"""The numbers that each rank draws from a shared counter, by the closed form, in picoseconds.

    check_counter.py NUMBERS OVERHEAD LATENCY BYTES <output of counter.c

No rank waits for another: a round takes OVERHEAD and, there and back, LATENCY and BYTES, which is (k-1)G of a
number. The counter gives numbers in the order of arrival; at a tie the lower rank comes first.
"""
import heapq
import sys

numbers, overhead, latency, occupancy = map(int, sys.argv[1:])
lines = sys.stdin.read().split("\n")
assert lines[0].startswith("counter "), lines[0]
found = {}
for line in lines[1:]:
    if line:
        rank, first, last, drawn, total = map(int, line.split())
        found[rank] = (first, last, drawn, total)
there = overhead + latency + occupancy
back = latency + occupancy
arrivals = [(first + there, rank) for rank, (first, _, _, _) in found.items()]
heapq.heapify(arrivals)
expected = {rank: [first, None, 0, 0] for rank, (first, _, _, _) in found.items()}
number = 0
while arrivals:
    at, rank = heapq.heappop(arrivals)
    mine = expected[rank]
    if number >= numbers:
        mine[1] = at + back
    else:
        mine[2] += 1
        mine[3] += number * (mine[2] % 7 + 1)
        heapq.heappush(arrivals, (at + back + there, rank))
    number += 1
wrong = [r for r in found if tuple(expected[r]) != found[r]]
for r in wrong[:5]:
    print(f"rank {r}: first, last, drawn, sum: {found[r]}, by the closed form {tuple(expected[r])}")
if lines[0] != f"counter {number}":
    print(f"{lines[0]}, not {number}")
    wrong.append(0)
if len({tuple(v[2:]) for v in found.values()}) < 2 and len(found) > 1:
    print("all ranks have the same share: the test says nothing about the order")
    wrong.append(0)
sys.exit(1 if wrong else 0)
