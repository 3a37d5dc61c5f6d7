#!/usr/bin/env python3
"""awake_test.py EMU PROGRAM TARGET: with measured compute, cores are awake while ranks wait, and only then.

TARGET declares compute; a copy measures it."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from commands import check, folder, run, write  # noqa: E402

emu, program, declared = (pathlib.Path(name).resolve() for name in sys.argv[1:4])
text = declared.read_text()
measured = write("measured.toml", text.replace('compute = "declared"', 'compute = "measured"'))
check('compute = "measured"' in measured.read_text(), "no target that measures")
cores = len(os.sched_getaffinity(0))
by_mpirun = ("--mpirun", "-launcher fork")


def idle_priority():
    """True if the system has threads of idle priority."""
    child = os.fork()
    if child == 0:
        try:
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def limited():
    """True if a control group limits the CPU time."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        if line.startswith("0::"):
            group = pathlib.Path("/sys/fs/cgroup" + line[3:])
            for place in [group, *group.parents]:
                limit = place / "cpu.max"
                if limit.is_file() and not limit.read_text().startswith("max"):
                    return True
    return False


def threads(target, *options, environment=None):
    """Number of the threads, CPU seconds while a rank waited, share of the time while none did; and the warnings."""
    out = run(emu, "run", "-n", 2, "--target", target, "--json", folder / "run.json", *options, program, "threads", seconds=60,
              environment=environment).out
    found = re.search(r"threads (\d+) ran (\S+) s while a rank waited, and (\S+) of the time", out)
    check(found, "no answer:", out)
    keys = [warning["key"] for warning in json.loads((folder / "run.json").read_text())["warnings"]]
    return int(found[1]), float(found[2]), float(found[3]), keys


# Without a reason for them there are none.
for target, environment in ((declared, {}), (measured, {"EMU_AWAKE_CORES": "0"})):
    for options in ((), by_mpirun):
        check(threads(target, *options, environment=environment)[0] == 0, "threads although none are wanted:", target, environment)

if not idle_priority() or limited():
    print("SKIP: this system has no threads of idle priority, or limits CPU time")
    sys.exit(77)

for options in ((), by_mpirun):
    count, waiting, working, warnings = threads(measured, *options)
    check(1 <= count <= cores, f"{count} threads on {cores} cores", options)
    check(waiting >= 1e-3, f"they ran {waiting} s while a rank waited", options)
    check(working < 0.2, f"they ran {working} of the time while no rank waited", options)
    check("threads" not in warnings, "their CPU time counts as the program's", options)
count = threads(measured, "--cores", 1)[0]
check(count == 1, f"{count} threads with --cores 1")


def gone(pid):
    """True if the process has ended, or is only not reaped yet."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


# They end with the job, however that ends.
for victim in ("emu", "parent", "rank"):
    for options in ((), by_mpirun):
        job = subprocess.Popen([emu, "run", "-n", "2", "--target", measured, *options, program, "hang"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        pairs = [tuple(map(int, job.stdout.readline().split()[1:])) for _ in range(2)]
        time.sleep(0.1)
        os.kill({"emu": job.pid, "parent": pairs[0][0], "rank": pairs[0][1]}[victim], signal.SIGKILL)
        end = time.monotonic() + 20
        processes = {pid for pair in pairs for pid in pair}
        while time.monotonic() < end and not all(gone(pid) for pid in processes):
            time.sleep(0.05)
        check(all(gone(pid) for pid in processes), f"after the end of {victim} processes remain", options)
        job.kill()
        job.wait()

# Work after a wait takes as long as other work. Where other processes have the cores and their caches, or equal pieces of
# work differ, the host cannot answer.
noisy = []
out = run(emu, "run", "-n", 2, "--target", measured, "--json", folder / "run.json", program, "pieces", seconds=100).out
busy = {warning["key"] for warning in json.loads((folder / "run.json").read_text())["warnings"]}
busy &= {"oversubscribed", "stolen", "throttled"}
for length, waited, control, spread in re.findall(r"piece (\S+) waited (\S+) control (\S+) spread (\S+)", out):
    waited, control, spread = float(waited), float(control), float(spread)
    if busy or cores < 2 or abs(control - 1) > 0.01 or spread > 0.03:
        noisy.append(length)
    else:
        check(abs(waited - 1) < 0.05, f"a piece of {length} s takes {waited} times as long after a wait:", out)
if len(noisy) == 5:
    print(f"SKIP: other processes have the cores, or equal work differs ({', '.join(sorted(busy))}):\n{out}")
    sys.exit(77)
