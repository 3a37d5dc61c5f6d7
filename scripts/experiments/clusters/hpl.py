"""HPL of taurus: a foreign program, which is built from a folder that the user has cloned, with OpenBLAS, and run with
measured compute.

The speed of a core is that of dgemm: seconds per M N K of one core of taurus (dgemm.csv), and of a core here, with
blocks of NB columns, as HPL calls it. Nothing is fitted to the runs of HPL. The input is the first of the combinations
in the authors' file: left, 2, left. Predictions are stored in hpl_predicted.csv.
"""
import ctypes
import ctypes.util
import os
import statistics
import time

from clusters import programs
from clusters.runs import Failed
from clusters.rows import KEPT, known, read_csv

NAME = "taurus"
STORED = "hpl_predicted.csv"
USUAL = {"N": "20000", "NB": "120", "Ps": "12"}
KEY = ("ranks", *USUAL)
ROWS, REPEATS = 1680, 15  # of the matrices by which dgemm is measured; of the product
ROW_MAJOR, NO_TRANSPOSITION = 101, 111

INPUT = """HPLinpack benchmark input file
one of the authors' combinations
HPL.out      output file name (if any)
6            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
{N}          Ns
1            # of NBs
{NB}         NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
{Ps}         Ps
{Qs}         Qs
16.0         threshold
1            # of panel fact
0            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
2            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
0            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
0            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
0            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
"""


def dgemm_here(columns):
    """(median, least, greatest) seconds per M N K of the product of ROWS x `columns` and `columns` x ROWS."""
    name = ctypes.util.find_library("openblas")
    if name is None:
        raise Failed("HPL needs OpenBLAS (libopenblas-dev)")
    library = ctypes.CDLL(name)
    a = (ctypes.c_double * (ROWS * columns))(*([1.5] * (ROWS * columns)))
    b = (ctypes.c_double * (ROWS * columns))(*([0.5] * (ROWS * columns)))
    c = (ctypes.c_double * (ROWS * ROWS))()
    times = []
    for _ in range(REPEATS):
        before = time.process_time()
        library.cblas_dgemm(ROW_MAJOR, NO_TRANSPOSITION, NO_TRANSPOSITION, ROWS, ROWS, columns, ctypes.c_double(-1.0),
                            a, columns, b, ROWS, ctypes.c_double(1.0), c, ROWS)
        times.append(time.process_time() - before)
    units = ROWS * ROWS * columns
    return statistics.median(times) / units, min(times) / units, max(times) / units


def dgemm_there(data):
    line = next(line for line in known(data, NAME, "dgemm.csv")
                if line["kernel"] == "dgemm" and "2300 MHz" in line["conditions"])
    return float(line["seconds_per_unit"])


def key_of(line):
    """The input of a run: ranks, size of the matrix and of a block, and rows of the grid."""
    return tuple(line[name] for name in KEY)


def size_of(line):
    """What the input has other than the usual values, for the name of a row."""
    return "".join(f" {name}={line[name]}" for name, usual in USUAL.items() if line[name] != usual)


def stored():
    """Key of the input -> line of the stored prediction."""
    path = os.path.join(KEPT, NAME, STORED)
    return {key_of(line): line for line in read_csv(path)} if os.path.exists(path) else {}


def store(row):
    """Replaces the stored prediction of `row`: a row takes minutes, and the next one may fail."""
    lines = stored()
    key = key_of(row.line)
    lines[key] = dict(zip(KEY, key)) | {"predicted_s": f"{row.predicted:.6g}", "low_s": f"{row.low:.6g}",
                                        "high_s": f"{row.high:.6g}", "commit": programs.SOURCES["hpl"][2]}
    with open(os.path.join(KEPT, NAME, STORED), "w", encoding="utf-8") as file:
        file.write(",".join(KEY) + ",predicted_s,low_s,high_s,commit" + "\n")
        for _, line in sorted(lines.items(), key=lambda entry: tuple(map(int, entry[0]))):
            file.write(",".join(line.values()) + "\n")


def fill(rows):
    """Stored predictions, for users who do not have the program."""
    lines = stored()
    for row in rows:
        line = lines.get(key_of(row.line))
        if line is None:
            row.why = "HPL is a foreign program: scripts/field --programs builds and runs it"
        else:
            row.predicted, row.low, row.high = (float(line[key]) for key in ("predicted_s", "low_s", "high_s"))


def predict(runner, data, rows, folder, make_target):
    """`folder`: of the programs, or None. `make_target(speed)`: the text of the target."""
    program = programs.build(folder, "hpl", runner.folder) if folder and rows else None
    if not program:
        return fill(rows)
    for row in rows:
        runner.write("HPL.dat", INPUT.format(**row.line))
        try:
            here, least, greatest = dgemm_here(int(row.line["NB"]))
            out = runner.run(row.name, int(row.line["ranks"]), make_target(here / dgemm_there(data)), program,
                             seconds=7200, cwd=runner.folder)
        except Failed as failure:
            row.why = str(failure)
            continue
        row.predicted = programs.printed_time("hpl", "\n".join(out))
        # The speed of a core is known as well as dgemm repeats.
        row.low, row.high = row.predicted * here / greatest, row.predicted * here / least
        store(row)
