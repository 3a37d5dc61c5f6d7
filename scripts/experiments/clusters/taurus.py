"""taurus: four patterns of messages of 4 MB between pairs, and HPL (hpl.py).

The target is written from the ping-pong of two nodes: half round trips, MPI_Isend alone, and receives of messages that
have arrived. The ping-pong ends at 1 MB; longer messages arrive at the rate of the wire, 10 Gbit/s less the headers of
TCP and Ethernet.

Two nodes that send to each other take twice as long as one sender, and a node that sends to one and receives from
another takes less than that. So both directions share the link between two nodes, and a card. No ping-pong shows
these rates. Two values are fitted, to rows that are not predicted: 4 MB each way between two nodes, and 4 MB of four
nodes crosswise.
"""
import itertools
import re

from clusters import hpl, targets
from clusters.runs import Failed
from clusters.rows import Row, known, read_csv

NAME = "taurus"
BLOCK = 4_000_000
FITTED = "two rates for both directions together: between two nodes, and of a card"
PAIR, CARD = ("sendrecv_same", "2"), ("sendrecv_diff", "4")  # patterns and ranks to which they are fitted
PATTERNS = ("send", "sendrecv_same", "sendrecv_diff", "alltoall")
NODES, CORES = 12, 12
EAGER = 65536
LONGEST = 1_000_000  # bytes of the ping-pong
# Seconds per byte of 10 Gbit/s Ethernet: 1448 bytes of 1538 are TCP's payload.
WIRE = 0.8e-9 * 1538 / 1448
CLUSTERS = {  # file: title, eager limit, further keys
    "taurus": "taurus, 10 Gbit/s Ethernet, Open MPI over TCP (2016)",
    "graphene": "graphene, 1 Gbit/s Ethernet",
    "miriel": "miriel, MPICH 3.1, Omni-Path (2016)",
    "stampede": "stampede, InfiniBand FDR, MVAPICH2 2.1 (2017)",
    "stampede_one_node": "inside a node of stampede (2017)",
    "taurus_one_node": "inside a node of taurus (2016)",
}


def points(data, cluster):
    found = []
    for line in known(data, NAME, f"pingpong_{cluster}.csv"):
        size = int(line["bytes"])
        found.append(("half_roundtrip", size, 1e-6 * float(line["half_roundtrip_us"])))
        if size <= EAGER:
            found.append(("send", size, 1e-6 * float(line["isend_us"])))
            found.append(("receive", size, 1e-6 * float(line["recv_arrived_us"])))
    for line in known(data, NAME, "small_calls.csv"):
        if line["cluster"] == cluster and line["call"] == "Test":
            found.append(("poll", 1, 1e-6 * float(line["median_us"])))
    return found


def both_ways(data, pattern, ranks):
    """Seconds per byte, if a block leaves a node while another one arrives."""
    line = next(line for line in known(data, NAME, "saturation.csv")
                if (line["pattern"], line["P"]) == (pattern, ranks))
    return 1e-3 * float(line["slowest_rank_median_ms"]) / (2 * BLOCK)


def shared(text, pair, card):
    """The target in which messages share the link between two nodes, and a node's card, in both directions together."""
    text = text.replace('card = "serial"', f'card = "node"\ncard_bandwidth = "{1e12 * WIRE:.3f}ps"\n'
                        f'duplex = "{1e12 * card:.3f}ps"', 1)
    text += '\n[topology]                                   # one link between every two nodes\nkind = "links"\n'
    pairs = list(itertools.combinations(range(NODES), 2))
    for a, b in pairs:
        text += f'[[topology.link]]\nname = "{a}-{b}"\nbandwidth = "{1e12 * pair:.3f}ps"\n'
    for a, b in pairs:
        text += f'[[topology.route]]\nfrom = {a}\nto = {b}\nvia = ["{a}-{b}"]\n'
    return text


def make_targets(data, folder, clusters=None):
    made = {name: targets.calibrated(folder, name, CLUSTERS[name], points(data, name),
                                     NODES if name == "taurus" else 64,
                                     "--eager", f"{EAGER}B") for name in clusters or CLUSTERS}
    if "taurus" in made:
        made["taurus"] = shared(targets.beyond(made["taurus"], LONGEST, WIRE), both_ways(data, *PAIR),
                                both_ways(data, *CARD))
    return {name: targets.with_collectives(text, library="openmpi") if name.startswith("taurus") else text
            for name, text in made.items()}


def inside(data, folder):
    """[[link]] inside a node, from the ping-pong on one node."""
    text = make_targets(data, folder, ["taurus_one_node"])["taurus_one_node"]
    part = text[text.index("[network]"):text.index("[[node]]")]
    lines = [line.split(" +- ")[0] + '"' if " +- " in line else line for line in part.splitlines()
             if not line.startswith(("card", "handshake_trips"))]
    result = "\n".join(lines)
    poll = result.find("[network.poll]")
    if poll >= 0:
        result = result[:poll] + result[result.index("\n[", poll + 1) +
                                        1:] if "\n[" in result[poll + 1:] else result[:poll]
    result = result.replace("[[network.", "[[link.").replace("[network.", "[link.")
    return result.replace("[network]", '[[link]]\ninside = "all"', 1) + "\n"


def measured(text, within, speed):
    """The target `text` with all cores of its nodes, measured compute, and the links `within` nodes. All ranks of HPL
    poll for panels; false answers grow, since every one is emulated if work is measured."""
    text = text.replace("[network.poll]\n", '[network.poll]\ngrowth = "0.1%"\n', 1)
    slots = f"slots = {CORES}\n"
    text = targets.with_nodes(text, NODES, CORES).replace(slots, f"{slots}speed = {speed:.6f}\n", 1)
    text = re.sub(r"^compute = .*$", 'compute = "measured"\nhost_speed = 1.0', text, count=1, flags=re.MULTILINE)
    return text.replace("[[node]]", within + "[[node]]", 1)


def rows(data):
    result = []
    for line in read_csv(data, NAME, "saturation.csv"):
        pattern, ranks = line["pattern"], int(line["P"])
        row = Row(NAME, line["cluster"], f"{line['cluster']} {pattern} P={ranks}",
                  1e-3 * float(line["slowest_rank_median_ms"]), [(line["cluster"], pattern), (line["cluster"], ranks)])
        # The median of consecutive repeats.
        row.case = (pattern, BLOCK, ranks, 3 if pattern == "alltoall" else 11, 0)
        if line["cluster"] != NAME:
            row.why = "the rates of messages that meet are known for taurus alone"
        elif (pattern, line["P"]) in (PAIR, CARD):
            row.why = "the target is fitted to it"
        elif pattern not in PATTERNS:
            row.why = f"field-patterns has no such pattern: {pattern}"
        elif ranks > NODES:
            row.why = f"taurus has {NODES} nodes"
        result.append(row)
    for line in read_csv(data, NAME, "hpl.csv"):
        row = Row(NAME, NAME, f"taurus HPL P={line['ranks']}" + hpl.size_of(line), float(line["real_hpl_s"]), [("hpl",)],
                  smpi=float(line["smpi_optimised_hpl_s"]) if line["smpi_optimised_hpl_s"] else None)
        row.line, row.case = line, None
        if int(line["ranks"]) > NODES * CORES:
            row.why = f"taurus has {NODES * CORES} cores"
        result.append(row)
    return result


def predict(runner, data, all_rows, folder=None):
    """`folder`: of the programs; without it, stored predictions of HPL are used."""
    target = make_targets(data, runner.folder, ["taurus"])["taurus"]
    within = inside(data, runner.folder)
    hpl.predict(runner, data, [row for row in all_rows if row.case is None and not row.why], folder,
                lambda speed: measured(target, within, speed))
    wanted = [row for row in all_rows if row.case and not row.why]
    if not wanted:
        return
    ranks = max(row.case[2] for row in wanted)
    try:
        found = runner.banded(f"taurus, {ranks} ranks", ranks, target, [row.case for row in wanted])
    except Failed as failure:
        for row in wanted:
            row.why = str(failure)
        return
    for row, times in zip(wanted, found):
        row.predicted = times[0][0]
        row.low, row.high = min(t[0] for t in times), max(t[0] for t in times)
