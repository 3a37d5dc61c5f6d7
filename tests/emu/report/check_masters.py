# check_masters.py KIND RUN.json REPORT.json TASKS.csv PIXELS [DOM.html STUDY.json]: emu report's masters and slaves
# of mase with PIXELS tasks by strategy KIND; the sums agree with those of the run, and the page has the same numbers.
import csv
import json
import re
import sys

from checking import conclude, expect

kind = sys.argv[1]
run = json.load(open(sys.argv[2]))
report = json.load(open(sys.argv[3]))
tasks = list(csv.DictReader(open(sys.argv[4])))
pixels = int(sys.argv[5])
found = report["master_slave"]


def total(column, rows=tasks):
    return sum(int(row[column]) for row in rows)


# Every pixel is one task, and all cost the same. All work of slaves is in tasks.
expect("tasks", len(tasks), pixels)
expect("tasks in the JSON", found["tasks"], pixels)
expect("work of each task", {row["work"] for row in tasks}, {tasks[0]["work"]})
compute = sum(round(r["compute_seconds"] * 1e12) for r in run["per_rank"])
expect("work", found["work"], compute)
expect("work by task", total("work"), compute)
for key in ("masters", "slaves"):
    expect("tasks of " + key, sum(each["tasks"] for each in found[key]), pixels)
masters = [m["rank"] for m in found["masters"]]
if kind == "si":
    expect("masters", masters, [0])
if kind == "ml":
    expect("masters", masters, [0, 4])
    expect("their tasks", [m["tasks"] for m in found["masters"]], [pixels // 2, pixels // 2])
if kind == "dy":
    expect("several masters", 0 in masters and len(masters) > 1, True)
    expect("slaves become masters and slaves again", any(m in [s["rank"] for s in found["slaves"]] for m in masters),
           True)

# The steps of waiting, in two ways. A slave of one master waits only for tasks, and at the end for its stop.
waiting = dict(found["waiting"])
expect("steps between a request and its task", sum(waiting.values()) - waiting["total"], waiting["total"])
answered = [row for row in tasks if row["asked"]]
expect("answered", found["answered"], len(answered))
expect("waiting", waiting["total"], total("begun", answered) - total("asked", answered))
expect("queue", waiting["queue"], sum(m["queued"] for m in found["masters"]))
service = total("dealt") - total("taken")
expect("service", sum(m["service"] for m in found["masters"]), service)
expect("idle", found["idle"], total("idle"))
for slave in found["slaves"]:
    rank, own = slave["rank"], [row for row in tasks if int(row["slave"]) == slave["rank"]]
    waits = round((run["per_rank"][rank]["wait_seconds"] + run["per_rank"][rank]["poll_seconds"]) * 1e12)
    for key in ("work", "idle"):
        expect(f"{key} of slave {rank}", slave[key], total(key, own))
    expect(f"slave {rank} idles no longer than it waits", slave["idle"] <= waits, True)
    if kind == "si":
        expect(f"slave {rank} waits for the master", total("idle", own),
               int(own[0]["idle"]) + total("begun", own[1:]) - total("asked", own[1:]))
        expect(f"the last wait of slave {rank}", 0 < waits - slave["idle"] < 2 * slave["longest_idle"], True)
for m in found["masters"]:
    expect(f"time of master {m['rank']}", m["busy"] + m["waiting"], m["length"])
    expect(f"reigns of master {m['rank']}", sum(r["tasks"] for r in m["reigns"]), m["tasks"])


# With one master: the closed form of the target for the cost of a task at the master, and for other costs at the slave.
if kind == "si":
    ranks = report["ranks"]

    def overhead(per_byte, count):
        return 12_100_000 + 182_000 * ranks + per_byte * count

    def send(count):
        return overhead(70_800, count)

    def receive(count):
        return overhead(72_200, count)

    task, result = int(tasks[0]["bytes"]), int(tasks[0]["result_bytes"])
    service = receive(result) + send(task)
    flights = 2 * 50_000_000 + 26_800 * (task - 1 + result - 1)
    trip = flights + service + receive(task) + send(result)
    m = found["masters"][0]
    expect("service of a task", m["service"], m["answered"] * service + (ranks - 1) * send(task))
    expect("a slave's round trip", m["round_trip"], m["answered"] * trip)
    expect("slaves at a time", 0.98 < m["slaves_at_a_time"] / (ranks - 1) <= 1, True)
    saturating = (ranks - 1) * service - trip
    expect("tasks that saturate the master", abs(m["saturating_work"] - saturating) < 0.03 * service * ranks, True)
    expect("break-even", abs(m["break_even_work"] / max(service, trip / (ranks - 2)) - 1) < 0.03, True)


def shown(picoseconds, digits=4):
    if picoseconds == 0:
        return "0 s"
    for unit, factor in (("s", 1e12), ("ms", 1e9), ("us", 1e6), ("ns", 1e3), ("ps", 1)):
        if picoseconds >= factor or unit == "ps":
            return f"{float(f'{picoseconds / factor:.{digits}g}'):.12g} {unit}"


def rows(page, name):
    table = re.search(rf'<table id="{name}">(.*?)</table>', page, re.S)
    return [re.findall(r"<td>([^<]*)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", table[1], re.S)[1:]]


if len(sys.argv) > 6:
    page = open(sys.argv[6], encoding="utf-8").read()
    study = json.load(open(sys.argv[7]))
    expect("script error", re.findall(r'data-error="([^"]*)"', page), [])
    expect("the page is complete", 'data-ready="yes"' in page, True)
    for row, m in zip(rows(page, "masters-table"), found["masters"]):
        expect("row of master", row[:4] + row[6:7] + row[8:10],
               [str(m["rank"]), f"{m['tasks']:,}", str(m["slaves"]), shown(m["length"]), shown(m["longest_service"]),
                shown(m["longest_queued"]), shown(m["saturating_work"])])
    slaves = rows(page, "slaves-table")
    expect("rows of slaves", len(slaves), len(found["slaves"]))
    for row, s in zip(slaves, found["slaves"]):
        expect("row of slave", [row[i] for i in (0, 1, 2, 4, 5, 7)],
               [str(s["rank"]), f"{s['tasks']:,}", shown(s["work"]), shown(s["longest_work"]), shown(s["idle"]),
                shown(s["longest_idle"])])
    # A point for each number of ranks, one in the key, and one for the optimum.
    svg = re.search(r'<div id="study">.*?(<svg.*?</svg>)', page, re.S)[1]
    expect("points of the curve", len(re.findall(r'href="#gpPt6"', svg)), len(study["points"]) + 2)
    expect("the optimum", f"Optimum: {study['optimum_ranks']} ranks" in page, True)
    # The data of the pictures agrees with the table.
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    task_map = data["task_map"]
    expect("data of the page", {k: v for k, v in data.items() if k not in ("timeline", "task_map", "study", "curve", "runs", "causes")}, report)
    expect("histogram", sum(n for _, n in task_map["work"]), pixels)
    expect("histogram", sum(n for _, n in task_map["idle"]), pixels)
    expect("longest wait", task_map["longest_waits"][0]["idle"], max(int(row["idle"]) for row in tasks))
    if "bin" not in task_map:
        single = [n for row in task_map["rows"] for n in row["tasks"]]
        expect("tasks of the map", [single[3::5], single[4::5]],
               [[int(row["work"]) for row in tasks], [int(row["idle"]) for row in tasks]])
    else:
        letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        begun = sum(letters.index(c) for row in task_map["rows"] for c in row["bins"][2::3])
        expect("tasks of the map", begun, pixels)
    queue = task_map["queues"]
    for m, q in zip(found["masters"], queue["masters"]):
        expect("the queue's bins cover the run", len(q["most"]) * queue["bin"] >= report["predicted_picoseconds"], True)
        area = sum(q["average"]) * queue["bin"]  # each rounded to 0.01
        expect("the queue over time", area > m["queued"] - 0.005 * len(q["most"]) * queue["bin"], True)
        expect("a slave is in the queue once", max(q["most"]) <= m["slaves"], True)

conclude()
