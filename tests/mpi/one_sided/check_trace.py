#!/usr/bin/env python3
"""check_trace.py RUN.json REPORT.json PERFETTO.json PROGRAM [OTF2_EVENTS]: a recorded run of player.cc, which played
PROGRAM: emu report has the numbers of emu run, the critical path is as long as the run and passes through as much
work, and the trace contains the calls and operations."""
import collections
import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[2] / "emu" / "report"))
from checking import conclude, expect

run, report, events = (json.load(open(name)) for name in sys.argv[1:4])

for key in ("predicted_picoseconds", "messages", "bytes"):
    expect(key, report[key], run[key])
for rank, (mine, theirs) in enumerate(zip(report["per_rank"], run["per_rank"])):
    expect(f"finish of rank {rank}", mine["finish"], theirs["finish_picoseconds"])
    for key in ("compute", "send_overhead", "receive_overhead", "poll", "handshake", "wait"):
        expect(f"{key} of rank {rank}", mine[key] / 1e12, theirs[key + "_seconds"])
path = report["critical_path"]
expect("causes", path["causes"], run["critical_path"]["picoseconds"])
expect("compute on the way back", path["compute"], path["causes"]["compute"])
expect("length of the path", sum(path["on_rank"]) + path["between_ranks"], run["predicted_picoseconds"])

CALLS = {"put": "MPI_Put", "add": "MPI_Accumulate", "get": "MPI_Get", "fetch": "MPI_Fetch_and_op", "lock": "MPI_Win_lock",
         "swap": "MPI_Compare_and_swap", "unlock": "MPI_Win_unlock", "fence": "MPI_Win_fence", "complete": "MPI_Win_complete"}
OPERATIONS = {"put": "PUT", "rput": "PUT", "get": "GET", "rget": "GET", "add": "ATOMIC", "gadd": "ATOMIC", "peek": "ATOMIC"}
wanted, operations = collections.Counter(), collections.Counter()
for line in open(sys.argv[4]):
    words = line.split()
    rank, what = int(words[0]), words[1]
    # A call without events leaves no record.
    empty = int(words[4]) == 0 if what in OPERATIONS else False
    if what in CALLS and not empty:
        wanted[rank, CALLS[what]] += 1
    if what == "close":
        wanted[rank, "MPI_Win_fence"] += 1
    if what in ("fetch", "swap"):
        operations[rank, "ATOMIC"] += 1
    if what in OPERATIONS and int(words[4]) > 0:
        operations[rank, OPERATIONS[what]] += 1
got = collections.Counter((e["pid"], e["name"]) for e in events["traceEvents"] if e["ph"] == "B")
for call, count in wanted.items():
    if call[1] != "MPI_Win_fence" or run["ranks"] > 1:
        expect(f"{call[1]} of rank {call[0]}", got[call], count)
if len(sys.argv) > 5:
    got = collections.Counter()
    for words in map(str.split, open(sys.argv[5])):
        if words and words[0].startswith("RMA_") and words[0] != "RMA_OP_COMPLETE_REMOTE":
            got[int(words[1]), words[0].removeprefix("RMA_")] += 1
    expect("operations in the OTF2 archive", got, operations)
conclude()
