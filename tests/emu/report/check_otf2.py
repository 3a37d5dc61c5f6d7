# check_otf2.py REPORT.json EVENTS DEFINITIONS: otf2-print's output for the OTF2 archive agrees with emu report.
import collections
import json
import re
import sys

from checking import conclude, durations, expect

report = json.load(open(sys.argv[1]))
ranks = report["ranks"]

events = []
for line in open(sys.argv[2]):
    if found := re.match(r"(\w+) +(\d+) +(\d+)  (.*)", line):
        kind, location, time, rest = found.groups()
        events.append([kind, int(location), int(time), rest])
    elif found := re.match(r' *ADDITIONAL ATTRIBUTES: \("message" <0>; UINT64; (\d+)\)', line):
        events[-1].append(int(found[1]))

definitions = collections.defaultdict(list)
for line in open(sys.argv[3]):
    if found := re.match(r"([A-Z_]+) +(\d+|  ) (.*)", line):
        definitions[found[1]].append(found[3].strip())
expect("ticks per second", "Ticks per Seconds: 1000000000000," in definitions["CLOCK_PROPERTIES"][0], True)
expect("locations", len(definitions["LOCATION"]), ranks)
expect("the cluster and its nodes", [re.search(r'Class: "(\w+)"', d)[1] for d in definitions["SYSTEM_TREE_NODE"]],
       ["cluster"] + ["node"] * ranks)
expect("the cluster's name", definitions["SYSTEM_TREE_NODE"][0].startswith(f'Name: "{report["target"]}"'), True)
for rank, d in enumerate(definitions["LOCATION"]):
    counted = int(re.search(r"# Events: (\d+)", d)[1])
    expect(f"events of rank {rank}", sum(e[1] == rank for e in events), counted)

# Regions: nested, and as long as in the record.
for rank in range(ranks):
    stack, spent, last = [], collections.Counter(), 0
    for kind, location, time, rest, *_ in events:
        if location != rank:
            continue
        expect("events go on in time", time >= last, True)
        last = time
        if kind == "ENTER":
            stack.append((rest, time))
        elif kind == "LEAVE":
            region, since = stack.pop()
            name = re.search(r'"(.*)"', region)[1]
            expect("region that is left", rest, region)
            spent[name] += time - since
            if name == "node down" and '"MPI_' in stack[-1][0]:
                spent[re.search(r'"(.*)"', stack[-1][0])[1]] -= time - since
    expect("all regions are left", stack, [])
    wanted = collections.Counter()
    durations(report["intervals"], rank, wanted)
    for name in wanted:
        expect(f"time in {name}, rank {rank}", spent[name], wanted[name])
    own = report["per_rank"][rank]
    expect(f"time in compute, rank {rank}", spent["compute"], own["compute"])
    expect(f"time with its node down, rank {rank}", spent["node down"], own["node_down"])
    expect(f"time in the program, rank {rank}", spent[report["program"]] - spent["MPI_Finalize"], own["finish"])
    inside = sum(spent[name] for name in spent if name.startswith("MPI_") and name != "MPI_Finalize")
    expect(f"time in MPI calls, rank {rank}", inside, own["finish"] - own["compute"] - own["node_down"])

# Messages: each is received once, after it was sent, and in order, as other tools match them.
sent, received, order = {}, {}, collections.defaultdict(list)
for kind, location, time, rest, *number in events:
    if kind not in ("MPI_SEND", "MPI_RECV"):
        continue
    peer, comm, tag, length = re.match(
        r'\w+: (\d+) \("rank \1" <\1>\), Communicator: "(.*?)" <\d+>, Tag: (\d+), Length: (\d+)', rest).groups()
    ends = (location, int(peer)) if kind == "MPI_SEND" else (int(peer), location)
    box = sent if kind == "MPI_SEND" else received
    message = (*ends, number[0])
    expect("a message once", message in box, False)
    box[message] = (time, comm, tag, int(length))
    order[kind, *ends, comm, tag].append(number[0])
expect("messages sent", len(sent), report["messages"])
expect("bytes sent", sum(m[3] for m in sent.values()), report["bytes"])
expect("messages received", sorted(received), sorted(sent))
for message, (time, *what) in received.items():
    if message in sent:
        expect("when it was received", time > sent[message][0], True)
        expect("communicator, tag and length", what, list(sent[message][1:]))
for key, numbers in order.items():
    if key[0] == "MPI_SEND":
        expect("order of messages", order["MPI_RECV", *key[1:]], numbers)
expect("communicators", sorted({m[1] for m in sent.values()}),
       ["MPI_COMM_WORLD", "MPI_COMM_WORLD, collective operations"])
conclude()
