# check_masters.py KIND RUN.json REPORT.json TASKS.csv PIXELS [DOM.html]: what emu report says of masters and slaves, of
# mase with PIXELS tasks by strategy KIND; the sums fit those of the run, and the page has the same numbers.
import csv
import html
import json
import re
import sys

kind = sys.argv[1]
run = json.load(open(sys.argv[2]))
report = json.load(open(sys.argv[3]))
tasks = list(csv.DictReader(open(sys.argv[4])))
pixels = int(sys.argv[5])
found = report["master_slave"]
failures = 0


def expect(what, got, wanted):
    global failures
    if got != wanted:
        print(f"FAIL: {kind}: {what}: {got}, not {wanted}")
        failures += 1


def total(column, rows=tasks):
    return sum(int(row[column]) for row in rows)


# Every pixel is one task, and costs the same. What slaves compute they compute in tasks.
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

# Waiting, step by step, by two ways. A slave of one master waits only for tasks, and at the end to be stopped.
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
    waits = round(run["per_rank"][rank]["wait_seconds"] * 1e12)
    for key in ("work", "idle"):
        expect(f"{key} of slave {rank}", slave[key], total(key, own))
    expect(f"slave {rank} idles no longer than it waits", slave["idle"] <= waits, True)
    if kind == "si":
        expect(f"slave {rank} waits for the master", total("idle", own),
               int(own[0]["idle"]) + total("begun", own[1:]) - total("asked", own[1:]))
        expect(f"the last wait of slave {rank}", waits - slave["idle"] < 4 * 10**8, True)
for m in found["masters"]:
    expect(f"time of master {m['rank']}", m["busy"] + m["waiting"], m["length"])
    expect(f"reigns of master {m['rank']}", sum(r["tasks"] for r in m["reigns"]), m["tasks"])

sys.exit(1 if failures else 0)
