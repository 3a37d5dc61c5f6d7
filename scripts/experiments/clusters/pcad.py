"""pcad: LULESH, CoMD and miniVite, three foreign programs.

They are built from folders that the user has cloned, and run with measured compute. The speed of a node is that of
the program's own run with one rank. The network between nodes is that of ping and iperf3, and the ranks of a node
share its card; the CPU times of a send and a receive are those that the authors measured on cei for SMPI. The inside
of a node is that of taurus, another cluster of nodes with two Xeons and Open MPI, since there is no measurement for
cei or poti. Nothing is fitted to the parallel runs. Predictions are kept in predicted.csv, for users without the
programs.
"""
import os
import re
import statistics

from clusters import programs, taurus, targets
from clusters.runs import Failed
from clusters.rows import KEPT, Row, known, read_csv

NAME = "pcad"
FITTED = 0
COLUMNS = ("partition", "program", "size", "omp_threads", "nodes", "ranks")
REPEATS = {"small": {"comd": 5, "lulesh": 5, "minivite": 5}, "medium": {"comd": 1, "lulesh": 3, "minivite": 5}}


def rows(data):
    result = []
    for line in read_csv(data, NAME, "results.csv"):
        row = Row(NAME, line["partition"],
                  f"{line['partition']} {line['program']} {line['size']} P={line['ranks']} on {line['nodes']} "
                  f"nodes, {line['omp_threads']} threads", float(line["real_median_s"]),
                  [(line["partition"], line["program"], line["size"], line["omp_threads"])],
                  smpi=float(line["smpi_median_s"]) if line["smpi_median_s"] else None)
        row.line = line
        if line["ranks"] == "1":
            row.why = "the speed of the CPU is that of the program's run with one rank"
        elif line["omp_threads"] != "1" and line["program"] != "comd":  # which has no threads
            row.why = "ten threads of a rank share one core"
        result.append(row)
    return result


def overhead(data, call):
    """(fixed, per byte) of a call on cei for messages from 127 bytes up to 1 KiB."""
    line = next(line for line in known(data, NAME, "smpi_parameters.csv")
                if line["partition"] == "cei" and line["parameter"] == call and line["from_bytes"] == "127")
    return float(line["value"]), float(line["per_byte"])


def network(data, partition):
    """[network] between two nodes of the partition."""
    trips = [1e-3 * float(line["rtt_median_ms"]) for line in known(data, NAME, "ping.csv")
             if line["from"].startswith(partition)]
    rates = [float(line["median_mbit_s"]) for line in known(data, NAME, "iperf3.csv")
             if line["client"].startswith(partition)]
    if not trips or not rates:
        raise Failed(f"no ping and iperf3 between the nodes of {partition}")
    send, receive = overhead(data, "os"), overhead(data, "or")
    latency = max(statistics.median(trips) / 2 - send[0] - receive[0], 1e-6)
    return f"""[network]
latency = "{1e6 * latency:.3f}us"
gap_per_byte = "{statistics.median(rates):.0f}Mbit/s"
eager_limit = "64KiB"
card = "node"
[network.send]
fixed = "{1e6 * send[0]:.3f}us"
per_byte = "{1e12 * send[1]:.3f}ps"
[network.receive]
fixed = "{1e6 * receive[0]:.3f}us"
per_byte = "{1e12 * receive[1]:.3f}ps"
"""


def target(partition, between, within, nodes, ranks_per_node, speed):
    text = f'name = "{partition}"\ncompute = "measured"\nhost_speed = 1.0\n{between}{within}'
    text += f"[[node]]\ncount = {nodes}\nslots = {ranks_per_node}\nspeed = {speed:.6f}\n"
    return targets.with_collectives(text, library="openmpi-4.1")


class Predicted:
    """Predictions that are kept with the measured times."""

    def __init__(self):
        self.lines = {}
        if os.path.exists(os.path.join(KEPT, NAME, "predicted.csv")):
            for line in read_csv(KEPT, NAME, "predicted.csv"):
                self.lines[tuple(line[key] for key in COLUMNS)] = line

    def fill(self, row, one):
        """`one`: the row of the run with one rank, or None."""
        key = tuple(row.line[key] for key in COLUMNS)
        line = self.lines.get(key)
        if line is not None:
            row.predicted, row.low, row.high = (float(line[key]) for key in ("predicted_s", "low_s", "high_s"))
            return
        # The same case elsewhere: work on the critical path scales with the run of one rank; other values are reused.
        other = next((line for known, line in sorted(self.lines.items()) if known[1:] == key[1:]), None)
        if other is None or one is None:
            row.why = f"{row.line['program']} is a foreign program: scripts/field --programs builds and runs it"
            return
        row.predicted = float(other["work"]) * one.measured + float(other["rest_s"])
        spread = (float(other["high_s"]) - float(other["low_s"])) / 2
        row.low, row.high = row.predicted - spread, row.predicted + spread

    def keep(self, row, one, share, commit):
        """`share`: fraction of the critical path that is work."""
        key = tuple(row.line[key] for key in COLUMNS)
        self.lines[key] = dict(zip(COLUMNS, key)) | {
            "predicted_s": f"{row.predicted:.6g}", "low_s": f"{row.low:.6g}", "high_s": f"{row.high:.6g}",
            "work": f"{share * row.predicted / one.measured:.6g}", "rest_s": f"{(1 - share) * row.predicted:.6g}",
            "commit": commit}

    def write(self):
        with open(os.path.join(KEPT, NAME, "predicted.csv"), "w", encoding="utf-8") as file:
            file.write(",".join(COLUMNS) + ",predicted_s,low_s,high_s,work,rest_s,commit\n")
            for key in sorted(self.lines):
                file.write(",".join(self.lines[key].values()) + "\n")


def share_of_work(said):
    """The share of work in the critical path that a run reported. A run that reports none raises Failed."""
    found = re.search(r"critical path: (?:.*, )?compute [^(]*\(([0-9.e+-]+) %", said)
    if not found:
        raise Failed("the run reports no work in its critical path")
    return float(found.group(1)) / 100


def times(runner, label, row, program, text, speed):
    """The printed times of all repeats."""
    result = []
    for _ in range(REPEATS.get(row.line["size"], {}).get(row.line["program"], 3)):
        lines = runner.run(label, int(row.line["ranks"]), text(speed), program, *row.line["arguments"].split(),
                           seconds=7200,
                           cwd=runner.folder)  # CoMD writes a file there
        result.append(programs.printed_time(row.line["program"], "\n".join(lines)))
    return result


def predict(runner, data, all_rows, folder=None, only=None):
    """`folder`: with the programs; without it, and for missing programs, kept predictions are used. `only`: one
    size."""
    predicted = Predicted()
    wanted = [row for row in all_rows if not row.why]
    built, single = {}, {}
    if folder:
        for name in sorted({row.line["program"] for row in wanted} & set(programs.SOURCES)):
            built[name] = programs.build(folder, name, runner.folder)
        within = taurus.inside(data, runner.folder)
    for row in wanted:
        name, partition, size = row.line["program"], row.line["partition"], row.line["size"]
        one = next((other for other in all_rows if other.line["ranks"] == "1" and other.line["omp_threads"] == "1" and
                    (other.line["program"], other.line["partition"], other.line["size"]) == (name, partition, size)),
                   None)
        if not built.get(name) or only not in (None, size):
            predicted.fill(row, one)
            continue
        if one is None:
            row.why = "no run with one rank says the speed of the CPU"
            continue
        try:
            between = network(data, partition)
            if (name, size) not in single:
                def alone(speed):
                    return target(partition, between, within, 1, 1, speed)
                single[name, size] = times(runner, f"{name} {size}, one rank", one, built[name], alone, 1.0)
            host = statistics.median(single[name, size])

            def together(speed):
                return target(partition, between, within, int(row.line["nodes"]), int(row.line["ranks_per_node"]),
                              speed)
            found = times(runner, row.name, row, built[name], together, host / one.measured)
            share = share_of_work(runner.said)
        except Failed as failure:
            row.why = str(failure)
            continue
        spread = (max(single[name, size]) - min(single[name, size])) / host
        row.predicted = statistics.median(found)
        row.low, row.high = min(found) * (1 - spread), max(found) * (1 + spread)
        predicted.keep(row, one, share, programs.SOURCES[name][2])
    if folder:
        predicted.write()
