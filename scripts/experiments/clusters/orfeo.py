"""orfeo: broadcasts by Open MPI's algorithms on two nodes of two sockets with 12 cores each.

The loop of the benchmark is emulated: a timed broadcast, then a barrier that is not timed. The barrier is that of Open
MPI 4.1, and ranks leave it one after another. Algorithms that are selected by number do not cut the vector.

The target is written from these measurements:

- between the nodes: a broadcast to one rank on the other node. In its loop the receiver waits for the message and for
  the barrier's answer, so a message takes half of the printed time. The rate of a node's card is the additional time of
  twice the bytes. A send of 16 to 128 KiB copies the message. The CPU time of this copy is fitted: it is a quarter of
  the time of the root of eight ranks in chains by node. This root sends to four ranks of the other node, and it is
  done before the card could be. Messages from 256 KiB on are read by the receiver, as inside a node: at this size the
  time of osu_latency between two sockets falls from 42 to 18 us;
- inside a node: a forwarded message takes longer than one of osu_latency, whose buffer is not rewritten: 0.17 us longer
  if it is short, and twice as long if it is long. So hops are fitted to pipelines of 8 and of 16 ranks, which differ by
  10 to 20 %, and averaged: a curve for two cores of a socket and one for two sockets;
- the CPU time of a send, which copies the message, is fitted, too, a curve for two cores of a socket and one for two
  sockets: to the time of the root of four ranks, in binary trees for vectors up to 8 KiB, and in chains for longer
  ones;
- if a node has up to four ranks, messages above 8 KiB differ. Their hops take up to a third less time, and are fitted
  to pipelines of four ranks. The receivers read them, so a root with several children does not copy to one after
  another. With more ranks, readers slow each other in a way that a shared rate does not express, and the sender copies
  here. With two ranks in a node no message is forwarded inside it: what the root or the card wrote is read from the
  other socket as fast as from the own one;
- the shared rate of a socket's messages, one value, is fitted to binomial trees of 24 ranks and vectors above 8 KiB.

Rows that are used for a fit are not predicted.
"""
import collections
import statistics

from clusters import curves, targets
from clusters.runs import Failed
from clusters.rows import Row, known, read_csv

NAME = "orfeo"
FITTED = "four curves of 21 points, two of 7, one of 4, and a value, from pipelines of 4, 8 and 16 ranks, trees and " \
    "chains of 4, chains of 8, a binomial tree of 24"
WHOLE = " in whole"  # the vector is not cut
ALGORITHMS = {"binomial": "binomial-doubling" + WHOLE, "linear": "binomial-doubling" + WHOLE,
              "pipeline": "pipeline" + WHOLE, "chain": "chains" + WHOLE, "binarytree": "binary" + WHOLE,
              "knomial": "knomial" + WHOLE, "split_binary": "split-binary" + WHOLE,
              "scatter_allgather": "scatter-doubling", "scatter_allgather_ring": "scatter-ring", "default": None}
MAPPINGS = ("core", "socket", "node")
RANKS = (4, 8, 16, 24, 32, 48)  # without --all
CLOCK = 25e-9  # seconds of a call of MPI_Wtime, as on the clusters of taurus/small_calls.csv
CALL = 50e-9  # part of the root's time that is not a send: the call, and the clock
RECEIVE = 50e-9  # seconds of a short receive
MEMORY = 1 / 16e9  # seconds per byte, shared by the messages of a socket; fitted
EAGER = 2048  # bytes between the nodes; above, the root takes as long as the receiver
READ = (256 << 10) - 1  # bytes between the nodes up to which a receiver does not read a message
GROUPS = ("a0", "a1", "b0", "b1")  # sockets
CORES = 12  # of a socket
PIPELINES = (8, 16)  # ranks
FEW = 4  # ranks of a node up to which receivers read messages above LONG bytes inside it
LONG, LIMIT = 8192, 1 << 30
COPIED = 131072  # bytes up to which a send between the nodes is a copy
FITTED_TO = {("pipeline", map_by, ranks) for map_by in ("core", "socket") for ranks in PIPELINES}
FITTED_TO_SHORT = {("binarytree", "core", 4), ("binarytree", "socket", 4)}  # vectors up to LONG
# Longer vectors. Binomial and linear are one algorithm.
FITTED_TO_LONG = {("binomial", "core", 24), ("linear", "core", 24), ("chain", "core", 4), ("chain", "socket", 4),
                  ("pipeline", "core", FEW), ("pipeline", "socket", FEW)}
FITTED_TO_COPIED = {("chain", "node", 8)}  # vectors above LONG, up to COPIED
# Two runs of one algorithm, named binomial and linear, differ by more than this in one of ten rows.
SPREAD = 0.074


def undisturbed(times):
    """Seconds by bytes, at most those of any larger size: a smaller message that took longer was disturbed."""
    least, result = float("inf"), {}
    for size in sorted(times, reverse=True):
        result[size] = least = min(times[size], least)
    return result


def longer_by_median(single, hops):
    """Seconds of hops by bytes. Up to LONG bytes a hop takes longer than a message of a ping-pong by the median
    difference at five neighbouring sizes."""
    short = sorted(size for size in hops if size <= LONG)
    result = {size: max(hops[size], single[size]) for size in hops}
    for i, size in enumerate(short):
        near = short[max(0, i - 2):i + 3]
        result[size] = single[size] + max(0.0, statistics.median(hops[other] - single[other] for other in near))
    return result


class Measured:
    """The measurements from which the target is written."""

    def __init__(self, data):
        self.inside, self.mean, self.root, self.slowest = {}, {}, {}, {}
        for line in known(data, NAME, "latency_summary.csv"):
            self.inside.setdefault(line["socket"], {})[int(line["bytes"])] = 1e-6 * float(line["median_us"])
        for line in known(data, NAME, "bcast.csv"):
            key = line["label"], line["map_by"], line["P"]
            size = int(line["bytes"])
            self.mean.setdefault(key, {})[size] = 1e-6 * float(line["latency_us"])
            if line.get("fastest_rank_us"):
                self.root.setdefault(key, {})[size] = 1e-6 * float(line["fastest_rank_us"])
                self.slowest.setdefault(key, {})[size] = 1e-6 * float(line["slowest_rank_us"])
        self.mean, self.root, self.slowest = ({key: undisturbed(times) for key, times in kind.items()}
                                              for kind in (self.mean, self.root, self.slowest))

    def card(self):
        """Seconds per byte of a node's card."""
        whole = self.slowest["default", "node", "2"]
        size = max(whole)
        return (whole[size] - whole[size // 4]) / (size - size // 4)

    def between(self):
        """By bytes: cost between the nodes."""
        root, slowest = self.root["default", "node", "2"], self.slowest["default", "node", "2"]
        costs, send = {}, {size: max(root[size] - CALL, 0.03e-6) for size in root}
        least = send[1]
        barrier = (slowest[1] - CALL + least + RECEIVE) / 2
        longer = self.longer()
        copied = self.root["chain", "node", "8"]
        for size in sorted(slowest):
            if size > EAGER:
                own = max((copied[size] - CALL) / 4, least) if LONG < size <= COPIED else least
                costs[size] = curves.Cost(own, slowest[size] - CALL - own - RECEIVE, RECEIVE + longer)
                continue
            receive = RECEIVE + send[size] - least
            whole = slowest[size] - CALL + least + RECEIVE - barrier
            costs[size] = curves.Cost(send[size], max(whole - send[size] - receive, 0.02e-6), receive + longer)
        return costs

    def sends(self):
        """By bytes: seconds of a send inside a socket, and from one socket to the other."""
        result = {"same": {}, "other": {}}
        for label, sizes, near, far in (("binarytree", range(LONG + 1), 1, 1), ("chain", range(LONG + 1, LIMIT), 1, 2)):
            # Number of ranks to which the root sends near and far, mapped by socket; mapped by core, all are near.
            core, socket = self.root[label, "core", "4"], self.root[label, "socket", "4"]
            for size in (size for size in core if size in sizes):
                same = max((core[size] - CALL) / (near + far), 0.03e-6)
                result["same"][size] = same
                result["other"][size] = max((socket[size] - CALL - near * same) / far, same)
        return result

    def hops(self, on_node):
        """By bytes: seconds from one rank of a pipeline to the next, inside a socket, and from one to the other, with
        this number of ranks on a node."""
        sends, found = self.sends(), {"same": {}, "other": {}}
        for size in self.mean["pipeline", "core", str(PIPELINES[0])]:
            lengths = (FEW,) if on_node <= FEW and size > LONG else PIPELINES
            same, other = zip(*(self.hop(ranks, size, sends) for ranks in lengths))
            found["same"][size], found["other"][size] = statistics.mean(same), statistics.mean(other)
        return {socket: longer_by_median(self.inside[socket], hops) for socket, hops in found.items()}

    def hop(self, ranks, size, sends):
        """Seconds of a hop inside a socket, and between sockets, in pipelines of this many ranks."""
        core, socket = (self.mean["pipeline", map_by, str(ranks)][size] for map_by in ("core", "socket"))
        read = ranks <= FEW and size > LONG
        # Rank i is done after i hops, and after its own send unless it is the last rank. If the next rank reads the
        # message, the send lasts for a hop.
        weights = [(ranks - i + read) / ranks for i in range(1, ranks)]
        across = weights[CORES - 1] if ranks > CORES else 0.0  # of the hop to the other socket
        same_send, other_send = (0.0 if read else sends[socket][size] * (ranks - 1) / ranks for socket in sends)
        other = (socket - CLOCK - other_send) / sum(weights)
        return (core - CLOCK - same_send - across * other) / (sum(weights) - across), other

    def longer(self):
        """Seconds by which a short forwarded message takes longer than a message of a ping-pong."""
        return max(0.0, self.hops(CORES)["same"][1] - self.inside["same"][1])

    def within(self, socket, on_node):
        """By bytes: cost of a message between two cores of a node with this number of ranks."""
        send, costs = self.sends()[socket], {}
        longer, hops = self.longer(), self.hops(on_node)
        for size, whole in sorted(hops[socket].items()):
            if on_node <= FEW and size > LONG:
                whole = hops["same" if on_node <= 2 else socket][size]
                costs[size] = curves.Cost(send[1], whole - send[1] - RECEIVE - longer, RECEIVE + longer)
                continue
            # The receiver copies for as long as the sender, if there is time for it.
            shortest = costs[min(costs)].way if costs else max(whole - send[size] - RECEIVE - longer, 0.02e-6)
            way = max(shortest, size * MEMORY)
            receive = RECEIVE + longer + min(send[size] - send[1],
                                             max(whole - send[size] - way - RECEIVE - longer, 0.0))
            costs[size] = curves.Cost(send[size], max(whole - send[size] - receive, 0.02e-6), receive)
        return costs


def places(map_by, ranks):
    """The core of each rank. Those of the first node are 0 to 23, 12 in each socket."""
    if map_by == "node":  # Open MPI binds more than two ranks to sockets, each to the one with fewer ranks
        return [24 * (rank % 2) + 12 * (rank // 2 % 2) + rank // 4 for rank in range(ranks)]
    if map_by == "socket":
        return [24 * (rank // 24) + 12 * (rank % 2) + rank % 24 // 2 for rank in range(ranks)]
    return list(range(ranks))


def topology(card):
    """The shared resources: the memory of a socket, and the card of a node in each direction. `card`: seconds per
    byte."""
    text = '[topology]\nkind = "links"\n'
    links = {f"memory-{group}": MEMORY for group in GROUPS} | {name: card
                                                               for name in ("out-a", "in-a", "out-b", "in-b")}
    for name, per_byte in links.items():
        text += f'[[topology.link]]\nname = "{name}"\nbandwidth = {curves.picoseconds(per_byte)}\n'
    routes = []
    for i, group in enumerate(GROUPS):
        here, memory = f'"{12 * i}-{12 * i + 11}"', f'"memory-{group}"'
        routes.append((f"from = {here}\nto = {here}", f"[{memory}]"))
        if i % 2 == 0:
            routes.append((f'from = {here}\nto = "{12 * i + 12}-{12 * i + 23}"',
                           f'[{memory}, "memory-{GROUPS[i + 1]}"]'))
    routes.append(('from = "0-23"\nto = "24-47"\noneway = true', '["out-a", "in-b"]'))
    routes.append(('from = "24-47"\nto = "0-23"\noneway = true', '["out-b", "in-a"]'))
    return text + "".join(f"[[topology.route]]\n{ends}\nvia = {via}\n" for ends, via in routes)


def target(measured, map_by="core", ranks=48):
    """The target. A node of the target is a core, a group of nodes is a socket."""
    card = measured.card()
    text = f"""name = "orfeo THIN nodes, 2 x 12 cores each, {ranks} ranks by {map_by}"
compute = "declared"
"""
    text += curves.network("network", measured.between(), eager=EAGER, get=READ, acknowledged=False, least=card)
    text += f'[network.poll]\nfixed = {curves.picoseconds(CLOCK)}\n'
    for group in GROUPS:
        text += f'[[node]]\nname = "{group}"\ncount = 12\n'
    on_node = max(collections.Counter(core // (2 * CORES) for core in places(map_by, ranks)).values())
    same, other = measured.within("same", on_node), measured.within("other", on_node)
    limit = LONG if on_node <= FEW else None
    inside = {"least": MEMORY, "eager": limit, "get": limit, "acknowledged": False}
    for i, group in enumerate(GROUPS):
        text += curves.network("link", same, f'from = "{group}"\nto = "{group}"\n', **inside)
        if i % 2 == 0:
            text += curves.network("link", other, f'from = "{group}"\nto = "{GROUPS[i + 1]}"\n', **inside)
    return text + topology(card) + "[placement]\npolicy = [" + ", ".join(map(str, places(map_by, ranks))) + "]\n"


def make_targets(data, folder):
    measured = Measured(data)
    points = [("half_roundtrip", size, seconds) for size, seconds in measured.inside["same"].items()]
    own = targets.calibrated(folder, "orfeo_one_node", "inside a node of orfeo", points, 2)
    return {"orfeo": target(measured), "orfeo_one_node": own}


def fitted_to(size):
    """Label, mapping and ranks of the runs with vectors of this size that something is fitted to."""
    longer = FITTED_TO_LONG | (FITTED_TO_COPIED if size <= COPIED else set())
    return FITTED_TO | (longer if size > LONG else FITTED_TO_SHORT)


def rows(data, everything=False):
    result = []
    for line in read_csv(data, NAME, "bcast.csv"):
        label, map_by, ranks, size = line["label"], line["map_by"], int(line["P"]), int(line["bytes"])
        if not everything and ranks not in RANKS and not (ranks == 2 and map_by == "node"):
            continue
        row = Row(NAME, "orfeo", f"orfeo bcast {label} by {map_by} P={ranks} {size} B",
                  1e-6 * float(line["latency_us"]),
                  [(map_by, ranks, size), (label, map_by, size)])
        row.case = (label, map_by, ranks, size)
        if label not in ALGORITHMS:
            row.why = f"unknown algorithm: {label}"
        elif map_by not in MAPPINGS or not 2 <= ranks <= len(GROUPS) * CORES:
            row.why = f"unknown placement: {ranks} ranks by {map_by}"
        elif ranks == 2 and map_by == "node":
            row.why = "the target is written from it"
        elif (label, map_by, ranks) in fitted_to(size):
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
