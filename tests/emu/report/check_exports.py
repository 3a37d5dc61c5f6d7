# check_exports.py REPORT.json PERFETTO.json: the exports for other viewers agree with emu report.
import collections
import json
import sys

from checking import conclude, durations, expect

report = json.load(open(sys.argv[1]))
events = json.load(open(sys.argv[2]))["traceEvents"]


ranks = report["ranks"]
flows = collections.defaultdict(dict)
for rank in range(ranks):
    stack, spent, last = [], collections.Counter(), 0
    for e in (e for e in events if e["pid"] == rank and e["ph"] in "BE"):
        ps = round(e["ts"] * 1e6)
        expect("events go on in time", ps >= last, True)
        last = ps
        if e["ph"] == "B":
            stack.append(e | {"ps": ps})
        else:
            begun = stack.pop()
            if begun["cat"] in ("interval", "node"):
                spent[begun["name"]] += ps - begun["ps"]
    expect("all slices end", stack, [])
    wanted = collections.Counter()
    durations(report["intervals"], rank, wanted)
    wanted["node down"] = report["per_rank"][rank]["node_down"]
    expect(f"time in intervals, rank {rank}", dict(+spent), dict(+wanted))
for e in events:
    if e["ph"] in "sf":
        flows[e["id"]][e["ph"]] = e["ts"]
expect("messages", len(flows), report["messages"])
expect("messages arrive after they left", all(f["s"] < f["f"] for f in flows.values()), True)

conclude()
