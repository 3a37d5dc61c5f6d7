"""Curves of messages and costs per byte that the measurements of pico give: pico.py defines them."""
import math
import statistics

from clusters import curves
from clusters.rows import known

NAME = "pico"
LUMI_RUN = "lumi_0407_161421_0"  # of three allocations that differ by 40 %, the middle one
SHORT = 2048  # bytes of the vectors to which latencies are fitted
COPYING = ("allgather", "k_bruck_over", 1 << 20)  # the run to which the cost of copies is fitted
LONG = 32 << 20  # bytes from which malloc maps memory anew for each call, and vectors are in no cache
COPYING_RING = 32, 256 << 20  # ranks and bytes of the ring allgathers to which the copies of long vectors are fitted
RINGS = ("ring_ompi", "ring_over")
DOUBLINGS = ("recursive_doubling_ompi", "recursive_doubling_over", "recursive_halving_ompi", "recursive_halving_over")
DISTANT = 32  # least number of ranks with such latencies


def measured(data, **wanted):
    """Seconds by bytes, of the lines with these values."""
    return {int(line["bytes"]): 1e-6 * float(line["median_us"]) for line in known(data, NAME, "collectives.csv")
            if all(line[key] == value for key, value in wanted.items())}


def ring_allgathers(data, ranks):
    """Mean seconds of Leonardo's ring allgathers, by bytes of a block."""
    found = {}
    for algorithm in RINGS:
        for size, seconds in measured(data, system="leonardo", P=str(ranks), collective="allgather",
                                      algorithm=algorithm).items():
            found.setdefault(size // ranks, []).append(seconds)
    return {size: statistics.mean(values) for size, values in found.items()}


def long_copies(data):
    """Seconds per byte of a copy of long vectors. Ring allgathers copy a block, and pass p - 1 blocks on."""
    few, many = ring_allgathers(data, 4), ring_allgathers(data, COPYING_RING[0])
    size = COPYING_RING[1] // COPYING_RING[0]
    if size not in few or size not in many:
        return 0.0
    # few = 3 m + k c; many = (p - 1) m + k c
    ratio = (COPYING_RING[0] - 1) / 3
    return max(0.0, (ratio * few[size] - many[size]) / ((ratio - 1) * size))


def leonardo(data, copied=0.0):
    """The points of the curve, and R. `copied`: seconds per byte of a copied block of a long vector, which the curve is
    without."""
    message = {size: (seconds - (size * copied if 4 * size >= LONG else 0.0)) / 3
               for size, seconds in ring_allgathers(data, 4).items()}

    def m(size):
        return interpolated(message, size)
    rates = [(seconds - 2 * m(size / 4) - 2 * m(size / 2)) / (0.75 * size)
             for size, seconds in measured(data, system="leonardo", P="4", collective="allreduce",
                                           algorithm="allgather_reduce_ompi").items() if 1 << 17 <= size <= 1 << 24]
    return message, max(0.0, statistics.median(rates))


def cells(data):
    """By archive and ranks: the cell of each node, in the order of the ranks."""
    found = {}
    for line in known(data, NAME, "placement.csv"):
        found.setdefault((line["archive"], line["P"]), {})[int(line["first_rank"])] = line["group"]
    return {key: [groups[rank] for rank in sorted(groups)] for key, groups in found.items()}


def distant(data):
    """By archive and ranks of Leonardo's allocations: (collective, algorithm, seconds) of the ring and of the
    doubling to which its latencies are fitted."""
    found = {}
    for line in known(data, NAME, "collectives.csv"):
        if line["system"] != "leonardo" or int(line["P"]) < DISTANT or int(line["bytes"]) != SHORT or \
                line["ranks_per_node"] != "1":
            continue
        at = found.setdefault((line["run"].rsplit("_", 1)[0], int(line["P"])), {})
        for kind, names in (("ring", RINGS), ("doubling", DOUBLINGS)):
            # The first collective in alphabetical order.
            key = line["collective"], names.index(line["algorithm"]) if line["algorithm"] in names else None
            if key[1] is not None and (kind not in at or key < at[kind][0]):
                at[kind] = key, line["algorithm"], 1e-6 * float(line["median_us"])
    return {key: {kind: (at[kind][0][0], at[kind][1], at[kind][2]) for kind in at} for key, at in found.items()
            if len(at) == 2}


def sources(data, run):
    """The names of the recursive doubling and the ring from which an allocation's target is written, or nothing."""
    line = next((line for line in known(data, NAME, "runs.csv") if line["run"] == run), None)
    if line is None or line["collective"] != "allreduce":
        return None
    doublings = ["recursive_doubling_over"]
    if line["library_algorithms_differ"] == "yes":
        doublings.append("recursive_doubling_mpich")
    doubling = next((name for name in doublings if measured(data, run=run, algorithm=name)), None)
    return doubling and (doubling, "ring_over")


def with_curves(data, system):
    """The runs of the system from which a curve can be taken."""
    return sorted(line["run"] for line in known(data, NAME, "runs.csv")
                  if line["system"] == system and sources(data, line["run"]))


def own_curve(data, run):
    """The run with the curve of this run's allocation, or nothing."""
    return next((name for name in (run, run.rsplit("_", 1)[0] + "_0") if sources(data, name)), None)


def representative(data, run):
    """The line of a run by which its curve is chosen: the library's default, of the vector next to SHORT."""
    lines = [line for line in known(data, NAME, "collectives.csv")
             if line["run"] == run and line["algorithm"].startswith("default_") and line["ranks_per_node"] == "1"]
    return min(lines, key=lambda line: abs(math.log(int(line["bytes"]) / SHORT)), default=None)


def lumi(data, run):
    """The points of the curve, and R, of an allocation. Without a ring, R is that of the middle allocation."""
    doubling, ring = (measured(data, run=run, collective="allreduce", algorithm=name) for name in sources(data, run))
    p = int(next(line["P"] for line in known(data, NAME, "runs.csv") if line["run"] == run))
    steps, rounds = math.log2(p), 2 * (p - 1)
    # m(k) + k R, and m(k) + k R / 2 for the vector that is p times as long.
    single = {k: seconds / steps for k, seconds in doubling.items()}
    in_parts = {k // p: seconds / rounds for k, seconds in ring.items()}
    rates = [(interpolated(single, k) - seconds) / (k / 2) for k, seconds in in_parts.items()
             if k >= 1 << 15 and min(single) <= k <= max(single)]
    rate = max(0.0, statistics.median(rates)) if rates else lumi(data, LUMI_RUN)[1]
    points = {}
    for k, seconds in single.items():
        points.setdefault(k, []).append(seconds - k * rate)
    for k, seconds in in_parts.items():
        points.setdefault(k, []).append(seconds - k * rate / 2)
    rising, least = {}, 1e-7
    for k in sorted(points):
        rising[k] = least = max(statistics.mean(points[k]), least)
    return rising, rate


def interpolated(curve, size):
    """Linear interpolation between the points; beyond them, the last line."""
    sizes = sorted(curve)
    if size <= sizes[0]:
        return curve[sizes[0]]
    at = min(max(sum(s <= size for s in sizes), 1), len(sizes) - 1)
    a, b = sizes[at - 1], sizes[at]
    return curve[a] + (size - a) * (curve[b] - curve[a]) / (b - a)


def costs(message, longer=0.0):
    """Costs by bytes. Overheads are a quarter of the time of the shortest message."""
    overhead = message[min(message)] / 4
    result = {size: curves.Cost(overhead, max(seconds - 2 * overhead + longer, 1e-9), overhead)
              for size, seconds in message.items()}
    result.setdefault(1, result[min(result)])
    return result


def copies(data, system):
    """The line of the run to which the cost of copies is fitted, or None."""
    lines = [line for line in known(data, NAME, "collectives.csv") if line["system"] == system and
             line["ranks_per_node"] == "1" and (line["collective"], line["algorithm"], int(line["bytes"])) == COPYING]
    return min(lines, key=lambda line: (int(line["P"]), line["run"]), default=None)
