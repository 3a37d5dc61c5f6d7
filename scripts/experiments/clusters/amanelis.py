"""amanelis: self-scheduling of the columns of the Mandelbrot set on PCs of which half are shared.

The time of an iteration comes from the runs with one slave, for TSS and for the other schemes, which are another
build. A slave runs at 1, 1/2 or 1/3 of the speed, depending on the number of processes on its node. speed.csv has it
for some slaves of some runs; for others, the speed of that slave in most runs of the series applies; without any,
the first half of the slaves is fast. The rate of the network is that of the slaves' sends, in the runs that return
results. The network's latency and overheads are unknown: 100 us and 50 us are assumed. The work of a slave before it
registers is assumed, too (START).
"""
import os
import statistics

from clusters import mandelbrot
from clusters.runs import COLUMNS, Failed
from clusters.rows import Row, known, read_csv

NAME = "amanelis"
FITTED = 0
SEEDS = 41  # orders in which the slaves start
SCHEMES = ("tss", "gss", "fss", "dtss", "dgss", "dfss")
# Values of columns of runs.csv that a set may lack.
USUAL = {"max_iterations": "1000", "results_returned": "0", "load_file": "0", "columns_permuted": "0", "series": "",
         "suffix": "", "note": ""}
START = "100ms"  # a slave registers after 50 to 100 ms of work, so slaves of shared nodes register last


def table(folder, size, most):
    """The prefix of the file with the iterations of each column, which is created if it is missing."""
    return mandelbrot.table(COLUMNS, os.path.join(folder, f"iterations-{most}"), size, "--iterations", str(most))


def all_iterations(folder, size, most):
    return mandelbrot.all_iterations(table(folder, size, most), size)


def complete(lines):
    """The lines of a runs.csv, with all columns."""
    return [USUAL | {"max_compute_s": line["master_s"]} | line for line in lines]


def base(scheme):
    return scheme.removeprefix("d")


def nanoseconds(data, folder, name=NAME):
    """Nanoseconds of an iteration, for TSS (True) and for the other schemes."""
    found = {}
    for run in complete(known(data, name, "runs.csv")):
        if run["P"] == "1" and run["load_file"] == "0":
            total = all_iterations(folder, int(run["size"]), int(run["max_iterations"]))
            found.setdefault(base(run["scheme"]) == "tss", []).append(1e9 * float(run["max_compute_s"]) / total)
    medians = {tss: statistics.median(values) for tss, values in found.items()}
    # One build has no run with one slave: its speed is assumed to be that of the other.
    return {tss: medians.get(tss, medians.get(not tss)) for tss in (True, False)} if medians else {}


def rate(data, name=NAME):
    """Bytes in a second, of sends that return results; of 100 Mbit/s if no run has such sends."""
    runs = {run["run"]: run for run in complete(known(data, name, "runs.csv")) if run["results_returned"] == "1"}
    rates = []
    for slave in known(data, name, "slaves.csv"):
        run = runs.get(slave["run"])
        if run and float(slave["send_s"]) > 0.1:
            size = 4 * int(slave["columns"]) * int(run["size"]) + 36 * int(slave["requests"])
            rates.append(size / float(slave["send_s"]))
    return statistics.median(rates) if rates else 100e6 / 8 * 1448 / 1538


class Speeds:
    """Number of processes that share the node of each slave, by run."""

    def __init__(self, data, nanoseconds_of, name=NAME):
        runs = {run["run"]: run for run in complete(known(data, name, "runs.csv"))}
        self.own, self.series, self.off = {}, {}, []
        for line in known(data, name, "speed.csv"):
            run = runs.get(line["run"])
            if not run or float(line["iterations"]) < 2e7:
                continue
            ratio = float(line["ns_per_iteration"]) / nanoseconds_of[base(run["scheme"]) == "tss"]
            share = min((1, 2, 3), key=lambda n: abs(ratio - n))
            self.off.append(ratio / share - 1)
            slave = int(line["slave"])
            self.own[line["run"], slave] = share
            for key in ((run["P"], run["series"], base(run["scheme"])), (run["P"], run["series"]), (run["P"],)):
                self.series.setdefault((key, slave), []).append(share)

    def of(self, run):
        ranks = int(run["P"])
        result = []
        for slave in range(1, ranks + 1):
            usual = 1 if 2 * slave <= ranks or ranks == 1 else 2
            share = self.own.get((run["run"], slave))
            for key in ((run["P"], run["series"], base(run["scheme"])), (run["P"], run["series"]), (run["P"],)):
                seen = [s for s in self.series.get((key, slave), []) if s != 3]
                if share is None and seen:
                    most = max(set(seen), key=seen.count)
                    share = most if 2 * seen.count(most) > len(seen) else usual
            result.append(share or usual)
        return tuple(result)

    @property
    def spread(self):
        return statistics.pstdev(self.off) if len(self.off) > 1 else 0.0


def target(shares, bytes_per_second, by=0.0):
    """The target. The first node is the master's; `by`: relative increase of all speeds."""
    nodes = "".join(f"[[node]]\ncount = 1\nspeed = {(1 + by) / share:.6f}\n" for share in shares)
    return f"""name = "blades and tens, 100 Mbit/s Ethernet, MPICH 1.2.5"
compute = "declared"
[network]
latency = "100us"
gap_per_byte = "{1e12 / bytes_per_second:.0f}ps"
eager_limit = "unlimited"
card = "serial"
[network.send]
fixed = "50us"
[network.receive]
fixed = "50us"
[[node]]
count = 1
{nodes}"""


def make_targets(data, folder):
    shares = (1,) * 8 + (2,) * 8
    return {"amanelis": target(shares, rate(data))}


def is_one(folder):
    """True if a folder has runs of this kind."""
    lines = read_csv(folder, "runs.csv") if os.path.exists(os.path.join(folder, "runs.csv")) else []
    return bool(lines) and {"run", "scheme", "P", "size", "threshold", "powers", "master_s"} <= set(lines[0])


def rows(data, name=NAME):
    result = []
    for run in complete(read_csv(data, name, "runs.csv")):
        ranks, size, scheme = run["P"], run["size"], run["scheme"]
        kind = (size, run["max_iterations"], run["results_returned"], run["columns_permuted"])
        series = (run["series"], run["suffix"])
        row = Row(name, "blades and tens" if name == NAME else name,
                  f"{run['run']} {scheme} P={ranks} {size} columns {run['series']} "
                  f"{run['suffix']}".strip(), float(run["master_s"]),
                  [("schemes", ranks, kind, series), ("ranks", scheme, kind, series)])
        row.run = run
        if ranks == "1":
            row.why = "the target is written from the runs with one slave"
        elif run["note"].startswith("same content"):
            row.why = "a copy of another file"
        elif scheme not in SCHEMES:
            row.why = f"field-columns has no such scheme: {scheme}"
        result.append(row)
    return result


def predict(runner, data, all_rows):
    tables = os.path.join("build", "field", "tables")
    os.makedirs(tables, exist_ok=True)
    if not all_rows:
        return
    name = all_rows[0].set
    of_iteration = nanoseconds(data, tables, name)
    if not of_iteration:
        for row in all_rows:
            row.why = row.why or "no run with one slave says the time of an iteration"
        return
    speeds, network = Speeds(data, of_iteration, name), rate(data, name)
    jobs = {}
    for row in all_rows:
        if not row.why:
            jobs.setdefault((row.run["max_iterations"], speeds.of(row.run)), []).append(row)
    for (most, shares), members in sorted(jobs.items()):
        cases = []
        for row in members:
            run = row.run
            powers = ",".join(run["powers"]) if run["scheme"].startswith("d") else ",".join("1" * len(shares))
            prefix = table(tables, int(run["size"]), int(most))
            cases.append(f"{run['run']} {run['scheme']} {run['size']} {run['threshold']} {powers} "
                         f"{run['results_returned']} {run['columns_permuted']} "
                         f"{of_iteration[base(run['scheme']) == 'tss']:.4f} {SEEDS}\n")
        found = {row.run["run"]: [] for row in members}
        typical = {row.run["run"]: [] for row in members}
        try:
            for by in (0.0, -2 * speeds.spread, 2 * speeds.spread):
                file = runner.write(f"columns-{runner.count + 1:04d}", "".join(cases))
                label = f"{len(shares)} slaves, {len(members)} runs" + (f", speeds {by:+.1%}" if by else "")
                for line in runner.run(label, len(shares) + 1, target(shares, network, by), COLUMNS, "--cases", file,
                                       "--table", prefix, "--start", START):
                    words = line.split()
                    found[words[0]].append(float(words[2]))
                    if by == 0:
                        typical[words[0]].append(float(words[2]))
        except Failed as failure:
            for row in members:
                row.why = str(failure)
            continue
        for row in members:
            row.predicted = statistics.median(typical[row.run["run"]])
            row.low, row.high = min(found[row.run["run"]]), max(found[row.run["run"]])
