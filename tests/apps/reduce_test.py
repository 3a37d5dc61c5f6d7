#!/usr/bin/env python3
"""reduce: right results under each algorithm, with failures at any time, natively and emulated; and times that are
known in advance.

    reduce_test.py MPIRUN EMU TARGET REDUCE
"""
import itertools
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from commands import check, folder, refused, run, write  # noqa: E402

mpirun, emu, target, reduce = sys.argv[1:]
target = pathlib.Path(target)
timings = folder / "timings"
SILENT, ERROR = ("silent", "heartbeat"), ("error", "errors")  # on_failure of the target; --detect


def emulated(ranks, on, *options, **how):
    return run(emu, "run", "-n", ranks, "--target", on, reduce, *options, **how)


def native(ranks, *options):
    return run(mpirun, "-n", ranks, reduce, *options)


def all_right(lines, ended):
    """Checks that there are `lines` lines of output, each with all results right and none lost."""
    right = re.findall(r" [1-9]\d* right, 0 lost$", ended.out, re.MULTILINE)
    check(len(right) == lines, f"{ended.command}: {ended.said}")
    return ended


def right_and_lost(ended):
    found = re.search(r" (\d+) right, (\d+) lost$", ended.out, re.MULTILINE)
    check(found, f"{ended.command}: {ended.said}")
    return int(found[1]), int(found[2])


def failing(nodes, at, on_failure, more=""):
    """The target with a failure of these nodes."""
    return write("failure.toml", f'on_failure = "{on_failure}"\n{target.read_text()}\n'
                                 f'[[event]]\nnode = {nodes}\nat = "{at}"\nkind = "fail"\n{more}')


# --- without failures
all_algorithms = ("--algorithms", "task,binomial,rabenseifner,mpi")
all_right(4, native(4, *all_algorithms, "--sizes", "64KiB", "--at-once", 3, "--repeat", 2, "--overlap", "1ms"))
all_right(8, native(3, *all_algorithms, "--sizes", "8B,64KiB", "--operation", "user", "--root", 1))
all_right(1, native(1))
all_right(2, native(5, "--sizes", "8B,5MiB", "--operation", "affine", "--at-once", 4, "--copies", 3))
all_right(2, emulated(20, target, "--sizes", "8B,64KiB", "--operation", "affine", "--at-once", 9, "--root", 7))
for ranks, operation in ((1, "sum"), (2, "sum"), (3, "user"), (10, "max"), (11, "user")):
    all_right(8, emulated(ranks, target, *all_algorithms, "--sizes", "1000B,128KiB", "--at-once", 5, "--operation", operation,
                          "--root", ranks - 1, "--cost-per-byte", "10ns"))


def seconds(ranks, algorithm, operation):
    """The printed time of an algorithm, alone in a run, so that all ranks begin together."""
    all_right(1, emulated(ranks, target, "--algorithms", algorithm, "--operation", operation, "--sizes", "128KiB",
                          "--timings", timings))
    return [line.split("\t")[5] for line in timings.read_text().splitlines()]


# If combining costs nothing, the algorithms with messages take as long as those of MPI_Reduce: the tree, which
# MPI_Reduce uses for user-defined operations, and Rabenseifner's.
for ranks in (9, 12):
    for algorithm, operation in (("binomial", "user"), ("rabenseifner", "sum")):
        ours, mpi = seconds(ranks, algorithm, operation), seconds(ranks, "mpi", operation)
        check(ours and all(ours) and ours == mpi, f"{algorithm} with {ranks} ranks: {ours}, MPI_Reduce: {mpi}")

# --- failures of ranks or their nodes in every role: the root, its heir, another rank, the deputy, the dealer
failed = ("--sizes", "256KiB", "--at-once", 2, "--time-limit", "200ms", "--heartbeat", "50ms")


def check_failure(name, lost, ranks, on, *options):
    """Some ranks of 9 fail. The others report each of `lost` reductions, of two, as lost."""
    ended = emulated(9, on, *failed, *options, seconds=60)
    check(re.search(rf"^reduce: {ranks} ranks? failed", ended.err, re.MULTILINE), f"{name}: nobody has noticed: {ended.err}")
    check(f"{2 - lost} right, {lost} lost" in ended.out, f"{name}: {ended.said}")
    said = re.findall(r": reduction [01] is lost with the input of rank", ended.err)
    check(len(said) == lost * (9 - ranks), f"{name}: not every rank says what is lost: {ended.err}")


# A failure before its input has two copies: every other rank reports the loss. Later nothing is lost. A failure of a node
# is detected in the one or the other way, in each role in both.
for number, rank in enumerate((0, 1, 3, 7, 8)):
    for (at, lost), (on_failure, detect) in zip((("1ms", 2), ("100ms", 0)), (SILENT, ERROR) if number % 2 else (ERROR, SILENT)):
        check_failure(f"failure of node {rank} at {at}, {detect}", lost, 1, failing(rank, at, on_failure), "--detect", detect)
    check_failure(f"failure of rank {rank}", 0, 1, target, "--fail", f"{rank}@100ms")
# Two failures at once: with a third copy nothing is lost.
for nodes in ([0, 1], [7, 8], [3, 4], [0, 8]):
    check_failure(f"failures of {nodes}", 0, 2, failing(nodes, "150ms", "silent"), "--copies", 3)


def check_end(name, count, nodes, on, *options):
    """Checks that each of `count` reductions is right, or reported as lost, with the inputs of some of `nodes`, by
    all others."""
    ended = emulated(9, on, *options, seconds=60)
    right, lost = right_and_lost(ended)
    check(right + lost == count, f"{name}: {ended.said}")
    said = re.findall(r": reduction \d is lost with the input of rank ([\d, ]+)$", ended.err, re.MULTILINE)
    check(all(int(rank) in nodes for inputs in said for rank in inputs.split(",")), f"{name}: other inputs are lost: {ended.err}")
    check(len(said) == lost * (9 - len(nodes)), f"{name}: not every rank says whose input is lost: {ended.said}")
    return right


# Failures of the dealer and both deputies, and of all but two ranks: a remaining rank detects it, and none waits forever.
instants, ways = itertools.cycle(("5ms", "60ms", "120ms")), itertools.cycle((SILENT, ERROR))
for nodes in ([6, 7, 8], [0, 1, 2, 3, 4, 5, 6], [2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 5, 6, 7, 8], [0, 1], [0, 8], [7, 8], [3, 4],
              [3, 5]):
    for at, (on_failure, detect) in itertools.islice(zip(instants, ways), 2):
        check_end(f"failures of {nodes} at {at}, {detect}", 2, nodes, failing(nodes, at, on_failure), *failed,
                  "--detect", detect)
name = "failure of the dealer and its deputies"
right = check_end(name, 2, [6, 7, 8], failing([6, 7, 8], "150ms", "silent"), *failed, "--copies", 4)
check(right > 0, "four copies, three failures: all is lost")
# The heir fails after the root; finished segments of a long vector exist at these two ranks only.
for at in (1500, 2500, 3500):
    heir = f'[[event]]\nnode = 1\nat = "{at + 5}ms"\nkind = "fail"\n'
    check_end(f"failures of root and heir after {at} ms", 1, [0, 1], failing(0, f"{at}ms", "silent", heir), "--sizes", "12MiB",
              "--time-limit", "5s", "--heartbeat", "1s")
# Detection by silence, although MPI reports the failure earlier: the same program.
check_failure("an error where silence is looked for", 0, 1, failing(7, "100ms", "error"))
# A rank that asks, or is asked, during a reduction much longer than the limit is not assumed to have failed.
ended = all_right(1, emulated(9, target, "--sizes", "1MiB", "--cost-per-byte", "1us", "--heartbeat", "50ms",
                              "--time-limit", "400ms"))
check("failed" not in ended.err, f"held for failed: {ended.err}")
# After any failure, also before the first reduction, in a communicator made by MPIX_Comm_shrink.
for rank in (0, 1, 3, 8):
    ended = emulated(9, failing(rank, "1ms", "error"), "--sizes", "256KiB", "--repeat", 3, "--detect", "errors", "--shrink",
                     seconds=60)
    check(": 2 right, 1 lost" in ended.out, f"shrink, rank {rank}: {ended.said}")
    check("reduce: 1 rank failed" in ended.err.splitlines(), f"shrink, rank {rank}: nobody has noticed: {ended.err}")
all_right(1, emulated(9, failing(3, "1us", "error"), "--sizes", "256KiB", "--detect", "errors", "--shrink", seconds=60))


# --- inputs at risk are stored first
def stored(*risk):
    """The instants at which the inputs of rank 4 and of the last rank were stored twice."""
    all_right(1, emulated(9, target, "--sizes", "1MiB", "--at-once", 4, "--stored", "--timings", timings, *risk))
    times = [float(field) for field in timings.read_text().split("\n")[0].split("\t")[7:] if field]
    return times[4], max(times)


usual, usual_last = stored()
first, last = stored("--risk", 4)
check(first < 0.9 * usual and last < 1.2 * usual_last,
      f"--risk: stored at {first} s, of {last}; without it at {usual} s, of {usual_last}")
# The same rank by a history: equal times, except for the exchange of the nodes' names.
history = write("history", "# node, failures\nnode4 2\n  elsewhere 7\n")
check(abs(stored("--risk", history)[0] - first) < 1e-6, "--risk with a history is not --risk 4")

# A deputy fails, and the dealer, under load, makes its blocks for longer than the limit: other ranks hear from it
# meanwhile, and it hears the answers of all others, so it may assume no failure.
fast = (target.parent / "ethernet-100g-64.toml").read_text().split("[[node]]")[0]
busy = write("busy.toml", re.sub("^compute = .*", 'compute = "declared"', fast, flags=re.MULTILINE) + f"""[[node]]
count = 16
[[load]]
nodes = {list(range(16))}
mean = 3
period = "10ms"
seed = 7
[[event]]
kind = "fail"
node = 14
at = "14ms"
""")
ended = all_right(1, emulated(16, busy, "--sizes", "1MiB", "--at-once", 4, "--cost-per-byte", "0.3ns", "--heartbeat", "1ms",
                              "--time-limit", "5ms"))
check("reduce: 1 rank failed" in ended.err, f"a busy dealer: {ended.err}")
# Reductions that start after the failure continue without that input, or are lost with it.
for option, said in (("--leave-out", "2 right, 1 lost"), ("--copies=2", "0 right, 3 lost")):
    ended = emulated(9, failing(3, "5ms", "error"), "--sizes", "256KiB", "--repeat", 3, "--detect", "errors", option)
    check(f": {said}" in ended.out, f"{option}: {ended.said}")


# --- natively
def native_failure(at):
    """The instant of the failure depends on the host, but every reduction is right or lost, and none is lost without
    a failure."""
    ended = native(4, "--sizes", "64KiB", "--at-once", 3, "--repeat", 2, "--fail", f"1@{at}")
    right, lost = right_and_lost(ended)
    check(right + lost == 6, f"native failure at {at}: {ended.said}")
    check(lost == 0 or "reduce: 1 rank failed" in ended.err.splitlines(), f"lost without a failure: {ended.said}")
    return right, lost


native_failure("1ms")
right, lost = native_failure("0ms")
check(right == 0, "a worker that fails at once has stored its input")
right, lost = native_failure("1000s")
check(lost == 0, "nobody fails in time, and something is lost")

for text, options in (
        ("--algorithms 'ring': expected some of task, ", ("--algorithms", "ring")),
        ("--sizes '12B': expected sizes like 128KiB, multiples of 8 bytes", ("--sizes", "12B")),
        ("--root '3': expected a whole number from 0 to 2", ("--root", 3)),
        ("--fail '3@1s': expected R@TIME: a rank from 0 to 2", ("--fail", "3@1s")),
        ("only --algorithms task survives", ("--fail", "1@1s", "--algorithms", "task,mpi")),
        ("expected a longer time than --heartbeat's", ("--time-limit", "1ms")),
        ("--heartbeat: expected a time above 0", ("--heartbeat", 0)),
        ("do not keep the order of ranks", ("--operation", "affine", "--algorithms", "binomial")),
        ("expected a run without --fail", ("--stored", "--fail", "1@1s")),
        ("--risk '1,3': expected ranks from 0 to 2", ("--risk", "1,3")),
        (f"--risk {re.escape(str(folder))}/none: cannot be read", ("--risk", folder / "none")),
        ("--shrink: expected --algorithms task and --detect errors", ("--shrink",)),
        ("cannot be written", ("--timings", folder / "none" / "x"))):
    refused(text, mpirun, "-n", 3, reduce, *options, program="reduce")
print("ok")
