#!/usr/bin/env python3
"""raytrace: equal answers for every distribution of the rays, native and emulated; parts and times as in emu scatter.

    raytrace_test.py MPIRUN EMU RAYTRACE
"""
import json
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from commands import check, folder, refused, run, write  # noqa: E402

mpirun, emu, raytrace = sys.argv[1:]

# Four speeds and three links; everything that is not in the plan, such as the barrier before, takes nearly no time.
FOUR = """name = "four"
compute = "declared"
[network]
latency = "1ns"
gap_per_byte = "0us"
eager_limit = "unlimited"
send = { fixed = "0us", per_process = "0us", per_byte = "1us" }
receive = { fixed = "0us", per_process = "0us", per_byte = "0us" }
[[node]]
name = "root"
count = 1
[[node]]
name = "fast"
count = 1
speed = 3.0
[[node]]
name = "far"
count = 1
speed = 4.0
[[node]]
name = "slow"
count = 1
speed = 0.5
[[link]]
from = "root"
to = "far"
latency = "5us"
[link.send]
per_byte = "4us"
[[link]]
from = "fast"
to = "far"
[link.send]
per_byte = "2us"
"""
four = write("four.toml", FOUR)
scatters = 'compute = "declared"\n[collectives]\nscatter = '
uniform = write("uniform.toml", FOUR.replace('compute = "declared"', scatters + '"uniform"'))
fair = write("fair.toml", FOUR.replace('compute = "declared"', scatters + '"fair"'))
handshake = write("handshake.toml", FOUR.replace('"unlimited"', '"64B"'))

rays = ("--rays", 2000, "--shells", 30, "--ray-seconds", "1ms")
one = run(mpirun, "-n", 1, raytrace, *rays).out
check(re.search("^2000 rays, travel time", one, re.MULTILINE), one)
# Natively the machine is unknown: equal parts.
for kind in ("uniform", "balanced", "dynamic"):
    ended = run(mpirun, "-n", 3, raytrace, *rays, "--distribution", kind)
    check(ended.out == one, f"{kind}: another answer")
    check(kind == "dynamic" or "rank 0: 667 rays" in ended.err, f"{kind}: {ended.err}")


def emulate(target, *options):
    """The rays of each rank, and the instant of its end."""
    ended = run(emu, "run", "-n", 4, "--target", target, raytrace, *rays, *options)
    check(ended.out == one, f"another answer when emulated: {options}")
    done = re.findall(r"^raytrace: rank \d+: (\d+) rays, done after ([\d.]+) s", ended.err, re.MULTILINE)
    return [(int(count), float(seconds)) for count, seconds in done]


def plan_of(*options, costs=("--item-seconds", "1ms")):
    return json.loads(run(emu, "scatter", "--items", 2000, "--item-bytes", 64, *costs, "--json", *options).out)


def as_planned(done, plan, within):
    """Checks that the ranks had the parts of the plan, and ended at its instants."""
    check([count for count, _ in done] == plan["counts"], f"not the planned parts: {done}, {plan['counts']}")
    for rank, (_, seconds) in enumerate(done):
        check(abs(seconds - plan["finish_seconds"][rank]) <= within, f"rank {rank}: {seconds}, planned {plan['finish_seconds']}")


# The printed times have microseconds; ranks leave the barrier within 20 us.
BARRIER = 2e-5
for root in (0, 1):
    at = ("--root", root)
    as_planned(emulate(four, "--distribution", "balanced", *at), plan_of("--target", four, *at), BARRIER)
    as_planned(emulate(four, "--distribution", "balanced", "--order", "descending", *at),
               plan_of("--target", four, *at, "--order", "bandwidth"), BARRIER)
    as_planned(emulate(four, "--distribution", "uniform", *at), plan_of("--target", four, *at, "--method", "uniform"), BARRIER)
as_planned(emulate(uniform, "--distribution", "balanced"), plan_of("--target", four, "--method", "uniform"), BARRIER)
# With handshakes the root sends in the order of answers, which is not in the plan: the parts are as planned, and the
# end up to 2 %.
done, plan = emulate(handshake, "--distribution", "balanced"), plan_of("--target", handshake)
as_planned(done, plan, 1)
last = max(seconds for _, seconds in done)
check(abs(last / plan["makespan_seconds"] - 1) < 0.02, f"with handshakes: {done}, planned {plan['makespan_seconds']}")
emulate(four, "--distribution", "dynamic", "--chunk", 10)

# Costs from a recorded run: with equal parts, and with tasks.
recorded = ("run", "-n", 4, "--target", four, "--trace")
run(emu, *recorded, folder / "parts", raytrace, *rays)
run(emu, *recorded, folder / "tasks", raytrace, *rays, "--distribution", "dynamic", "--chunk", 10)
given = plan_of("--target", four)["item_seconds"]
for costs in (("--trace", folder / "parts"), ("--trace", folder / "tasks", "--task-items", 10)):
    found = plan_of("--target", four, costs=costs)["item_seconds"]
    check(len(found) == len(given) and all(abs(a - b) < 1e-9 for a, b in zip(given, found)), f"{costs}: {found}, not {given}")

for text, options in (
        ("--distribution 'fair': expected uniform, balanced", ("--distribution", "fair")),
        ("--root '2'", ("--root", 2)),
        ("--rays '-1'", ("--rays", -1)),
        ("--order is not for --distribution dynamic", ("--distribution", "dynamic", "--order", "given"))):
    refused(text, mpirun, "-n", 2, raytrace, *options)
refused(r"fair.toml:\d*: collectives.scatter", emu, "run", "-n", 4, "--target", fair, raytrace)
print("ok")
