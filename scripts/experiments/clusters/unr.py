"""unr: masters that deal rows of the Mandelbrot set to slaves, by three authors on one cluster of a course.

The target is written from ping-pongs between two nodes, and from one between two ranks of a node, of 4 bytes; that
longer messages move at 1 GB/s inside a node is assumed. Overheads are those that emu calibrate assumes. The time of
an iteration comes from each author's program without slaves, for each size. No value is fitted to parallel runs,
and all of them are predicted.

A node has 8 cores. Where a script names the number of nodes, ranks are placed as Slurm documents it: nodes get
equal numbers of ranks, in blocks. Where it does not, a node is filled before the next one.
"""
import os
import statistics

from clusters import mandelbrot, targets
from clusters.runs import ROWS
from clusters.rows import Row, known, read_csv

NAME = "unr"
FITTED = 0
CORES, NODES = 8, 4
INSIDE = 1e9  # bytes per second inside a node; assumed
# Most iterations of a point, and the part of c that a row has in common, by author.
PROGRAMS = {"cs415_Su": (256, "real"), "cs415_Frost": (255, "imaginary"), "Parallel-Computation": (256, "imaginary")}


def table(folder, author, size):
    """The prefix of the file with the iterations of each row, which is created if it is missing."""
    most, same = PROGRAMS[author]
    return mandelbrot.table(ROWS, os.path.join(folder, f"rows-{most}-{same}"), size, "--iterations", str(most),
                            "--same", same)


def all_iterations(folder, author, size):
    return mandelbrot.all_iterations(table(folder, author, size), size)


def measured_target(data, folder):
    """The text of the target, and that of a node's link, which every target of these rows has."""
    points, inside = [targets.ASSUMED_POLL], []
    for line in known(data, NAME, "pingpong.csv"):
        seconds = 1e-6 * float(line["half_roundtrip_us"])
        if line["nodes"] == "1":
            inside.append(seconds)
        else:
            points.append(("half_roundtrip", int(line["bytes"]), seconds))
    text = targets.calibrated(folder, NAME, "h1.cse.unr.edu, Gigabit Ethernet (2017)", points, NODES)
    text = targets.with_nodes(text, NODES, CORES)
    # The overheads are a quarter of the time each, as emu calibrate assumes.
    return text + f"""
[[link]]
inside = "all"
latency = "{1e6 * statistics.median(inside) / 2:.4f}us"
gap_per_byte = "{1e12 / INSIDE:.0f}ps"
[link.send]
fixed = "{1e6 * statistics.median(inside) / 4:.4f}us"
[link.receive]
fixed = "{1e6 * statistics.median(inside) / 4:.4f}us"
"""


def placed(text, line):
    """The target with the ranks of this run on its nodes."""
    ranks, nodes = int(line["P"]), int(line["nodes"] or 0)
    if nodes == 0:
        return text
    return targets.with_nodes(text, nodes, -(-ranks // nodes))


def make_targets(data, folder):
    return {NAME: measured_target(data, folder)}


def rows(data):
    result = []
    for line in read_csv(data, NAME, "runs.csv"):
        author, scheme, ranks, size = line["repository"], line["scheme"], line["P"], line["size"]
        if scheme == "sequential":
            continue
        row = Row(NAME, NAME, f"{author} {scheme} P={ranks} {size} rows", float(line["seconds"]),
                  [("ranks", author, scheme, size), ("schemes", author, ranks, size)])
        row.run = line
        result.append(row)
    return result


def nanoseconds(data, folder):
    """Nanoseconds of an iteration, by author and size."""
    return {(line["repository"], line["size"]):
            1e9 * float(line["seconds"]) / all_iterations(folder, line["repository"], int(line["size"]))
            for line in known(data, NAME, "runs.csv") if line["scheme"] == "sequential"}


def spread(data):
    """Least and greatest time of a sequential run over its median, each in the median of the sizes."""
    lines = [line for line in known(data, NAME, "runs.csv")
             if line["scheme"] == "sequential" and int(line["repeats"]) > 1]
    return [statistics.median(float(line[key]) / float(line["seconds"]) for line in lines)
            for key in ("least_s", "greatest_s")]


def predict(runner, data, all_rows):
    tables = os.path.join("build", "field", "tables")
    os.makedirs(tables, exist_ok=True)
    text, of_iteration, (low, high) = measured_target(data, runner.folder), nanoseconds(data, tables), spread(data)
    jobs = {}
    for row in all_rows:
        run = row.run
        if (run["repository"], run["size"]) in of_iteration:
            jobs.setdefault((run["repository"], int(run["P"]), run["nodes"]), []).append(row)
        else:
            row.why = "no sequential run says the time of an iteration"
    for (author, ranks, _), members in sorted(jobs.items()):
        cases = []
        for number, row in enumerate(members):
            run = row.run
            prefix = table(tables, author, int(run["size"]))
            cases.append(f"{number} {run['scheme']} {run['size']} {of_iteration[author, run['size']]:.6f}\n")
        file = runner.write(f"rows-{runner.count + 1:04d}", "".join(cases))
        runner.predict(members, f"{author}, {ranks} ranks, {len(members)} runs", ranks,
                       placed(text, members[0].run), ROWS, "--cases", file, "--table", prefix)
        for row in members:
            if row.predicted is not None:
                row.low, row.high = low * row.predicted, high * row.predicted
