#!/usr/bin/env python3
"""hybrid_test.py EMU PROGRAM...: concurrent work of several threads of a rank takes as long as the longest of them, but no
less than their sum divided by the number of cores. The programs are found by their names.

IN_FRONT in the environment: a command that starts the programs (scripts/sanitize)."""
import json
import os
import pathlib
import sys

tests = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(tests))
from commands import check, folder, run, write  # noqa: E402

emu = pathlib.Path(sys.argv[1]).resolve()
programs = {path.name: path for path in map(pathlib.Path, sys.argv[2:])}
for name in [name for name in os.environ if name.startswith("EMU_")]:
    del os.environ[name]
IN_FRONT = os.environ.get("IN_FRONT", "").split()
SANITIZED = os.environ.get("SANITIZED")
SPINS = "second of CPU time"  # in the warning about a thread that spins
# A run without disturbance, and runs on several nodes of the host, and with ranks that are delayed on the host at times.
NODES = ({}, {"EMU_NODES": 2})
JITTERS = ({}, {"EMU_JITTER": 200})
HOSTS = [nodes | jitter for nodes in NODES for jitter in JITTERS]


def target(nodes, compute, cores=""):
    return write("target.toml", run("bash", "-c", '. "$0"; small_target "$@"', tests / "small_target.bash", nodes, compute,
                                    "50us", "0us", "1us", "2us", cores).out)


def play(name, of, *options, environment=None):
    """The run of a program on as many ranks as the target has nodes: its lines, and the messages of emu."""
    ranks = of.read_text().split("count = ")[1].split()[0]
    ended = run(emu, "run", "-n", ranks, "--target", of, *options, *IN_FRONT, programs[name].resolve(), environment=environment,
                seconds=100)
    return ended.out.splitlines(), ended.err


def prints(expected, name, of, *options, environment=None):
    """Checks the lines of the program's output. Returns the messages of emu."""
    lines, messages = play(name, of, *options, environment=environment)
    check(lines == expected, name, environment or "", "printed", lines, "in place of", expected)
    return messages


def work_of_several_threads():
    """Microseconds of one thread alone, of three rounds of four, and of one alone. Measured time is added to declared
    time."""
    for cores, expected in (("cores = 1", "1000 8000 10000 3000 5000"), ("cores = 2", "1000 4000 5000 3000 5000"),
                            ("cores = 3", "1000 2666 4000 3000 5000"), ("cores = 4", "1000 2000 4000 3000 5000"),
                            ("cores = 9", "1000 2000 4000 3000 5000"), ("", "1000 2000 4000 3000 5000")):
        messages = prints([f"0: {expected}", f"1: {expected}"], "hybrid", target(2, "declared", cores))
        check("warning" not in messages, cores, messages)
        lines, _ = play("hybrid", target(2, "measured", cores))
        least = list(map(int, expected.split()))
        values = [list(map(int, line.split()[1:])) for line in lines]
        check(len(values) == 2 and all(a >= b for of in values for a, b in zip(of, least, strict=True)), f"measured, '{cores}':",
              lines)


def measured_work():
    """200 ms of CPU time together, divided by the cores; at most 1 % less, the accuracy for work in such pieces, and less
    than the work of another thread more. With a sanitizer the meter is another one, and its values are not checked."""
    for cores, least, most in ((1, 198, 250), (2, 99, 125), (4, 49.5, 62.5)):
        lines, _ = play("measured", target(2, "measured", f"cores = {cores}"))
        check(lines and (SANITIZED or all(least <= float(line.split()[0]) < most for line in lines)), f"measured, {cores} cores:", lines,
              f"ms, not {least} to {most}")


def threads_that_call():
    """Rank 0 has rank 2's message of 10 ms 2 + 1 + 50 + 2 us later, whatever its other thread does meanwhile. Rank 1 has
    that thread's messages of 5 ms, and of 1 ms later. Declarations of three threads take 4 ms, on two cores
    (3 + 4 + 4) / 2."""
    trace, events = folder / "trace", folder / "events.json"
    for cores, declared in (("", 4000), ("cores = 2", 5500)):
        for jitter in JITTERS:
            messages = prints([f"0: 10055 {declared} 2000", "1: 5053 6054"], "multiple", target(3, "declared", cores), "--trace",
                              trace, environment=jitter)
            check("warning: several threads of rank 0 called MPI" in messages, "no warning:", messages)
            # Both threads' actions belong to one rank in the trace, in the order of its clock.
            run(emu, "report", trace)
            run(emu, "trace", trace, "--perfetto", events)
            json.loads(events.read_text())
            check(events.read_text().count("MPI_Send") >= 5, "not all sends are in the trace")


def a_thread_that_waits_in_the_system():
    """A thread that never calls, and waits in the system, delays no rank: rank 0 has rank 2's message of 10 ms 1 + 50 + 2 us
    later, and rank 1 the message that rank 0 then sent."""
    prints(["10053 10106"], "blocked", target(3, "declared"))


def a_thread_that_sleeps():
    """It sleeps on the target, concurrently with the other thread's actions; the causes of the finish show this."""
    trace, record, report = folder / "trace", folder / "run.json", folder / "report.json"
    for host in HOSTS:
        prints(["6106 7106 10000 26107"], "asleep", target(2, "declared"), "--trace", trace, "--json", record, environment=host)
        run(emu, "report", trace, "--json", report)
        of_run, of_report = (json.loads(path.read_text())["critical_path"] for path in (record, report))
        check(of_run["picoseconds"] == of_report["causes"], host, of_run, of_report)
        check(of_run["picoseconds"]["sleep"] == 20_000_000_000, host, of_run)


def a_thread_that_naps():
    """It naps between its tests, and continues while another thread waits for a semaphore."""
    for host in HOSTS:
        prints(["6002 7503"], "napping", target(2, "declared"), environment=host)


def threads_that_are_awake():
    """Threads that never call do not delay a thread that calls, though one is always awake. None is taken for a spinning
    thread."""
    for host in (HOSTS[0], HOSTS[-1]):
        lines, messages = play("watched", target(2, "declared"), environment=host)
        check(lines and all(int(line.split()[0]) >= 5553 for line in lines), "watched:", host, lines)
        check(SPINS not in messages, host, messages)


def a_thread_that_spins():
    """It spins until the waiting thread has received, and delays no rank: rank 0 gets rank 2's message of 10 ms, and rank 1
    the one of 1 us later. With measured work, spinning counts as work, and no assumption is needed."""
    for nodes in NODES:
        messages = prints(["10053 10054"], "spinning", target(3, "declared"), environment=nodes)
        check("warning: a thread of " in messages and SPINS in messages, "no warning:", messages)
    lines, messages = play("spinning", target(3, "measured"))
    first, second = map(int, lines[-1].split())
    check(first >= 10053 and second >= 10054, "spinning, measured:", lines)
    check(SPINS not in messages, messages)


work_of_several_threads()
measured_work()
threads_that_call()
a_thread_that_waits_in_the_system()
a_thread_that_sleeps()
a_thread_that_naps()
threads_that_are_awake()
a_thread_that_spins()
