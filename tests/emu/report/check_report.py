# check_report.py RUN.json REPORT.json [DOM.html]: the numbers of emu report agree with
# those of emu run, and with each other; and the page in a browser has the same ones.
import html
import json
import re
import sys

from checking import conclude, expect

run = json.load(open(sys.argv[1]))
report = json.load(open(sys.argv[2]))


def check_interval(interval):
    name = interval["name"]
    ranks = interval["per_rank"]
    longest = max(r["execution"] for r in ranks)
    expect(name + ": longest execution", interval["execution"], longest)
    expect(name + ": total", interval["total"], longest * len(ranks))
    for number, r in enumerate(ranks):
        where = f"{name}, rank {number}: "
        kinds = r["by_kind"].values()
        expect(where + "parts of the execution",
               r["productive"] + r["insufficient_parallelism"] + r["communication"] + r["node_down"], r["execution"])
        expect(where + "kinds of communication", sum(k["time"] for k in kinds), r["communication"])
        expect(where + "system time is part of the productive", 0 <= r["system"] <= r["productive"], True)
        expect(where + "idle", r["idle"], longest - r["execution"])
        for k in kinds:
            expect(where + "synchronisation is part of it", 0 <= k["synchronisation"] <= k["time"], True)
        inside = sum(i["per_rank"][number]["execution"] for i in interval["inside"])
        expect(where + "what is inside fits in", inside <= r["execution"], True)
    for key in ("execution", "productive", "system", "insufficient_parallelism", "communication", "node_down", "idle"):
        expect(f"{name}: sum of {key}", interval["sum"][key], sum(r[key] for r in ranks))
    lost = sum(interval["sum"][key] for key in ("insufficient_parallelism", "communication", "node_down", "idle"))
    expect(name + ": lost", interval["lost"], lost)
    expect(name + ": productive and lost", interval["sum"]["productive"] + lost, interval["total"])
    for inside in interval["inside"]:
        check_interval(inside)


def find(interval, name):
    return next(i for i in interval["inside"] if i["name"] == name)


predicted = run["predicted_picoseconds"]
for key in ("predicted_picoseconds", "ranks", "messages", "bytes"):
    expect(key, report[key], run[key])
for mine, theirs in zip(report["per_rank"], run["per_rank"]):
    expect("finish", mine["finish"], theirs["finish_picoseconds"])
    for key in ("compute", "send_overhead", "receive_overhead", "poll", "handshake", "wait", "node_down"):
        expect(key, mine[key] / 1e12, theirs[key + "_seconds"])
expect("the root's time with a node down", [r["node_down"] for r in report["intervals"]["per_rank"]],
       [r["node_down"] for r in report["per_rank"]])
path = report["critical_path"]
expect("causes", path["causes"], run["critical_path"]["picoseconds"])
expect("compute on the way back", path["compute"], path["causes"]["compute"])
expect("length of the path", sum(path["on_rank"]) + path["between_ranks"], predicted)

# The program's own description: phases.c.
root = report["intervals"]
check_interval(root)
step = find(root, "step")
expect("instances of step", step["instances"], 20 * report["ranks"])
for rank, r in enumerate(find(step, "solve")["per_rank"]):
    expect("solve", r["productive"], (20 * (1 + rank) + 5) * 10**9)
    expect("solve does not communicate", r["communication"] + r["insufficient_parallelism"], 0)
exchange = find(step, "exchange")
for r in exchange["per_rank"]:
    expect("operations", {k: v["operations"] for k, v in r["by_kind"].items()}, {"point_to_point": 40})
# Each message is in transit for 77 us, and its receiver computes for 200 us before it waits.
expect("overlap", exchange["sum"]["overlap"] > 10**9, True)
expect("kinds", sorted(root["sum"]["by_kind"]),
       ["barrier", "broadcast", "point_to_point", "redistribution", "reduction"])
expect("operations", {k: v["operations"] for k, v in root["sum"]["by_kind"].items()},
       {"point_to_point": 160, "reduction": 80, "broadcast": 16, "redistribution": 4, "barrier": 4})
# Rank 0 alone computes for 10 ms at the end, and the others wait for it, except for the costs of their calls.
unshared = root["sum"]["insufficient_parallelism"] - step["sum"]["insufficient_parallelism"]
expect("unshared work", 29.5e9 < unshared <= 30e9, True)


def shown(picoseconds, digits=4):
    if picoseconds == 0:
        return "0 s"
    for unit, factor in (("s", 1e12), ("ms", 1e9), ("us", 1e6), ("ns", 1e3), ("ps", 1)):
        if picoseconds >= factor or unit == "ps":
            return f"{float(f'{picoseconds / factor:.{digits}g}'):.12g} {unit}"


if len(sys.argv) > 3:
    page = open(sys.argv[3], encoding="utf-8").read()
    expect("script error", re.findall(r'data-error="([^"]*)"', page), [])
    expect("the page is complete", 'data-ready="yes"' in page, True)
    expect("predicted time on the page", f'id="predicted">{shown(predicted, 6)}<' in page, True)
    expect("finishes on the page", [int(n) for n in re.findall(r'data-finish="(\d+)"', page)],
           [r["finish_picoseconds"] for r in run["per_rank"]])
    tables = {}
    for name, rows in re.findall(r'<table data-interval="([^"]*)">(.*?)</table>', page, re.S):
        tables[html.unescape(name)] = re.findall(r"<td>([^<]*)</td>", rows)
    for interval in (root, step, find(step, "solve"), exchange):
        s = interval["sum"]
        values = [s["productive"], s["insufficient_parallelism"], s["communication"], s["idle"], interval["total"]]
        expect("row of " + interval["name"], tables[interval["name"]][1:6], [shown(v) for v in values])

conclude()
