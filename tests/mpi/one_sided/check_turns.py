#!/usr/bin/env python3
"""Instants and places at which ranks write by a shared pointer, by the closed form, in picoseconds.

    check_turns.py OVERHEAD LATENCY BYTES STORAGE_LATENCY STORAGE_BYTE own|shared <output of turns.c

A rank asks the first rank for its place: OVERHEAD there, LATENCY and BYTES there and back. Places are given in the
order of arrival; at a tie the lower rank comes first. After that, the rank asks a shared storage for its turn in the
same way.
"""
import heapq
import sys

overhead, latency, occupancy, store, byte = map(int, sys.argv[1:6])
shared = sys.argv[6] == "shared"
there, back = overhead + latency + occupancy, latency + occupancy
found, places = {}, None
for line in sys.stdin:
    words = line.split()
    if words[0] == "file":
        places = [int(w) for w in words[1:]]
    else:
        rank, begin, end, size = map(int, words)
        found.setdefault(rank, []).append((begin, end, size))

queue, order, expected, free = [], [], {r: [] for r in found}, 0
waited = 0
for rank, rounds in found.items():
    heapq.heappush(queue, (rounds[0][0] + there, rank, "place"))
while queue:
    at, rank, wish = heapq.heappop(queue)
    begin, _, size = found[rank][len(expected[rank])]
    told = at + back
    if wish == "place":
        order.append(rank)
        if shared:
            heapq.heappush(queue, (told + there, rank, "turn"))
            continue
        free = 0
    turn = max(told, free)
    waited += turn > told
    free = turn + size * byte
    expected[rank].append((begin, free + store, size))
    done = len(expected[rank])
    if done < len(found[rank]):
        # The time between two records belongs to the program, and is not negative.
        between = found[rank][done][0] - found[rank][done - 1][1]
        assert between >= 0
        heapq.heappush(queue, (free + store + between + there, rank, "place"))

wrong = [r for r in found if expected[r] != found[r]]
for r in wrong[:5]:
    print(f"rank {r}: {found[r]}, by the closed form {expected[r]}")
if places != order:
    print(f"the file has the records of {places}, not {order}")
    wrong.append(0)
if order == sorted(order) or (shared and waited < 10):
    print("the test says nothing about the order")
    wrong.append(0)
sys.exit(1 if wrong else 0)
