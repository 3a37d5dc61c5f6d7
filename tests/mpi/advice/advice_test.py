#!/usr/bin/env python3
"""advice_test.py MPIRUN EMU ADVICE CONFIG: emu_advise natively and emulated, with good and bad arguments."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from commands import check, run  # noqa: E402

mpirun, emu, advice, config = (pathlib.Path(name).resolve() for name in sys.argv[1:5])


def emulated(*arguments):
    return run(emu, "run", "-n", 4, "--target", config / "fast-ethernet-64.toml", advice, "mpi", *arguments, code=None).out


def seconds(answer):
    return float(answer.split()[-1])


def is_equal(got, wanted):
    check(got == wanted, repr(got), "in place of", repr(wanted))


# Natively with and without MPI: 1000 ms for three workers; each asks for a chunk, at most 5 us, 5 us and 20 us a chunk,
# and to end.
native = run(advice, "plain").out
is_equal(run(mpirun, "-n", 4, advice, "mpi").out, native)
check(1 / 3 <= seconds(native) < 1 / 3 + 1e-3, "natively", native)
# On a target a message costs more: 50 us of latency, 12.8 us of overhead at either side.
slow = emulated()
check(seconds(native) < seconds(slow) < seconds(native) + 5e-3, "emulated", slow, "natively", native)
is_equal(emulated(), slow)

is_equal(emulated("workers"),
         "1: invalid number of workers: 4 (expected at most 3, the ranks of MPI_COMM_WORLD without the master)\n")
is_equal(emulated("ranks"), "1: invalid ranks[2]: 9 (expected 0 to 3)\n")
is_equal(run(advice, "plain", "cut").out, "1: invalid number of iterations: -1 (expected 0 to 2147483647)\n1 invalid\n")
