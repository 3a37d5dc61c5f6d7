"""pico: collective operations by named algorithm on LUMI and Leonardo.

The loop of the benchmark is emulated for broadcasts: the timed operation, then a barrier. The ranks of other operations
begin at one instant, see case(). The time m(k) of a message and R of a reduced byte are derived from runs that are not
predicted:

- Leonardo: ring allgathers of 4 ranks in one cell, 3 m(n/4); the reduce-scatter and allgather of allreduces of 4 ranks,
  which have 2 m(n/4) + 2 m(n/2) and 3/4 n R, of vectors from 128 KiB to 16 MiB.
- From 32 ranks on messages take longer, most of all between cells, and each allocation of nodes has its own latencies.
  The additional time inside a cell and between cells is fitted to two runs of each allocation, both of vectors of 2
  KiB: a ring, and recursive doubling or halving. The emulated runs take as long as the measured ones. placement.csv has
  the ranks of each cell. An allocation without such runs uses those of the allocation with the nearest number of ranks.
- LUMI: the ring and the recursive doubling of the authors' allreduces in each allocation of nodes, 2 (p-1) m(n/p) +
  (p-1)/p n R and log p (m(n) + n R), since allocations differ by 40 %. An allocation without such runs has the curve of
  the allocation that best predicts one of its runs, of a vector of 2 KiB.

Each gives the curve m(k) and one value R, which contain the copies of an allreduce and of a ring. An allgather by
Bruck's algorithm copies its vector twice more. The cost of a copied byte, one value for each system, is fitted to one
run of 1 MiB; only the targets of allgathers have this value.

Leonardo's operations on vectors of 32 MiB and more need temporary memory that malloc maps anew for each call, and
copy and reduce vectors that are in no cache. The cost of a copied byte is fitted to ring allgathers of 32 ranks with
blocks of 8 MiB, which take less time a block than those of 4 ranks: each rank copies one block. The curve of these
vectors has no copies of blocks of 8 MiB and more. The library's default allgather is the same ring, so it is not
predicted. The cost of a byte of temporary memory, and the addition to R, are fitted to two runs.

Long messages are read from the sender's memory (`rendezvous = "get"`), so a blocking send lasts until they have been
read. A handshake is part of m(k).

Concurrent messages share a rank's card, whose rate is the hardware's: 200 Gbit/s on both systems. An endpoint of
LUMI has this rate, and so have two of the four HDR100 ports of a node of Leonardo, by which UCX sends a long message
by default. A single message, and exchanges, are slower: they have the curve's rate.
"""
import math

from clusters import curves, targets
from clusters.runs import Failed, Runner
from clusters.pico_curves import (NAME, COPYING, COPYING_RING, DISTANT, DOUBLINGS, LONG, LUMI_RUN, RINGS, SHORT, cells,
                                  copies, costs, distant, leonardo, long_copies, lumi, measured, own_curve,
                                  representative, sources, with_curves)
from clusters.rows import Row, known, read_csv

FITTED = "curves m(k): one of Leonardo, four of LUMI; five rates R; two latencies of each of Leonardo's five " \
    "allocations; two costs of copies; three costs of long vectors; one choice"
TITLES = {  # of other systems: their names
          "leonardo": "Leonardo, InfiniBand HDR dragonfly+, Open MPI 4.1.6 (2025)",
          "lumi": "LUMI, Slingshot dragonfly, Cray MPICH 8.1.29 (2025)"}
LIMIT = 256 << 20  # bytes of all ranks' vectors together; longer vectors take no memory (Runner.operation)
# Run, collective, algorithm and bytes to which the costs of long vectors are fitted.
LONG_RUNS = (("leonardo_0604_142623_0", "reduce_scatter", "recursive_halving_ompi", 64 << 20),
             ("leonardo_0319_200447_0", "allreduce", "recursive_doubling_ompi", 32 << 20))
# Bytes up to which a message has no handshake. UCX reads longer messages from the sender's memory (openucx/ucx, issue
# 10420, prints the limit for two cards; in orfeo.py a message of 256 KiB is read), and so does Slingshot's card
# (FI_CXI_RDZV_THRESHOLD of libfabric).
EAGER = {"leonardo": (256 << 10) - 1, "lumi": 16 << 10}
CARD = 1 / 25e9  # seconds per byte that a rank sends or receives: 200 Gbit/s
AFTER_BARRIER, AT_ONCE = 2, 1  # start of a repeat
ROUNDS = 3  # of emulation, after which the fitted runs are within 2 %

WHOLE = " in whole"
# Collective: name of the algorithm without its suffix, and the name in a target.
ALGORITHMS = {
    "allreduce": {"ring": "ring", "ring_segmented": "ring", "recursive_doubling": "recursive-doubling",
                  "rabenseifner": "rabenseifner", "allgather_reduce": "rabenseifner",
                  "nonoverlapping": "reduce-bcast-openmpi"},
    "allgather": {"ring": "ring", "recursive_doubling": "recursive-doubling", "neighbor": "neighbor-exchange",
                  "brucks": "bruck", "bruck": "bruck", "k_bruck": "bruck"},
    "reduce_scatter": {"ring": "ring", "recursive_halving": "halving", "pairwise": "pairwise"},
    "reduce": {"binomial": "binomial", "rabenseifner": "rabenseifner", "linear": "linear", "chain": "chains" + WHOLE,
               "pipeline": "pipeline" + WHOLE, "binary": "binary" + WHOLE},
    "bcast": {"binomial": "binomial-doubling" + WHOLE, "binary": "binary" + WHOLE, "knomial": "knomial" + WHOLE,
              "scatter_allgather": "scatter-doubling", "scatter_allgather_ring": "scatter-ring",
              "split_binary": "split-binary" + WHOLE, "chain": "chains" + WHOLE, "pipeline": "pipeline" + WHOLE,
              "linear": "linear"},
    "alltoall": {"bruck": "bruck", "brucks": "bruck", "modified_bruck": "bruck", "linear": "linear",
                 "pairwise": "rotation"},
    "gather": {"binomial": "binomial", "linear": "linear"},
    "scatter": {"binomial": "binomial", "linear": "linear"},
}
WHOLE_VECTOR = ("allreduce", "reduce", "bcast")  # `bytes` is the vector of each rank; else of all ranks together
# MPICH 3 changes algorithms at these sizes (its MPIR_CVAR_..._MSG_SIZE); Cray MPICH 8.1 comes from it.
MPICH_3 = {"allreduce": ["recursive-doubling up to 2KiB", "rabenseifner"],
           "allgather": ["recursive-doubling up to 524287B", "ring"],
           "reduce": ["binomial up to 2KiB", "rabenseifner"],
           "bcast": ["binomial up to 12287B", "scatter-doubling up to 524287B", "scatter-ring"],
           "reduce_scatter": ["halving up to 524287B", "pairwise"]}


def like_mpich(collective):
    """MPICH 3's choice, in a target whose library is MPICH."""
    return {collective: MPICH_3[collective]} if collective in MPICH_3 else {}


def case(collective, size, ranks):
    """The emulated case. If ranks wait for each other, the skew of an emulated barrier never vanishes, unlike on a
    real system, whose times vary; so the ranks of these operations begin at one instant. The first broadcast, which
    follows no timed barrier, is shorter than the others."""
    if collective == "alltoall":
        size //= ranks  # field-patterns takes the bytes of a block
    return (collective, size, ranks) + ((3, AFTER_BARRIER) if collective == "bcast" else (1, AT_ONCE))


def target(system, message, rate, groups, near=0.0, far=0.0, copied=0.0, temporary=0.0):
    """The target. `groups`: the cell of each node, in order. `copied`, `temporary`: seconds per byte that is copied,
    and of temporary memory."""
    text = f'name = "{TITLES.get(system, system)}"\ncompute = "declared"\n'
    protocol = {"least": CARD, "eager": EAGER.get(system), "get": EAGER.get(system)}
    text += curves.network("network", costs(message, far), **protocol)
    text = text.replace("[network]\n", f'[network]\ncard = "node"\ncard_bandwidth = {curves.picoseconds(CARD)}\n'
                        f'reduce_per_byte = {curves.picoseconds(rate)}\n' +
                        (f'copy_per_byte = {curves.picoseconds(copied)}\n' if copied else '') +
                        (f'temporary_per_byte = {curves.picoseconds(temporary)}\n' if temporary else ''), 1)
    text += '[network.poll]\nfixed = "25ns"\n'
    apart = near != far and len(set(groups)) < len(groups)
    counts = []
    for group in groups:
        if apart and counts and counts[-1][0] == group:
            counts[-1][1] += 1
        elif apart or not counts:
            counts.append([group, 1])
        else:
            counts[0][1] += 1
    names = {}
    for group, count in counts:
        names[group] = names.get(group, 0) + 1
        text += f'[[node]]\nname = "cell{group}-{names[group]}"\ncount = {count}\n'
    if apart:
        inside = curves.network("link", costs(message, near), "FROM_TO", **protocol)
        for group, parts in names.items():
            for a in range(1, parts + 1):
                for b in range(a, parts + 1):
                    ends = f'from = "cell{group}-{a}"\nto = "cell{group}-{b}"\n'
                    if a != b or any(g == group and c > 1 for g, c in counts):
                        text += inside.replace("FROM_TO", ends)
    return text


class Fits:
    """Curves and fitted values, from which targets are made. `runner`: emulates the runs to which latencies are
    fitted."""

    def __init__(self, data, runner):
        self.leonardo, self.rate = leonardo(data)
        self.long_copies = long_copies(data)
        self.leonardo_long, _ = leonardo(data, self.long_copies)
        self.distant = distant(data)
        self.cells = cells(data)
        self.data = data
        self.runner = runner
        self.latencies, self.similar, self.copied, self.long = {}, {}, {}, None

    def placed(self, archive, ranks):
        return self.cells.get((archive, str(ranks)), ["0"] * ranks)

    def fit(self, archive, ranks):
        """Additional seconds of a message inside a cell, and between two cells."""
        if (archive, ranks) in self.latencies:
            return self.latencies[archive, ranks]
        near = far = 1e-6
        wanted = self.distant[archive, ranks]
        messages = {kind: ranks - 1 if kind == "ring" else math.log2(ranks) for kind in wanted}
        for kind, (collective, _, _) in wanted.items():
            messages[kind] *= 2 if kind == "ring" and collective == "allreduce" else 1
        for _ in range(ROUNDS):
            text = target("leonardo", self.leonardo, self.rate, self.placed(archive, ranks), near, far)
            off = {}
            for kind, (collective, algorithm, seconds) in wanted.items():
                named = {collective: ALGORITHMS[collective][algorithm.rsplit("_", 1)[0]]}
                here = targets.with_collectives(text, library="openmpi-4.1", **named)
                found = self.runner.patterns(f"leonardo, latencies of {ranks} ranks, {kind}", ranks, here,
                                             [case(collective, SHORT, ranks)])
                off[kind] = (seconds - found[0][0]) / messages[kind]
            near, far = near + off["ring"], far + off["doubling"]
        self.latencies[archive, ranks] = near, far
        return near, far

    def copy(self, system):
        """Seconds per copied byte. The emulated time is linear in them."""
        if system not in self.copied:
            line, trial, times = copies(self.data, system), 1e-10, []
            if line is None or targets.plain:
                return 0.0
            ranks = int(line["P"])
            for copied in (0.0, trial):
                text = targets.with_collectives(self.target(system, ranks, line["run"], copied), allgather="bruck")
                found = self.runner.patterns(f"{system}, copies", ranks, text, [case(COPYING[0], COPYING[2], ranks)])
                times.append(found[0][0])
            slope = (times[1] - times[0]) / trial
            self.copied[system] = max(0.0, (1e-6 * float(line["median_us"]) - times[0]) / slope)
        return self.copied[system]

    def of_long(self):
        """Seconds per byte of temporary memory, and seconds per reduced byte in addition, of Leonardo's long vectors.
        The emulated times are linear in them."""
        if targets.plain:  # no such costs
            return 0.0, 0.0
        if self.long is None:
            self.long = 0.0, 0.0
            trial, equations = 1e-10, []
            for run, collective, algorithm, size in LONG_RUNS:
                wanted = measured(self.data, run=run, collective=collective, algorithm=algorithm).get(size)
                if wanted is None:
                    return self.long
                ranks = int(next(line["P"] for line in known(self.data, NAME, "runs.csv") if line["run"] == run))
                named = {collective: ALGORITHMS[collective][algorithm.rsplit("_", 1)[0]]}
                times = []
                for long in ((0.0, 0.0), (trial, 0.0), (0.0, trial)):
                    text = targets.with_collectives(self.target("leonardo", ranks, run, self.long_copies, long),
                                                    library="openmpi-4.1", **named)
                    times.append(self.runner.operation(f"leonardo, long vectors, {collective}", ranks, text, collective,
                                                       size))
                base, a, b = times
                equations.append(((a - base) / trial, (b - base) / trial, wanted - base))
            (a, b, c), (d, e, f) = equations
            self.long = max(0.0, (c * e - b * f) / (a * e - b * d)), max(0.0, (a * f - c * d) / (a * e - b * d))
        return self.long

    def allocation(self, system, run):
        """The run from which the curve is taken; not for Leonardo."""
        return own_curve(self.data, run) or self.nearest(system, run)

    def nearest(self, system, run):
        """The allocation whose curve best predicts one run of this allocation, which has no curve of its own."""
        if run not in self.similar:
            line = representative(self.data, run)
            if line is None:
                return LUMI_RUN if system == "lumi" else with_curves(self.data, system)[0]
            ranks, collective, size = int(line["P"]), line["collective"], int(line["bytes"])
            off = {}
            for other in with_curves(self.data, system):
                text = targets.with_collectives(target(system, *lumi(self.data, other), ["0"] * ranks),
                                                **like_mpich(collective))
                found = self.runner.patterns(f"{system}, {run} as {other}", ranks, text,
                                             [case(collective, size, ranks)])
                off[other] = abs(math.log(1e6 * found[0][0] / float(line["median_us"])))
            self.similar[run] = min(off, key=off.get)
        return self.similar[run]

    def target(self, system, ranks, run, copied=0.0, long=None, temporary=0.0):
        """`long`: from of_long(), for long vectors of Leonardo."""
        if system != "leonardo":
            return target(system, *lumi(self.data, self.allocation(system, run)), ["0"] * ranks, copied=copied)
        archive = run.rsplit("_", 1)[0]
        near = far = 0.0
        if ranks >= DISTANT and self.distant:
            at = (archive, ranks)
            if at not in self.distant:
                at = min(self.distant, key=lambda other: (abs(math.log(other[1] / ranks)), other))
            near, far = self.fit(*at)
        curve, rate = self.leonardo, self.rate
        if long:
            temporary, more = long
            curve, rate = self.leonardo_long, rate + more
        return target(system, curve, rate, self.placed(archive, ranks), near, far, copied, temporary)


def make_targets(data, folder):
    fits = Fits(data, Runner(folder))
    temporary, _ = fits.of_long()  # the curve and R are those of vectors in a cache
    return {"leonardo": fits.target("leonardo", 256, "leonardo_0404_182129_0", temporary=temporary),
            "lumi": fits.target("lumi", 16, LUMI_RUN)}


def fitted(row, names, latencies):
    """True if a target is written from the row. `names`: the algorithms of its run that are used; `latencies`: from
    distant()."""
    if row.cluster == "leonardo":
        ranks, collective, _, _, size = row.case
        to = latencies.get((row.run.rsplit("_", 1)[0], ranks), {})
        # The authors' own ring takes as long as the library's.
        return ranks == 4 and collective in ("allgather", "allreduce") or size == SHORT and any(
            kind in to and to[kind][0] == collective and row.algorithm in like
            for kind, like in (("ring", RINGS), ("doubling", DOUBLINGS)))
    return bool(names) and row.algorithm in names


def chosen_by(data, runs):
    """(run, algorithm, bytes) of the rows by which the curves of LUMI's other allocations are chosen."""
    lines = [representative(data, name) for name,
             run in runs.items() if run["system"] != "leonardo" and not own_curve(data, name)]
    return {(line["run"], line["algorithm"], int(line["bytes"])) for line in lines if line}


def rows(data):
    runs = {run["run"]: run for run in known(data, NAME, "runs.csv")}
    own = {run["run"]: sources(data, run["run"]) for run in runs.values() if run["system"] != "leonardo"}
    latencies, by = distant(data), chosen_by(data, runs)
    copying = {(line["run"], line["algorithm"], int(line["bytes"]))
               for line in (copies(data, system) for system in {run["system"] for run in runs.values()}) if line}
    result = []
    for line in read_csv(data, NAME, "collectives.csv"):
        run = runs.get(line["run"], {})
        system, ranks, size = line["system"], int(line["P"]), int(line["bytes"])
        collective, named = line["collective"], line["algorithm"]
        row = Row(NAME, system, f"{line['run']} {collective} {named} P={ranks} {size} B",
                  1e-6 * float(line["median_us"]), [(line["run"], collective, size), (system, collective, named, size)])
        algorithm = named.rsplit("_", 1)[0]
        library = "openmpi-4.1" if named.endswith("_ompi") else "mpich-3"
        if named.endswith("_mpich") and run.get("library_algorithms_differ") == "no":
            algorithm = "default"  # the library ignored the choice
        if algorithm == "non_blocking":
            algorithm = "default"  # the non-blocking operation, with the same sizes
        row.case = (ranks, collective, ALGORITHMS.get(collective, {}).get(algorithm), library, size)
        row.run, row.algorithm = line["run"], named
        row.per_node = int(line["ranks_per_node"])
        if collective not in ALGORITHMS:
            row.why = f"field-patterns has no such operation: {collective}"
        elif fitted(row, own.get(line["run"]), latencies):
            row.why = "the target is written from this run"
        elif (row.run, named, size) in copying:
            row.why = "the cost of copies is fitted to it"
        elif (system, collective, ranks, size) == ("leonardo", "allgather") + COPYING_RING and \
                named in RINGS + ("default_ompi",) or \
                (row.run, collective, named, size) in LONG_RUNS:
            row.why = "the costs of long vectors are fitted to it"
        elif (row.run, named, size) in by:
            row.why = "the target is chosen by it"
        elif algorithm != "default" and row.case[2] is None:
            row.why = f"a target cannot name this algorithm: {named}"
        elif algorithm == "rabenseifner" and named.endswith("_ompi") and ranks <= 16:
            row.why = "an algorithm changed by the authors"
        elif row.per_node > 1:
            row.why = "no measurement says what messages inside a node take"
        elif size < 4 * ranks and collective not in WHOLE_VECTOR:
            row.why = "no whole element for each rank"
        elif system != "leonardo" and not with_curves(data, system):
            row.why = "no measurement says what a message takes"
        result.append(row)
    return result


SPREAD = 0.1  # difference between allocations of one system, and more


def predict(runner, data, all_rows):
    fits = Fits(data, runner)
    jobs = {}
    for row in all_rows:
        if row.why:
            continue
        ranks, collective, algorithm, library, _ = row.case
        try:
            at = row.run if row.cluster == "leonardo" else fits.allocation(row.cluster, row.run)
        except Failed as failure:
            row.why = str(failure)
            continue
        jobs.setdefault((row.cluster, ranks, at, collective, algorithm or library), []).append(row)
    for (system, ranks, at, collective, algorithm), members in sorted(jobs.items()):
        named = {"gather" if collective == "scatter" else collective: algorithm}
        if algorithm == "mpich-3":
            named = like_mpich(collective)
        elif algorithm == "openmpi-4.1":
            named = {}
        library = {"library": "openmpi-4.1"} if members[0].case[3] == "openmpi-4.1" or system == "leonardo" else {}
        sizes = sorted({row.case[4] for row in members})
        label = f"{system} {collective} {algorithm}, {ranks} ranks"
        moved = [size for size in sizes if ranks * size <= LIMIT and size < LONG]

        def text(size=0):
            long, copied = fits.of_long() if size >= LONG and system == "leonardo" else None, 0.0
            # The cost of copies of allgathers is that of Bruck's algorithm.
            if long and (collective, algorithm) != (COPYING[0], "bruck"):
                copied = fits.long_copies
            elif collective == COPYING[0]:
                copied = fits.copy(system)
            return targets.with_collectives(fits.target(system, ranks, at, copied, long), **library, **named)
        try:
            found = {size: runner.operation(f"{label}, {size} bytes", ranks, text(size), collective, size)
                     for size in sizes if size not in moved}
            if moved:
                times = runner.patterns(label, ranks, text(), [case(collective, size, ranks) for size in moved])
                found |= {size: slowest for size, (slowest, _, _) in zip(moved, times)}
        except Failed as failure:
            for row in members:
                row.why = str(failure)
            continue
        for row in members:
            row.predicted = found[row.case[4]]
            # All times of the target scale together.
            row.low, row.high = (1 - SPREAD) * row.predicted, (1 + SPREAD) * row.predicted
