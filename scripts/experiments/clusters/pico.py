"""pico: collective operations by named algorithm on LUMI and Leonardo.

What a message takes, m(k), and a reduced byte, R, are worked out from runs with few ranks, which are not predicted:

- Leonardo: ring allgathers of 4 ranks, 3 m(n/4); the reduce-scatter and allgather of allreduces of 4 ranks, which have
  2 m(n/4) + 2 m(n/2) and 3/4 n R, of vectors from 128 KiB to 16 MiB.
- LUMI: the ring and the recursive doubling of allreduces of 8 ranks of the middle one of three allocations, 14 m(n/8) + 7/8 n R and
  3 m(n) + 3 n R.

Each gives the curve m(k), which emu calibrate turns into pieces, and one value R. Copies are not told from these.
"""
import statistics

from clusters import targets
from clusters.jobs import Failed
from clusters.rows import Row, read_csv

NAME = "pico"
FITTED = 2  # R of each system; the curves m(k) beside
TITLES = {"leonardo": "Leonardo, InfiniBand HDR dragonfly+, Open MPI 4.1.6 (2025)",
          "lumi": "LUMI, Slingshot dragonfly, Cray MPICH 8.1.29 (2025)"}
LUMI_RUN = "lumi_0407_161421_0"  # of three allocations that differ by 40 % the one between the others
LIMIT = 256 << 20  # bytes of all ranks' vectors together: emulation moves them

# Collective: algorithm without its ending, and what a target calls it.
ALGORITHMS = {
    "allreduce": {"ring": "ring", "recursive_doubling": "recursive-doubling", "rabenseifner": "rabenseifner",
                  "allgather_reduce": "rabenseifner"},
    "allgather": {"ring": "ring", "recursive_doubling": "recursive-doubling", "neighbor": "neighbor-exchange",
                  "brucks": "bruck"},
    "reduce_scatter": {"ring": "ring", "recursive_halving": "halving", "pairwise": "pairwise"},
    "reduce": {"binomial": "binomial", "rabenseifner": "rabenseifner"},
    "bcast": {"binomial": "binomial", "scatter_allgather": "scatter-doubling",
              "scatter_allgather_ring": "scatter-ring", "split_binary": "split-binary"},
}


def measured(data, **wanted):
    """Bytes: seconds, of the lines with these values."""
    return {int(line["bytes"]): 1e-6 * float(line["median_us"]) for line in read_csv(data, NAME, "collectives.csv")
            if all(line[key] == value for key, value in wanted.items())}


def leonardo(data):
    """The points of the curve, and R."""
    curve = {}
    for algorithm in ("ring_over", "ring_ompi"):
        for size, seconds in measured(data, system="leonardo", P="4", collective="allgather",
                                      algorithm=algorithm).items():
            curve.setdefault(size // 4, []).append(seconds / 3)
    message = {size: statistics.mean(values) for size, values in curve.items()}

    def m(size):
        return interpolated(message, size)
    rates = [(seconds - 2 * m(size / 4) - 2 * m(size / 2)) / (0.75 * size)
             for size, seconds in measured(data, system="leonardo", P="4", collective="allreduce",
                                           algorithm="allgather_reduce_ompi").items() if 1 << 17 <= size <= 1 << 24]
    return message, max(0.0, statistics.median(rates))


def lumi(data):
    doubling = measured(data, run=LUMI_RUN, algorithm="recursive_doubling_over")
    ring = measured(data, run=LUMI_RUN, algorithm="ring_over")
    # 3 m(k) + 3 k R and 14 m(k) + 7 k R of the vector that is 8 times as long.
    both = [k for k in doubling if 8 * k in ring]
    rates = [(doubling[k] / 3 - ring[8 * k] / 14) / (k / 2) for k in both if k >= 1 << 17]
    rate = max(0.0, statistics.median(rates))
    message = {}
    for k in doubling:
        found = [doubling[k] / 3 - k * rate]
        if 8 * k in ring:
            found.append((ring[8 * k] - 7 * k * rate) / 14)
        message[k] = max(statistics.mean(found), 1e-7)
    return message, rate


def interpolated(curve, size):
    """Between the points, linearly; beyond them along the last line."""
    sizes = sorted(curve)
    at = min(max(sum(s <= size for s in sizes), 1), len(sizes) - 1)
    a, b = sizes[at - 1], sizes[at]
    return curve[a] + (size - a) * (curve[b] - curve[a]) / (b - a)


def make_targets(data, folder):
    result = {}
    for system, fit in (("leonardo", leonardo), ("lumi", lumi)):
        curve, rate = fit(data)
        points = [targets.ASSUMED_POLL] + [("half_roundtrip", size, seconds) for size, seconds in sorted(curve.items())]
        points += [("reduce", 1 << power, rate * (1 << power) + 1e-9) for power in (16, 18, 20, 22)]
        result[system] = targets.calibrated(folder, system, TITLES[system], points, 256)
    return result


def rows(data):
    runs = {run["run"]: run for run in read_csv(data, NAME, "runs.csv")}
    result = []
    for line in read_csv(data, NAME, "collectives.csv"):
        run = runs.get(line["run"], {})
        system, ranks, size = line["system"], int(line["P"]), int(line["bytes"])
        collective, named = line["collective"], line["algorithm"]
        row = Row(NAME, system, f"{line['run']} {collective} {named} P={ranks} {size} B",
                  1e-6 * float(line["median_us"]), [(line["run"], collective, size), (system, collective, named, size)])
        algorithm = named.rsplit("_", 1)[0]
        library = "openmpi" if named.endswith("_ompi") else "mpich"
        if named.endswith("_mpich") and run.get("library_algorithms_differ") == "no":
            algorithm = "default"  # the library ignored the choice
        row.case = (ranks, collective, ALGORITHMS.get(collective, {}).get(algorithm), library, size)
        row.per_node = int(line["ranks_per_node"])
        fitted = (system == "leonardo" and ranks == 4) or line["run"] == LUMI_RUN
        if fitted:
            row.why = "the target is written from this run"
        elif algorithm != "default" and row.case[2] is None:
            row.why = f"a target cannot name this algorithm: {named}"
        elif algorithm == "rabenseifner" and named.endswith("_ompi") and ranks <= 16:
            row.why = "an algorithm changed by the authors"
        elif ranks * size > LIMIT:
            row.why = "the vectors of all ranks take more than 256 MiB"
        elif row.per_node > 1:
            row.why = "several ranks of a node share its card, which the model does not have"
        elif size < 4 * ranks and collective not in ("allreduce", "reduce", "bcast"):
            row.why = "no whole element for each rank"
        result.append(row)
    return result


def predict(runner, data, all_rows):
    made = make_targets(data, runner.folder)
    jobs = {}
    for row in all_rows:
        if not row.why:
            ranks, collective, algorithm, library, _ = row.case
            jobs.setdefault((row.cluster, ranks, collective, algorithm or library), []).append(row)
    for (system, ranks, collective, algorithm), members in sorted(jobs.items()):
        chosen = {"library": algorithm} if algorithm in ("mpich", "openmpi") else {collective: algorithm}
        target = targets.with_collectives(made[system], **chosen)
        sizes = sorted({row.case[4] for row in members})
        try:
            found = dict(zip(sizes, runner.banded(f"{system} {collective} {algorithm}, {ranks} ranks", ranks, target,
                                                  [(collective, size, ranks, 1, 1) for size in sizes])))
        except Failed as failure:
            for row in members:
                row.why = str(failure)
            continue
        for row in members:
            times = found[row.case[4]]
            row.predicted = times[0][0]
            row.low, row.high = min(t[0] for t in times), max(t[0] for t in times)
