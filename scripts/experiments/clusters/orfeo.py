"""orfeo: broadcasts by Open MPI's algorithms on two nodes of two sockets with 12 cores each.

The loop of the benchmark is emulated: a broadcast, which is timed, then a barrier, which is not; the barrier is that of
Open MPI 4.1, and ranks leave it one after another. Algorithms that are asked for by number do not cut the vector.

What the target is written from:

- inside a node: osu_latency between two cores of one socket, and of two;
- between the nodes: a broadcast to one rank on the other node. Its loop takes the receiver the way of the message and
  that of the barrier's answer, which is why a message takes half of what is printed;
- overheads of a send: what the root of these takes. Inside a node, fitted: the root's time in binary trees of four
  ranks, a curve for two cores of a socket, one for two sockets, and one of those that are placed by node; above 8 KiB
  it is the time from there to the slowest rank, which receives what has just been received;
- fitted, too: each further rank of a node makes an overhead longer by PER_RANK, three values, chosen by errors over all rows, binary trees of 24
  ranks and up to 8 KiB.

Rows that anything is fitted to are not predicted.
"""
from clusters import curves, targets
from clusters.jobs import Failed
from clusters.rows import Row, known, read_csv

NAME = "orfeo"
FITTED = "three curves of 21 points and three values, from binary trees of 4 and 24 ranks"
WHOLE = " in whole"  # the vector is not cut
ALGORITHMS = {"binomial": "binomial-doubling" + WHOLE, "linear": "binomial-doubling" + WHOLE,
              "pipeline": "pipeline" + WHOLE, "chain": "chains" + WHOLE, "binarytree": "binary" + WHOLE, "default": None}
RANKS = (4, 8, 16, 24, 32, 48)  # without --all
CLOCK = 25e-9  # seconds that MPI_Wtime takes, as on the clusters of taurus/small_calls.csv
CALL = 50e-9  # of the root's time what is no send: the call, and the clock
RECEIVE = 50e-9  # seconds of a short receive
EAGER = {"inside": 8192, "between": 2048}  # bytes; beyond them the root takes as long as the receiver
PER_RANK = {"core": 5e-9, "socket": 5e-9, "node": 2e-9}  # seconds
FIT_LIMIT = 8192
GROUPS = ("a0", "a1", "b0", "b1")  # sockets
SHARED = False  # messages share the card and the memory of a node
MEMORY = 1 / 16e9  # seconds per byte of a node's memory, for all messages together
# Two runs of one algorithm, called binomial and linear, differ by more than this in one of ten rows.
SPREAD = 0.074


class Measured:
    """What the target is written from."""

    def __init__(self, data):
        self.inside, self.root, self.slowest = {}, {}, {}
        for line in known(data, NAME, "latency_summary.csv"):
            self.inside.setdefault(line["socket"], {})[int(line["bytes"])] = 1e-6 * float(line["median_us"])
        for line in known(data, NAME, "bcast.csv"):
            key = line["label"], line["map_by"], line["P"]
            if line.get("fastest_rank_us"):
                self.root.setdefault(key, {})[int(line["bytes"])] = 1e-6 * float(line["fastest_rank_us"])
                self.slowest.setdefault(key, {})[int(line["bytes"])] = 1e-6 * float(line["slowest_rank_us"])

    def between(self):
        """Bytes: cost between the nodes."""
        root, slowest = self.root["default", "node", "2"], self.slowest["default", "node", "2"]
        costs, send = {}, {size: max(root[size] - CALL, 0.03e-6) for size in root}
        least = send[1]
        barrier = (slowest[1] - CALL + least + RECEIVE) / 2
        for size in sorted(slowest):
            if size > EAGER["between"]:
                costs[size] = curves.Cost(least, slowest[size] - CALL - least - RECEIVE, RECEIVE)
                continue
            receive = RECEIVE + send[size] - least
            whole = slowest[size] - CALL + least + RECEIVE - barrier
            costs[size] = curves.Cost(send[size], max(whole - send[size] - receive, 0.02e-6), receive)
        return costs

    def sends(self, map_by):
        """Bytes: seconds of a send inside a socket, and from one socket to the other."""
        core, socket = self.root["binarytree", "core", "4"], self.root["binarytree", "socket", "4"]
        same = {size: max((core[size] - CALL) / 2, 0.03e-6) for size in core}
        other = {size: max(socket[size] - CALL - same[size], same[size]) for size in core}
        if map_by == "node":
            node, away = self.root["binarytree", "node", "4"], self.root["default", "node", "2"]
            same |= {size: max(node[size] - CALL - max(away[size] - CALL, 0.03e-6), 0.03e-6) for size in node
                     if size <= EAGER["between"]}
            other = {size: max(other[size], same[size]) for size in other}
        return {"same": same, "other": other}

    def forwarded(self, map_by, size):
        """Seconds of a message that has just been received, which takes longer than one that was sent before."""
        key = "binarytree", map_by, "4"
        return self.slowest[key][size] - self.root[key][size]

    def within(self, map_by, socket):
        """Bytes: cost of a message between two cores of a node."""
        send, costs = self.sends(map_by)[socket], {}
        for size, whole in self.inside[socket].items():
            if size > EAGER["inside"]:
                whole = max(whole, self.forwarded(map_by, size))
                costs[size] = curves.Cost(send[1], whole - send[1] - RECEIVE, RECEIVE)
                continue
            receive = RECEIVE + send[size] - send[1]
            costs[size] = curves.Cost(send[size], max(whole - send[size] - receive, 0.02e-6), receive)
        return costs


def places(map_by, ranks):
    """The core of each rank. Those of the first node are 0 to 23, 12 in each socket."""
    if map_by == "node":
        return [24 * (rank % 2) + rank // 2 for rank in range(ranks)]
    if map_by == "socket":
        return [24 * (rank // 24) + 12 * (rank % 2) + rank % 24 // 2 for rank in range(ranks)]
    return list(range(ranks))


def longer(costs, by):
    return {size: curves.Cost(cost.send + by, cost.way, cost.receive + by) for size, cost in costs.items()}


def topology(card, memory):
    """What messages share: the card of a node in each direction, and its memory. `card`, `memory`: seconds per byte."""
    links = {"memory-a": memory, "memory-b": memory} | {name: card for name in ("out-a", "in-a", "out-b", "in-b")}
    text = '[topology]\nkind = "links"\n'
    for name, per_byte in links.items():
        text += f'[[topology.link]]\nname = "{name}"\nbandwidth = {curves.picoseconds(per_byte)}\n'
    for ends, via in (('from = "0-23"\nto = "0-23"', '["memory-a"]'), ('from = "24-47"\nto = "24-47"', '["memory-b"]'),
                      ('from = "0-23"\nto = "24-47"\noneway = true', '["out-a", "in-b"]'),
                      ('from = "24-47"\nto = "0-23"\noneway = true', '["out-b", "in-a"]')):
        text += f"[[topology.route]]\n{ends}\nvia = {via}\n"
    return text


def target(measured, map_by="core", ranks=48):
    """A node of the target is a core, a group of them a socket."""
    cores = places(map_by, ranks)
    of_node = max(sum(core // 24 == node for core in cores) for node in (0, 1))
    by = PER_RANK[map_by] * max(of_node - 2, 0)
    between = measured.between()
    text = f"""name = "orfeo THIN nodes, 2 x 12 cores each, {ranks} ranks by {map_by}"
compute = "declared"
"""
    text += curves.network("network", between, eager=EAGER["between"])
    text = text.replace("[network]\n", f'[network]\ncard = "{"free" if SHARED else "serial"}"\n', 1)
    text += f'[network.poll]\nfixed = {curves.picoseconds(CLOCK)}\n'
    for group in GROUPS:
        text += f'[[node]]\nname = "{group}"\ncount = 12\n'
    same = longer(measured.within(map_by, "same"), by)
    other = longer(measured.within(map_by, "other"), by)
    for i, group in enumerate(GROUPS):
        text += curves.network("link", same, f'from = "{group}"\nto = "{group}"\n', EAGER["inside"])
        if i % 2 == 0:
            text += curves.network("link", other, f'from = "{group}"\nto = "{GROUPS[i + 1]}"\n', EAGER["inside"])
    if SHARED:
        size = max(between)
        text += topology((between[size].total - between[size // 2].total) / (size / 2), MEMORY)
    return text + "[placement]\npolicy = [" + ", ".join(map(str, cores)) + "]\n"


def make_targets(data, folder):
    measured = Measured(data)
    points = [("half_roundtrip", size, seconds) for size, seconds in measured.inside["same"].items()]
    own = targets.calibrated(folder, "orfeo_one_node", "inside a node of orfeo", points, 2)
    return {"orfeo": target(measured), "orfeo_one_node": own}


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
        elif label == "binarytree" and (ranks == 4 or ranks == 24 and size <= FIT_LIMIT):
            row.why = "the target is fitted to it"
        result.append(row)
    return result


def predict(runner, data, all_rows):
    measured = Measured(data)
    jobs = {}
    for row in all_rows:
        if not row.why:
            label, map_by, ranks, _ = row.case
            jobs.setdefault((ranks, map_by, ALGORITHMS[label] or ""), []).append(row)
    for (ranks, map_by, algorithm), members in sorted(jobs.items(), key=lambda job: job[0]):
        named = {"bcast": algorithm} if algorithm else {}
        text = targets.with_collectives(target(measured, map_by, ranks), library="openmpi-4.1", **named)
        sizes = sorted({row.case[3] for row in members})
        cases = [("bcast", size, ranks, 3, 2) for size in sizes]
        try:
            found = dict(zip(sizes, runner.patterns(f"orfeo {algorithm or 'default'} by {map_by}, {ranks} ranks", ranks,
                                                    text, cases)))
        except Failed as failure:
            for row in members:
                row.why = str(failure)
            continue
        for row in members:
            row.predicted = found[row.case[3]][1]  # the mean of the ranks
            # All times of the target scale together.
            row.low, row.high = (1 - SPREAD) * row.predicted, (1 + SPREAD) * row.predicted
