#!/usr/bin/env python3
"""program_clocks_test.py MPIRUN EMU LIBEMU TARGET FOLDER: the program's clocks, and the time that is charged as work.

FOLDER contains the programs. TARGET declares compute; copies of it measure compute."""
import multiprocessing
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from commands import check, run, write  # noqa: E402

mpirun, emu, libemu, target, programs = (pathlib.Path(name).resolve() for name in sys.argv[1:6])
for name in ("EMU_TARGET", "EMU_RECORD", "EMU_STATUS", "EMU_HOST_CLOCKS"):
    os.environ.pop(name, None)


def by_mpirun(ranks, program, *options, **environment):
    """A run of one of the programs, with these variables of the environment."""
    return run(mpirun, "-n", ranks, *options, programs / program, environment=environment, seconds=60)


def by_emu(ranks, of, program, *arguments, options=()):
    return run(emu, "run", "-n", ranks, "--target", of, *options, programs / program, *arguments, seconds=60)


def measuring(name, **values):
    """A copy of the target that measures compute, with other values of keys."""
    text = target.read_text()
    for key, value in {"compute": '"measured"', **values}.items():
        text, changes = re.subn(rf"^{key} = .*", f"{key} = {value}", text, flags=re.MULTILINE)
        check(changes, "the target lacks", key)
    return write(name, text)


def numbers(ended):
    """The lines of the program's output: a word, and numbers."""
    lines = [line.split() for line in ended.out.splitlines() if not line.startswith("emu:")]
    return [(line[0], *map(float, line[1:])) for line in lines]


def clocks_show_virtual_time():
    """Clocks show virtual time, or the host's time by an option or by the environment."""
    for ranks in (1, 2):
        by_mpirun(ranks, "clocks", EMU_TARGET=target)
    by_emu(2, target, "clocks")
    by_emu(2, target, "clocks", "host", options=["--host-clocks"])
    run(mpirun, "-n", 1, programs / "clocks", "host", environment={"EMU_HOST_CLOCKS": 1, "EMU_TARGET": target}, seconds=60)
    by_mpirun(1, "clocks", EMU_HOST_CLOCKS=0, EMU_TARGET=target)
    by_mpirun(1, "clocks_cxx", EMU_TARGET=target)
    # In signal handlers, in threads that never call MPI, and after MPI_Finalize.
    for ranks in (1, 3):
        by_mpirun(ranks, "clocks_outside", EMU_TARGET=target)


def work_is_charged(host_speed, speed, program, work, least, most):
    """`work`: the charge for a second of work. `least`, `most`: of the last part. A sleep takes its nominal time, at any
    speed."""
    where = f"{program}, host {host_speed}, target {speed}:"
    of = measuring("speeds.toml", host_speed=host_speed, speed=speed)
    charged, slept, last = map(float, by_mpirun(1, program, EMU_TARGET=of).out.split()[:3])
    check(0.8 * work <= charged <= 1.3 * work, where, f"work is charged as {charged}, not {work}")
    check(0.3 <= slept <= 0.3 + 0.05 * work, where, f"a sleep of 0.3 s takes {slept}")
    check(least <= last <= most, where, f"the last part takes {last}, not {least} to {most}")


def processes_are_charged(cores, share):
    """The CPU time of other processes counts when the program waits for them. If two ran at once, the longer one counts,
    or on one core their sum: `share` of both. A sleep of the program between two polls by waitpid counts, too."""
    of = measuring("children.toml", host_speed=2.0, speed=4.0)
    of.write_text(re.sub("^count = .*", rf"\g<0>\n{cores}", of.read_text(), flags=re.MULTILINE))
    lines = numbers(by_mpirun(1, "children", EMU_TARGET=of))
    check(len(lines) == 10, f"{len(lines)} lines of 10")
    for way, charged, cpu, own in lines:
        least, most = 0.5 * cpu, 0.5 * (cpu + own) * 1.1 + 1e-3
        if way == "both":
            least, most = share * least, 0.9 * most if share < 1 else most
        check(least - 1e-6 <= charged and (charged <= most or way == "waitpid"), f"{cores}: {way}: charged are {charged} s",
              f"for {cpu} s of CPU time, not {least} to {most}")


def pieces_are_charged(ranks):
    """Known work in pieces between calls: the charge equals the time without calls. The meter's own time exceeds the
    shortest pieces here. The loop of empty calls has code of its own: some 20 ns for each poll of 1 us, by the host."""
    percent = {"1": 10, "10": 3, "100": 1}
    lines = dict(numbers(by_emu(ranks, measuring("measured.toml"), "pieces")))
    empty = lines.pop("empty", 0)
    check(-1e-9 <= empty <= 0.04, f"a loop of empty calls is work for {empty} of its time")
    check(lines.keys() == percent.keys(), "pieces of", *lines)
    for length, part in lines.items():
        check(abs(part - 1) <= percent[length] / 100,
              f"pieces of {length} us on {ranks} ranks: charged are {part} of their time")


def spin():
    while True:
        pass


def pieces_are_charged_under_load():
    """With other processes that use all free time."""
    hogs = [multiprocessing.Process(target=spin, daemon=True) for _ in range(2)]
    for hog in hogs:
        hog.start()
    pieces_are_charged(4)
    for hog in hogs:
        hog.kill()
        hog.join()


def declared_work_replaces_measured_work():
    """Until then no rank acts as if the working rank had advanced."""
    for program in ("replaced", "replaced_exporting"):
        ended = by_emu(3, measuring("measured.toml"), program)
        check(re.search("^(02 ){19}02$", ended.said, re.MULTILINE),
              f"{program}: work that is replaced was counted on: {ended.said}")


def the_interface_needs_no_libemu():
    """One source without libemu, natively with it, and preloaded."""
    preload = ["-genv", "LD_PRELOAD", libemu]
    for program in ("plain_c", "plain_cxx"):
        for options, environment, line in (([], {}, "active 0, time passed 0"),
                                           (preload, {"EMU_TARGET": target}, "active 1, time passed 1"),
                                           (preload, {}, "active 0, time passed 0")):
            ended = by_mpirun(1, program, *options, **environment)
            check(line in ended.said.splitlines(), program, *options, *environment, "lacks", line, ended.said)


clocks_show_virtual_time()
work_is_charged(1.0, 1.0, "measured", 1, 0.08, 0.5)
work_is_charged(2.0, 1.0, "measured", 2, 0.16, 1)
work_is_charged(1.0, 4.0, "measured", 0.25, 0.02, 0.125)
work_is_charged(1.0, 1.0, "measured_declares", 1, 50, 50.001)
work_is_charged(1.0, 4.0, "measured_declares", 0.25, 12.5, 12.501)
processes_are_charged("", 0.5)
processes_are_charged("cores = 1", 1)
declared_work_replaces_measured_work()
pieces_are_charged(1)
pieces_are_charged(64)  # more ranks than cores
pieces_are_charged_under_load()
the_interface_needs_no_libemu()
