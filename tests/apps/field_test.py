#!/usr/bin/env python3
"""field_test.py MPIRUN EMU PATTERNS COLUMNS ROWS GRID: the programs that were measured on clusters."""
import os
import pathlib
import re
import sys

tests = pathlib.Path(__file__).parents[1]
sys.path += [str(tests), str(tests.parent / "scripts" / "experiments")]
from clusters import pcad  # noqa: E402
from commands import check, folder, run, write  # noqa: E402

mpirun, emu, patterns, columns, rows, grid = (pathlib.Path(name).resolve() for name in sys.argv[1:7])
os.chdir(folder)

# L = 1000 ps, o_s = 100 ps, o_r = 200 ps, G = 1 ps. All ranks leave a barrier of a power of two at one instant.
TARGET = """name = "closed form"
compute = "declared"
[network]
latency = "1000ps"
gap_per_byte = "1ps"
eager_limit = "unlimited"
send = { fixed = "100ps" }
receive = { fixed = "200ps" }
[[node]]
count = 8
"""
target = write("target.toml", TARGET)


def emulated(ranks, *command, of=target, code=0):
    return run(emu, "run", "-n", ranks, "--target", of, *command, seconds=60, code=code)


def refused(text, ranks, *command):
    """Checks that the program fails, with a message that contains `text`."""
    ended = emulated(ranks, *command, code=None)
    check(ended.code != 0, "accepted:", ended.command)
    check(text in ended.err, f"no '{text}': {ended.command}: {ended.err}")


def takes(picoseconds, what, ended, column):
    """Compares the seconds in the output's column with the closed form."""
    got = round(float(ended.out.split()[column]) * 1e12)
    check(got == picoseconds, f"{what}: {got} ps in place of {picoseconds}")


def patterns_take():
    def slowest(name, length, ranks, picoseconds):
        case = f"{name} {length} {ranks} 1 0"
        takes(picoseconds, case, emulated(ranks, patterns, write("cases", case + "\n")), 3)

    slowest("nwaydissemination_nocompute", 101, 8, 3 * 1400)
    slowest("nwaydissemination", 101, 8, 3 * 1400 + 2 * 101_000)  # 101 ns of work before the second and the third step
    slowest("pipelinedring", 404, 4, 4 * 1400)
    slowest("sendrecv_same", 101, 8, 1400)
    ended = run(mpirun, "-n", 4, patterns, write("cases", "linear_alltoall 8 4 2 1\n"), seconds=60)
    check(re.search(r"^linear_alltoall 8 4( [0-9.]+){3}$", ended.out, re.MULTILINE), "patterns natively:", ended.out)
    for case, text in (("walk 1 1 1 0", "unknown pattern"), ("send 1 9 1 0", "invalid number of ranks"),
                       ("send -1 2 1 0", "invalid number of bytes"),
                       ("send 1 2 1 3", "invalid start: 3 (expected 0, 1 or 2)")):
        refused(text, 8, patterns, write("bad", case + "\n"))


def columns_are_dealt():
    """Two slaves of one speed share 40 columns by factoring: 10 10 and so on; both have half of them."""
    run(columns, "--table", "table-40", "--size", 40, "--iterations", 100)
    deal = write("deal", "a fss 40 1 1,1 0 0 1000 1\n")
    ended = emulated(3, columns, "--cases", deal, "--table", "table")
    check(re.search(r"^a 0 0\.[0-9]*( 20/[0-9]*/[0-9.]*){2}$", ended.out, re.MULTILINE), "columns:", ended.out)
    share = pcad.share_of_work(ended.err)
    check(0.9 < share <= 1, f"the share of work is {share}:", ended.err)
    write("deal", "a fss 40 1 1 0 0 1000 1\n")
    refused("invalid number of powers: 1 (expected 2", 3, columns, "--cases", deal, "--table", "table")


def rows_are_dealt():
    """Four rows of 4 points, 219 iterations of 1 ps in all. A message of 4 bytes takes 100 + 1003 + 200 ps."""
    run(rows, "--table", "image-4", "--size", 4, "--iterations", 50, "--same", "real")

    def of(case):
        return rows, "--cases", write("image", case + "\n"), "--table", "image"

    # A master and a slave.
    for scheme, picoseconds in (
            ("dynamic", 4 * (1303 + 1303 + 200) + 219 + 100),  # the last 100 ps stop the slave
            ("again", 4 * (1303 + 1303 + 200) + 219 + 100),
            ("tagged", 4 * (1303 + 1303) + 219 + 100),
            ("static", 4 + 100 + 1003 + 8 * 200),  # the first row, and the receives of all
            ("with-master", 151 + 7 + 1303 + 3 * 200)):
        takes(picoseconds, scheme, emulated(2, *of(f"a {scheme} 4 0.001")), 1)
    refused("image-5: not a table of the iterations of 5 ", 2, *of("a dynamic 5 1"))
    refused('unknown scheme: "fair" (expected dynamic', 2, *of("a fair 4 1"))


def grids_take():
    """The last barrier has a round of 1300 ps for each doubling of the ranks. Without a gap per byte ranks leave the
    communicator's creation, and so the barriers, at one instant."""
    gapless = write("gapless.toml", TARGET.replace('gap_per_byte = "1ps"', 'gap_per_byte = "0ps"'))

    def of(case):
        return grid, "--cases", write("grid", f"a {case}\n")

    for ranks, case, picoseconds in (
            (8, "jacobi 2 1 10", 1000 + 6 * (80 + 1300 + 80) + 3 * 1300),  # a point of 1 ns, and six faces of 8 bytes
            (2, "ring", 2 * (1300 + 200) + 1300),
            # A synchronous send to a rank that waits takes 2600 ps, and its receive, with the answer, 1400 ps. Rank 0 has
            # received at 4000 ps, and sends until 9300 ps; at first rank 1 receives 100 ps late. Each further step takes
            # 8200 ps.
            (2, "ring-in-turn", 9300 + 8200 + 1300)):
        takes(picoseconds, case, emulated(ranks, *of(case), of=gapless), 1)
    refused("grid:1: expected NAME jacobi", 2, *of("torus"))


patterns_take()
columns_are_dealt()
rows_are_dealt()
grids_take()
