"""orfeo: broadcasts by Open MPI's algorithms on two nodes of 24 cores.

The time between two cores of one node is that of osu_latency, the median over the pairs; between the nodes it is the
slowest rank's of a broadcast to one other rank on the other node. Nothing else is fitted.
"""
import statistics

from clusters import targets
from clusters.jobs import Failed
from clusters.rows import Row, read_csv

NAME = "orfeo"
FITTED = 0
ALGORITHMS = {"binomial": {"bcast": "binomial"}, "linear": {"bcast": "binomial"}, "pipeline": {"bcast": "pipeline"},
              "default": {"library": "openmpi"}}  # by the rules of 4.0, which 4.1 has changed
RANKS = (4, 8, 16, 24, 32, 48)  # without --all
NODES = {"core": (24, 24), "socket": (24, 24), "node": (24, 24)}


def between(data):
    found = [targets.ASSUMED_POLL]
    for line in read_csv(data, NAME, "bcast.csv"):
        if line["map_by"] == "node" and line["P"] == "2" and line["slowest_rank_us"]:
            found.append(("half_roundtrip", int(line["bytes"]), 1e-6 * float(line["slowest_rank_us"])))
    return found


def inside(data):
    found = []
    for line in read_csv(data, NAME, "latency_summary.csv"):
        found.append(("half_roundtrip", int(line["bytes"]), 1e-6 * float(line["median_us"])))
    return found


def link(text):
    """[network] of a target as a [[link]] inside a node."""
    part = text[text.index("[network]"):text.index("[[node]]")]
    lines = []
    for line in part.splitlines():
        if line.startswith(("card", "handshake_trips")):
            continue
        lines.append(line.split(" +- ")[0] + '"' if " +- " in line else line)
    result = "\n".join(lines).replace("[[network.", "[[link.").replace("[network.", "[link.")
    return result.replace("[network]", "[[link]]\ninside = \"all\"", 1)


def make_targets(data, folder):
    text = targets.calibrated(folder, "orfeo", "orfeo THIN nodes, 2 x 12 cores each", between(data), 2)
    own = targets.calibrated(folder, "orfeo_one_node", "inside a node of orfeo", inside(data), 2)
    return {"orfeo": targets.with_nodes(text, 2, 24) + "\n" + link(own), "orfeo_one_node": own}


def placement(map_by, ranks):
    if map_by == "node":
        nodes = [rank % 2 for rank in range(ranks)]
    else:
        nodes = [0 if rank < 24 else 1 for rank in range(ranks)]
    return "\n[placement]\npolicy = [" + ", ".join(map(str, nodes)) + "]\n"


def rows(data, everything=False):
    result = []
    for line in read_csv(data, NAME, "bcast.csv"):
        label, map_by, ranks, size = line["label"], line["map_by"], int(line["P"]), int(line["bytes"])
        if not everything and ranks not in RANKS and not (ranks == 2 and map_by == "node"):
            continue
        row = Row(NAME, "orfeo", f"orfeo bcast {label} by {map_by} P={ranks} {size} B", 1e-6 * float(line["latency_us"]),
                  [(map_by, ranks, size), (label, map_by, size)])
        row.case = (label, map_by, ranks, size)
        if ranks == 2 and map_by == "node":
            row.why = "the target is written from it"
        elif label == "chain":
            row.why = "a target cannot name this algorithm: a chain with four branches"
        elif label not in ALGORITHMS:
            row.why = "a target cannot name this algorithm: a binary tree"
        result.append(row)
    return result


def predict(runner, data, all_rows):
    made = make_targets(data, runner.folder)["orfeo"]
    jobs = {}
    for row in all_rows:
        if not row.why:
            label, map_by, ranks, _ = row.case
            jobs.setdefault((ranks, map_by, str(ALGORITHMS[label])), []).append(row)
    for (ranks, map_by, _), members in sorted(jobs.items(), key=lambda job: job[0]):
        label = members[0].case[0]
        target = targets.with_collectives(made + placement(map_by, ranks), **ALGORITHMS[label])
        sizes = sorted({row.case[3] for row in members})
        try:
            found = dict(zip(sizes, runner.banded(f"orfeo {label} by {map_by}, {ranks} ranks", ranks, target,
                                                  [("bcast", size, ranks, 1, 1) for size in sizes])))
        except Failed as failure:
            for row in members:
                row.why = str(failure)
            continue
        for row in members:
            times = found[row.case[3]]
            row.predicted = times[0][1]  # the mean of the ranks
            row.low, row.high = min(t[1] for t in times), max(t[1] for t in times)
