"""Cost of emulation on this machine, compared with SimGrid SMPI and plain mpirun."""
import argparse
import json
import math
import os
import re
import shutil

import experiment
from against import against
from experiment import EMU, FAST_ETHERNET, MASE, WORK, read, write
from replay import part_replay
from samples import Samples, emulated, rounds_of, row, verdict
from smpi import build_round_trips, build_smpi, platform, smpi

TEXT = """\
Builds, and measures the cost of emulation. Prints medians of the rounds; in each round the contenders run in turn. The
default is all parts:
  smpi     64 ranks, 1,048,576 round trips: emulated on one core, and under SimGrid SMPI, which uses one core
  native   64 ranks, 200,704 round trips: emulated, and by plain mpirun
  compute  2 ranks that mostly compute, and 9 ranks with tasks of 0.25 s: emulated, and by plain mpirun
  scale    16 to 1024 ranks, with --large up to 10,000: start and end, memory per rank, CPU time per message; start and
           end also by mpirun and SMPI
  launch   64 ranks, 200,704 round trips: on all cores and on one, by emu run and by mpirun
  trace    64 ranks, a million messages: emulated with --trace and without; the size of the report's page
  checks   share of the library's checks in the CPU time per message of 64 ranks
  polling  a million false answers of MPI_Iprobe: to one rank while another computes, and to each of 64 ranks at once
  record   2 ranks, natively: five programs with the recorder of skeletons (emu skeleton record) and without; and a
           ping-pong, which only communicates
  shapes   CPU time per request, put or unexpected message with n and with 10 n of them; a put of a column, compared with
           a contiguous put; the memory that remains after a message has passed 8 ranks
  contention  64 and 1,024 ranks: CPU time per message with a fat tree of shared links, and without
  replay   GOAL schedules of 64 to 16,384 ranks, with --loggopsim also under LogGOPSim
  one-sided  63 ranks draw 100,000 numbers from a counter at a rank that computes: CPU time per number, compared with a
           round trip
"""

ROUND_TRIPS, CHECKS = "build/tests/host/scale/round_trips", "build/tests/host/scale/checks"
KERNELS = "build/apps/kernels/kernels"
COUNTER, SHAPES = "build/tests/mpi/one_sided/counter", "build/tests/host/scale/shapes"
# Ranks of plain mpirun spin: hundreds of them on few cores take minutes. A run is given up after this many seconds, and
# runs with more ranks are not started.
PATIENCE = 150


def mase(size, *more):
    return [MASE, "--size", str(size), *more]


def part_smpi(samples, rounds):
    out, ranks, short, long = samples.out, 64, 32, 1024
    target = experiment.target_values(FAST_ETHERNET)
    build_smpi(out)
    platform(out, target, ranks)
    print(f"mase, {ranks} ranks, {long * long} round trips; CPU per round trip: less a run of {short * short}")
    said = ""
    for _ in rounds_of(rounds):
        for size in (short, long):
            samples.measure(f"emulated-{size}",
                            *emulated(out, ranks, FAST_ETHERNET, *mase(size, *WORK), options=["--cores", "1"]))
            said, _ = samples.measure(f"SMPI-{size}", *smpi(out, target, ranks, "mase-smpi", *mase(size, *WORK)[1:]))
    each = {name: samples.cpu_per(f"{name}-{short}", f"{name}-{long}", long * long - short * short)
            for name in ("emulated", "SMPI")}
    for name, value in each.items():
        row(name, samples.median(f"{name}-{long}", "wall"), samples.median(f"{name}-{long}", "cpu"), value,
            "round trip")
    simulated = re.search(r"Simulated time: ([0-9.]+) seconds", said)
    print(f"  predicted: {json.loads(read(f'{out}/last.json'))['predicted_seconds']} s; "
          f"SMPI: {simulated[1] if simulated else 'unknown'} s")
    verdict("CPU per round trip, emulated / SMPI", each["emulated"] / each["SMPI"], 0.2)
    print(f"  {'CPU of the whole run, start included, emulated / SMPI':62} "
          f"{samples.ratio(f'emulated-{long}', f'SMPI-{long}', 'cpu'):10.3f}")
    verdict("wall time of the whole run, emulated / SMPI", samples.ratio(f"emulated-{long}", f"SMPI-{long}", "wall"), 1)


# Plain mpirun.

def mpirun():
    return shutil.which("mpirun.mpich") or shutil.which("mpirun")


def part_native(samples, rounds):
    ranks, size = 64, 448
    print(f"mase, {ranks} ranks, {size * size} round trips")
    for _ in rounds_of(rounds):
        samples.measure("native-emu", *emulated(samples.out, ranks, FAST_ETHERNET, *mase(size)))
        samples.measure("native-mpi", mpirun(), "-n", str(ranks), *mase(size))
    for name, text in (("native-emu", "emulated"), ("native-mpi", "mpirun")):
        cpu = samples.median(name, "cpu")
        row(text, samples.median(name, "wall"), cpu, cpu / size / size * 1e6, "round trip")
    verdict("wall time, emulated / mpirun", samples.ratio("native-emu", "native-mpi", "wall"), 1)


def part_compute(samples, rounds):
    """On a target like the usual one, with compute measured, not declared."""
    target = f"{samples.out}/measured.toml"
    write(target, re.sub(r"^compute = .*", 'compute = "measured"', read(FAST_ETHERNET), flags=re.M))
    # Inside the set all pixels cost the same time: a quarter of a second for a task.
    inside = ["--region", "-0.1,-0.1,0.1,0.1"]
    for ranks, tasks, limit, program in (
            (2, 1024, 1.05, mase(1024, "--task", "1024", "--iterations", "6000")),
            (9, 32, 1.1, mase(1024, "--task", "32768", "--iterations", "3000", *inside))):
        print(f"mase, {ranks} ranks, {tasks} tasks, work measured")
        emu, mpi = f"compute-{ranks}-emu", f"compute-{ranks}-mpi"
        for _ in rounds_of(rounds):
            samples.measure(emu, *emulated(samples.out, ranks, target, *program))
            samples.measure(mpi, mpirun(), "-n", str(ranks), *program)
        for name, text in ((emu, "emulated"), (mpi, "mpirun")):
            cpu = samples.median(name, "cpu")
            row(text, samples.median(name, "wall"), cpu, cpu / tasks * 1e6, "task")
        verdict("wall time, emulated / mpirun", samples.ratio(emu, mpi, "wall"), limit)


def part_scale(samples, rounds):
    """Runs with `trips` round trips, at whose end the memory is measured, and runs without any."""
    series = [16, 64, 256, 1024] + ([4096, 10000] if samples.large else [])
    trips = 512 * 512
    late = {"mpi": math.inf, "smpi": math.inf}  # the least number of ranks that did not start in time
    out, target = samples.out, f"{samples.out}/many.toml"
    write(target, re.sub(r"^count = .*", f"count = {series[-1]}", read(FAST_ETHERNET), flags=re.M))
    values = experiment.target_values(target)
    build_round_trips(out)
    print(f"{' '.join(map(str, series))} ranks: {trips} round trips; only start and end")
    for number in range(1, rounds + 1):
        for ranks in series:
            print(f"  round {number} of {rounds}, {ranks} ranks", flush=True)
            name = f"scale-{ranks}"
            # round_trips prints the CPU time per message and the memory of a rank.
            said, _ = samples.measure(name, *emulated(out, ranks, target, ROUND_TRIPS, str(trips), "memory"))
            message, private, shared, tables = map(float, said.split()[:4])
            samples.add(name, message=message, private=private, shared=shared, tables=tables)
            samples.measure(name + "-start", *emulated(out, ranks, target, ROUND_TRIPS, "0"))
            platform(out, values, ranks)
            for other, command in (("mpi", [mpirun(), "-n", str(ranks), ROUND_TRIPS, "0"]),
                                   ("smpi", smpi(out, values, ranks, "round-trips-smpi", "0"))):
                if ranks >= late[other]:
                    continue
                _, code = samples.measure(f"{name}-{other}", "timeout", str(PATIENCE), *command,
                                          may_end_with=range(256))
                if code != 0:
                    late[other] = ranks
    print_scale(samples, series, late)


def print_scale(samples, series, late):
    print("  ranks   start and end, s: here   mpirun     SMPI   KiB a rank: private   shared   page tables   us CPU per message")
    for ranks in series:
        name = f"scale-{ranks}"
        others = [f"{samples.median(f'{name}-{other}', 'wall'):8.2f}" if ranks < late[other] else "       -"
                  for other in ("mpi", "smpi")]
        print(f"  {ranks:5}   {samples.median(name + '-start', 'wall'):22.2f} {' '.join(others)}   "
              f"{samples.median(name, 'private'):19.0f} {samples.median(name, 'shared'):8.0f} "
              f"{samples.median(name, 'tables'):13.0f}   {samples.median(name, 'message'):18.2f}")
    for other, what in (("mpi", "mpirun"), ("smpi", "SMPI")):
        if late[other] in series:
            print(f"  {what} does not end well with {late[other]} ranks, or takes more than {PATIENCE} s")
    first = samples.median(f"scale-{series[0]}", "message")
    for ranks in series[1:]:
        limit = 1.5 if ranks <= 1024 else math.log(ranks) / math.log(series[0])
        verdict(f"CPU per message of {ranks} ranks / that of {series[0]}",
                samples.median(f"scale-{ranks}", "message") / first, limit)
    for ranks, seconds in ((64, 0.5), (256, 2.5), (1024, 15)):
        verdict(f"seconds, start and end of {ranks} ranks", samples.median(f"scale-{ranks}-start", "wall"), seconds)


def part_launch(samples, rounds):
    """Cost of emu run for a job of many ranks that do little between messages."""
    ranks, tasks = 64, 200704
    program = [ROUND_TRIPS, str(tasks)]
    by_mpirun = [mpirun(), "-n", str(ranks), *program]
    with_target = {"EMU_TARGET": FAST_ETHERNET}
    contenders = [
        ("launch-all", "emu run", emulated(samples.out, ranks, FAST_ETHERNET, *program), {}),
        ("launch-one", "emu run --cores 1",
         emulated(samples.out, ranks, FAST_ETHERNET, *program, options=["--cores", "1"]), {}),
        ("launch-mpi", "EMU_TARGET=... mpirun", by_mpirun, with_target),
        ("launch-fixed", "EMU_TARGET=... setarch -R mpirun", ["setarch", "-R", *by_mpirun], with_target)]
    print(f"{ranks} ranks, {tasks} round trips, declared work; CPU per message: without start and end")
    for _ in rounds_of(rounds):
        for name, _, command, environment in contenders:
            said, _ = samples.measure(name, *command, environment=environment)
            samples.add(name, message=float(said.split()[0]))
    for name, text, _, _ in contenders:
        row(text, *(samples.median(name, kind) for kind in ("wall", "cpu", "message")), "message")


def part_trace(samples, rounds):
    """Time of the whole run, start included. The trace is written to the folder of the other files, most likely on a
    disk."""
    ranks, size = 64, 728
    record = f"{samples.out}/trace"
    print(f"mase, {ranks} ranks, {size * size} round trips, emulated with --trace and without")
    for _ in rounds_of(rounds):
        for name, options in (("untraced", []), ("traced", ["--trace", record])):
            samples.measure(name, *emulated(samples.out, ranks, FAST_ETHERNET, *mase(size, *WORK), options=options))
    for name in ("untraced", "traced"):
        cpu = samples.median(name, "cpu")
        row(name, samples.median(name, "wall"), cpu, cpu / 2 / size / size * 1e6, "message")
    verdict("wall time, with trace / without", samples.ratio("traced", "untraced", "wall"), 1.3)
    verdict("CPU time, with trace / without", samples.ratio("traced", "untraced", "cpu"), 1.3)
    page, numbers = f"{samples.out}/report.html", f"{samples.out}/report.json"
    samples.measure("report", EMU, "report", record, "-o", page, "--json", numbers)
    bytes_of_record = sum(os.path.getsize(f"{record}/{name}") for name in os.listdir(record))
    print(f"  {json.loads(read(numbers))['messages']} messages; a trace of {bytes_of_record / 1e6:.1f} MB, whose report took "
          f"{samples.median('report', 'wall'):.1f} s")
    verdict("size of the page, MB", os.path.getsize(page) / 1e6, 5)
    shutil.rmtree(record)


def part_checks(samples, rounds):
    """The checks cost some ten nanoseconds a message, far below the difference of two runs of one program: so they
    are measured alone, and the messages with them."""
    ranks, trips = 64, 200704
    print(f"{ranks} ranks, {trips} round trips, on one core; the checks' calls of a message, alone")
    for _ in rounds_of(rounds):
        said, _ = samples.measure("checked", *emulated(samples.out, ranks, FAST_ETHERNET, ROUND_TRIPS, str(trips),
                                                       options=["--cores", "1"]))
        samples.add("checked", message=float(said.split()[0]))
        said, _ = samples.measure("checks", CHECKS)
        samples.add("checks", nanoseconds=float(said))
    checks, message = samples.median("checks", "nanoseconds"), samples.median("checked", "message")
    print(f"  {checks:.1f} ns of {message:.2f} us CPU per message")
    verdict("share of the checks", checks / 1e3 / message, 0.01)


def part_polling(samples, rounds):
    """Polls of 1 us on a network of 50 us; without start and end."""
    loop, asks, target = "build/tests/mpi/polling/loop", 1000000, f"{samples.out}/polling.toml"
    write(target, re.sub(r"^latency = .*", 'latency = "50us"', read(FAST_ETHERNET), flags=re.M))
    print(f"{asks} false answers of MPI_Iprobe, a virtual second")
    parts = (("one", 2, "to rank 0 while another computes", 0.2), ("all", 64, "to each of 64 ranks", 30))
    for _ in rounds_of(rounds):
        for who, ranks, _, _ in parts:
            for count in (1, asks):
                samples.measure(f"polling-{who}-{count}", *emulated(samples.out, ranks, target, loop, str(count), who))
    for who, _, text, limit in parts:
        verdict(f"CPU seconds, {text}",
                samples.median(f"polling-{who}-{asks}", "cpu") - samples.median(f"polling-{who}-1", "cpu"), limit)


RECORDED = {"jacobi": ["--size", "400", "--rounds", "3000"], "gradient": ["--size", "400", "--rounds", "2000"],
            "multigrid": ["--size", "128", "--rounds", "4000"], "fourier": ["--size", "256", "--rounds", "500"],
            "sort": ["--size", "20000", "--rounds", "500"], "pingpong": ["--bytes", "8", "--rounds", "1000000"]}


def part_record(samples, rounds):
    """Runs a job that is started by mpirun alone, with the recorder in front of MPICH."""
    recorder = {"LD_PRELOAD": os.path.abspath("build/apps/emu/skeleton/libemu-skeleton.so"),
                "EMU_SKELETON": f"{samples.out}/recording"}
    os.makedirs(recorder["EMU_SKELETON"], exist_ok=True)
    environment = [word for key, value in recorder.items() for word in ("-genv", key, value)]
    print("2 ranks by mpirun, recorded and not")
    for _ in rounds_of(rounds):
        for kernel, words in RECORDED.items():
            program = [KERNELS, kernel, *words]
            samples.measure(f"{kernel}-alone", mpirun(), "-n", "2", *program)
            samples.measure(f"{kernel}-recorded", mpirun(), *environment, "-n", "2", *program)
    for kernel, words in RECORDED.items():
        # The minimum: other load makes two ranks on two cores slower, never faster.
        alone, recorded = (min(samples.values[f"{kernel}-{how}", "wall"]) for how in ("alone", "recorded"))
        if kernel == "pingpong":
            print(f"  {1e6 * (recorded - alone) / 4 / int(words[-1]):.3f} us per call of ping-pong")
        else:
            verdict(f"wall time of {kernel}, recorded / as it is", recorded / alone, 1.05)
    shutil.rmtree(recorder["EMU_SKELETON"])


def part_one_sided(samples, rounds):
    """MPI_Fetch_and_op and MPI_Win_flush, and a master's task with request and answer."""
    ranks, short, long = 64, 1000, 100000
    programs = {"number": COUNTER, "round trip": ROUND_TRIPS}
    print(f"{ranks} ranks on one core, {long} numbers of a shared counter, and as many round trips; less {short}")
    for _ in rounds_of(rounds):
        for what, program in programs.items():
            for count in (short, long):
                samples.measure(f"one-sided-{what}-{count}",
                                *emulated(samples.out, ranks, FAST_ETHERNET, program, str(count),
                                                                       options=["--cores", "1"]))
    each = {}
    for what in programs:
        name = f"one-sided-{what}-{long}"
        each[what] = samples.cpu_per(f"one-sided-{what}-{short}", name, long - short)
        row(what, samples.median(name, "wall"), samples.median(name, "cpu"), each[what], what)
    verdict("CPU per number / CPU per round trip", each["number"] / each["round trip"], 2)


def part_shapes(samples, rounds):
    """tests/host/scale/shapes.cc prints the CPU time for each of n objects, in ns; for a ring, the remaining bytes."""
    shapes = (("requests", "requests in MPI_Waitall", 10000), ("rendezvous", "requests with handshakes", 10000),
              ("any", "receives from any source", 10000), ("backwards", "receives, last sent first", 10000),
              ("fence", "puts in a fence", 10000), ("gets", "requests of gets in MPI_Waitall", 10000),
              ("unexpected", "unexpected messages beside one", 10000), ("long", "KiB of a message", 1000))
    target = f"{samples.out}/shapes.toml"
    write(target, re.sub(r"^eager_limit = .*", 'eager_limit = "64B"', read(FAST_ETHERNET), flags=re.M))

    def median(shape, count, ranks=2):
        name = f"shapes-{shape}-{count}"
        for _ in range(rounds):
            said, _ = samples.measure(name, *emulated(samples.out, ranks, target, SHAPES, shape, str(count),
                                                      options=["--cores", "1"]))
            samples.add(name, said=float(said.split()[0]))
        return samples.median(name, "said")

    print("CPU time of all ranks for each of n things, and of 10 n")
    for shape, what, n in shapes:
        few, many = median(shape, n), median(shape, 10 * n)
        print(f"  {what:34} {few:10.1f} ns for {n:6}  {many:10.1f} ns for {10 * n:6}", flush=True)
        verdict(f"{what}, ratio", many / few, 3)
    verdict("put of a column of 500, doubles 10,000 apart / contiguous", median("column", 10000) / median("column", 1),
            10)
    message = 32 << 20
    verdict("memory that a message leaves behind 8 ranks / its own", median("ring", message, 8) / message, 2.5)


def part_contention(samples, rounds):
    """round_trips prints the CPU time per message. Half of the messages of a tree of 16 nodes a leaf pass four
    links."""
    trips, tree = 131072, '\n[topology]\nkind = "fat-tree"\ndown = [16, 64]\ntaper = 2\nbandwidth = "100Mbit/s"\nlatency = "1us"\n'
    plain = re.sub(r"^count = .*", "count = 1024", read(FAST_ETHERNET), flags=re.M)
    targets = {"without": plain, "with": plain + tree}
    for name, text in targets.items():
        write(f"{samples.out}/contention-{name}.toml", text)
    print(f"{trips} round trips on one core, with a fat tree of shared links and without")
    for ranks in (64, 1024):
        for _ in rounds_of(rounds):
            for name in targets:
                label = f"contention-{name}-{ranks}"
                said, _ = samples.measure(label, *emulated(samples.out, ranks, f"{samples.out}/contention-{name}.toml",
                                                           ROUND_TRIPS,
                                                           str(trips), options=["--cores", "1"]))
                samples.add(label, message=float(said.split()[0]))
        shared, alone = (samples.median(f"contention-{name}-{ranks}", "message") for name in ("with", "without"))
        print(f"  {ranks} ranks: {shared:.2f} us of CPU per message with, {alone:.2f} without")
        verdict(f"CPU per message, {ranks} ranks, with / without", shared / alone, 3)


PARTS = {"smpi": part_smpi, "native": part_native, "compute": part_compute, "scale": part_scale,
         "launch": part_launch, "trace": part_trace, "checks": part_checks, "polling": part_polling,
         "record": part_record, "shapes": part_shapes, "one-sided": part_one_sided, "replay": part_replay,
         "contention": part_contention}


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=TEXT, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", metavar="N", type=int, default=3, help="rounds (3)")
    parser.add_argument("--large", action="store_true", help="scale: 4096 and 10,000 ranks too, which need 24 GiB")
    parser.add_argument("--loggopsim", metavar="FOLDER",
                        help="replay: the folder of LogGOPSim and txt2bin (github.com/spcl/LogGOPSim), built with -O2")
    parser.add_argument("--against", metavar="COMMIT",
                        help="CPU time per message of 16 ranks, start and end, and a study, here and built from that commit; "
                             "without a PART, only this")
    parser.add_argument("parts", metavar="PART", nargs="*", help=", ".join(PARTS))
    given = parser.parse_args()
    unknown = [part for part in given.parts if part not in PARTS]
    if unknown:
        parser.error(f"unknown part: {unknown[0]} (expected one of {', '.join(PARTS)})")
    if given.rounds < 1:
        parser.error("--rounds: write a whole number from 1")
    samples = Samples(experiment.prepare("bench", "--bench"))
    samples.large = given.large
    samples.loggopsim = given.loggopsim
    for part in given.parts or ([] if given.against else PARTS):
        print()
        PARTS[part](samples, given.rounds)
    if given.against:
        print()
        against(samples, given.rounds, given.against)


main()
