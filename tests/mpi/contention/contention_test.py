#!/usr/bin/env python3
"""contention_test.py EMU GOAL: messages that share cards, memory and links take the times of closed forms, on any host.

EMU is the command, GOAL the player of schedules. Overheads are 0, L is 1 us, and a byte takes 1 ns, so that a
message of k bytes alone takes 1 us and k - 1 ns.
"""
import json
import os
import subprocess
import sys
import tempfile

EMU, GOAL = map(os.path.abspath, sys.argv[1:3])
US = 1_000_000  # picoseconds
L = US
MEGABYTE = 1_000_001  # of a message, so that 10^6 bytes follow the first one
W = 1_000_000 * 1000  # time of these bytes alone


def target(network="", topology="", nodes=64, slots=1):
    return f"""name = "test"
compute = "declared"
[network]
latency = "1us"
gap_per_byte = "1ns"
eager_limit = "unlimited"
{network}
[network.send]
fixed = "0us"
[network.receive]
fixed = "0us"
{topology}
[[node]]
count = {nodes}
slots = {slots}
"""


def schedule(ranks, messages):
    """messages: (from, to, bytes, start in ns) in send order."""
    lines = [[] for _ in range(ranks)]
    for number, (source, to, size, *start) in enumerate(messages):
        wait = start[0] if start else 0
        send, receive = f"s{number}: send {size}b to {to} tag {number}", f"r{number}: recv {size}b from {source} tag {number}"
        if wait:
            lines[source] += [f"c{number}: calc {wait}", send, f"s{number} requires c{number}"]
        else:
            lines[source].append(send)
        lines[to].append(receive)
    text = f"num_ranks {ranks}\n"
    for rank, operations in enumerate(lines):
        text += f"rank {rank} {{\n" + "\n".join(operations) + "\n}\n"
    return text


def run(text, ranks, messages, options=(), **environment):
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: os.path.join(folder, name) for name in ("target.toml", "schedule.goal", "run.json")}
        with open(paths["target.toml"], "w") as file:
            file.write(text)
        with open(paths["schedule.goal"], "w") as file:
            file.write(schedule(ranks, messages))
        done = subprocess.run([EMU, "run", "-n", str(ranks), "--target", paths["target.toml"], "--json", paths["run.json"],
                               *options, GOAL, paths["schedule.goal"], "--unit", "1ns"],
                              capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
        if done.returncode != 0:
            sys.exit(f"emu run failed: {done.stdout}{done.stderr}")
        with open(paths["run.json"]) as file:
            return json.load(file)


def finishes(result):
    return [rank["finish_picoseconds"] for rank in result["per_rank"]]


failures = 0


def check(what, got, expected):
    global failures
    if got != expected:
        failures += 1
        print(f"FAIL: {what}: {got}, expected {expected}")


CARD = 'card = "node"'
FIFO = CARD + '\nshare = "fifo"'

# Incast: all end together, or one after another.
incast = [(r, 0, MEGABYTE) for r in range(1, 9)]
check("incast, fair", finishes(run(target(CARD), 9, incast))[0], L + 8 * W)
check("incast, fifo", finishes(run(target(FIFO), 9, incast))[0], L + 8 * W)
to_two = [(r, 0, MEGABYTE) for r in range(2, 6)] + [(6, 1, MEGABYTE)]
ends = finishes(run(target(CARD, nodes=7), 7, to_two))
check("a message to another rank", ends[1], L + W)

# A short message beside a long one.
beside = [(1, 0, MEGABYTE), (3, 2, 1001, 100_000), (1, 2, 1)]
one_node = target(CARD, nodes=2, slots=2)
check("a short message beside a long one", finishes(run(one_node, 4, [(2, 0, MEGABYTE), (3, 1, 1001, 100_000)]))[1],
      100 * US + L + 2 * US)

# Both directions at once.
exchange = [(0, 1, MEGABYTE), (1, 0, MEGABYTE)]
for duplex, times in (('"full"', 1), ('"half"', 2), ('"1.25GB/s"', 1.6)):
    check(f"duplex {duplex}", finishes(run(target(CARD + f"\nduplex = {duplex}"), 2, exchange)), [L + int(times * W)] * 2)

# Two ranks of a node share a card, or have a rail each; inside the node the memory counts.
pairs = [(0, 2, MEGABYTE), (1, 3, MEGABYTE)]
two_slots = dict(nodes=2, slots=2)
check("a card for two ranks", finishes(run(target(CARD, **two_slots), 4, pairs))[2:], [L + 2 * W] * 2)
check("two rails", finishes(run(target(CARD + "\nrails = 2", **two_slots), 4, pairs))[2:], [L + W] * 2)
memory = target(CARD + '\nmemory_bandwidth = "0.5GB/s"', nodes=1, slots=4)
check("memory", finishes(run(memory, 4, [(0, 1, MEGABYTE), (2, 3, MEGABYTE)]))[1::2], [L + 4 * W] * 2)
check("card_bandwidth", finishes(run(target(CARD + '\ncard_bandwidth = "4GB/s"'), 5, [(r, 0, MEGABYTE) for r in range(1, 5)]))[0],
      L + W)

# A fat tree of two leaf switches of 8 nodes, tapered.
for taper in (1, 2, 4):
    tree = f'[topology]\nkind = "fat-tree"\ndown = [8, 2]\ntaper = {taper}\nbandwidth = "1GB/s"\nlatency = "0us"'
    shift = [(r, r + 8, MEGABYTE) for r in range(8)]
    check(f"permutation, taper {taper}", finishes(run(target(topology=tree, nodes=16), 16, shift))[8:], [L + taper * W] * 8)
    everybody = [(a, (a + d) % 16, MEGABYTE) for d in range(1, 16) for a in range(16)]
    expected = L + (8 * taper if taper > 1 else 15) * W
    check(f"all to all, taper {taper}", max(finishes(run(target(topology=tree, nodes=16), 16, everybody))), expected)

# A dragonfly: all nodes of a group send to the next group over one cable.
dragonfly = '[topology]\nkind = "dragonfly"\ngroups = 3\nrouters = 2\nnodes = 2\nglobal_links = 1\nbandwidth = "1GB/s"\nlatency = "0us"'
check("dragonfly, to the next group", max(finishes(run(target(topology=dragonfly, nodes=12), 12,
                                                      [(r, (r + 4) % 12, MEGABYTE) for r in range(12)]))), L + 4 * W)
# A torus: a shift along a ring shares no link; halfway round, a message shares links with as many others as its way is
# long.
torus = '[topology]\nkind = "torus"\ndimensions = [8]\nbandwidth = "1GB/s"\nlatency = "0us"'
for step, times in ((1, 1), (3, 3)):
    check(f"torus, shift by {step}", max(finishes(run(target(topology=torus, nodes=8), 8,
                                                     [(r, (r + step) % 8, MEGABYTE) for r in range(8)]))), L + times * W)
# Latencies of links add up, and a star's backbone is one resource.
star = '[topology]\nkind = "star"\nbandwidth = "1GB/s"\nbackbone = "2GB/s"\nlatency = "3us"'
result = run(target(topology=star, nodes=16), 16, [(r, r + 8, MEGABYTE) for r in range(8)])
check("star with a backbone", max(finishes(result)), L + 6 * US + 4 * W)
# All eight messages move at an eighth of the backbone: their whole time there is due to its bandwidth.
check("where it waited", result["critical_path"]["contention"],
      {"resource": "backbone", "picoseconds": 3 * W, "derivative": -4 * W / 1e12})
use = {resource["name"]: resource for resource in result["resources"]}
check("use of the backbone", (use["backbone"]["bytes"], use["backbone"]["most_messages_at_once"]), (8 * MEGABYTE, 8))

# The report's entries: origin of the messages, and busy times.
with tempfile.TemporaryDirectory() as folder:
    trace, out = os.path.join(folder, "trace"), os.path.join(folder, "report.json")
    run(target(topology=star, nodes=16), 16, [(r, r + 8, MEGABYTE) for r in range(8)] + [(0, 9, MEGABYTE, 9_000_000)],
        ("--trace", trace))
    done = subprocess.run([EMU, "report", trace, "--json", out, "-o", os.path.join(folder, "page.html")],
                          capture_output=True, text=True)
    check("exit code of the report", done.returncode, 0)
    check("the busiest resource is in the first line",
          any(line.startswith("backbone") and "rank 0" not in line for line in done.stdout.splitlines()), True)
    with open(out) as file:
        first = json.load(file)["resources"][0]
    check("the busiest resource", (first["name"], first["bytes"], first["messages"]), ("backbone", 9 * MEGABYTE, 9))
    check("how long it was busy", (first["busy"], sum(first["load"])), (5 * W, 5 * W))
    check("when it was busy", first["load"][5 * W // first["stretch"]], 0)

# A bus: in the order of heads, also for a message of one byte.
bus = run(target('medium = "bus"', nodes=4), 4, [(0, 1, 1001), (2, 1, 1, 1), (2, 3, 501, 100_000)])
check("a bus", finishes(bus), [0, L + 1000 * 1000, 100_000_000 + 1000, 100_000_000 + 1000 + L + 500 * 1000])
check("who used the bus", [(use["name"], use["bytes"], use["messages"], use["busy_seconds"]) for use in bus["resources"]],
      [("bus", 1503, 3, 1.5e-6)])

# Equal on any host.
mixed = [(a, (a + d * d) % 12, 1000 * d + 17 * a + 1, 1 + 313 * ((a * d) % 7)) for d in range(1, 9) for a in range(12)]
for share in ("fair", "fifo", "bus"):
    text = target(f'card = "node"\nduplex = "half"\nshare = "{share}"',
                  '[topology]\nkind = "fat-tree"\ndown = [3, 2]\nup = [1, 2]\nbandwidth = "0.7GB/s"\nlatency = "100ns"', 6, 2)
    if share == "bus":
        text = target('medium = "bus"', nodes=6, slots=2)
    first = finishes(run(text, 12, mixed))
    for what, options, environment in (("one core", ("--cores", "1"), {}), ("delays", (), {"EMU_JITTER": "300"}),
                                       ("two host nodes", (), {"EMU_NODES": "2"}),
                                       ("three host nodes, delays", (), {"EMU_NODES": "3", "EMU_JITTER": "200"})):
        for _ in range(3):
            check(f"{share}, {what}", finishes(run(text, 12, mixed, options, **environment)), first)

print("contention:", "as expected" if failures == 0 else f"{failures} failures")
sys.exit(1 if failures else 0)
