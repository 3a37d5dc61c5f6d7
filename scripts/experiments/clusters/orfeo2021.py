"""orfeo2021: Jacobi iterations, and messages around a ring, on two nodes of orfeo.

The program of the Jacobi iterations is one that three authors ran; the ring is of one of them. The target of each
kind of node is written from ping-pongs: between two cores of a socket, two sockets, and two nodes. The time of a
point, and that of copying the faces to and from the buffers of messages, come from each author's run with one rank.
No value is fitted to parallel runs, and all of them are predicted, except those with two ranks on a core.

A card carries the messages of all ranks of a node, in each direction at the rate of the longest ping-pong.
"""
import re
import statistics

from clusters import orfeo, targets
from clusters.runs import GRID
from clusters.rows import Row, known, read_csv

NAME = "orfeo2021"
FITTED = 0
EDGE, FACES = 1200, 6  # points; faces of a rank
GROUPS = orfeo.GROUPS
TITLES = {"thin": "orfeo THIN nodes, 2 x 12 cores, Open MPI 4.1.1 with UCX (2021)",
          "gpu": "orfeo GPU nodes, 2 x 12 cores, Open MPI 4.1.1 with UCX (2021)"}


def calibrated(data, folder, partition, placement):
    """The text of the target that emu calibrate makes of one ping-pong."""
    points = [targets.ASSUMED_POLL] + [
        ("half_roundtrip", max(1, int(line["bytes"])), 1e-6 * float(line["half_roundtrip_us"]))
        for line in known(data, NAME, "pingpong.csv")
        if (line["partition"], line["placement"]) == (partition, placement)]
    text = targets.calibrated(folder, f"{NAME}_{partition}_{placement}", TITLES[partition], points, 48,
                              "--card", "free")
    longest = max(points, key=lambda point: point[1])
    return text, longest[2] / longest[1]


def as_link(text, ends):
    """The network of a target as a link between two groups."""
    part = text[text.index("[network]"):text.index("[[node]]")]
    part = re.sub(r"(?m)^card = .*\n", "", re.sub(r"(?m)^\[network\.poll\]\n(.+\n)*", "", part))
    part = re.sub(r' \+- [0-9.]+[a-z]+"', '"', part)  # only [network] may have intervals
    part = part.replace("[[network.piece]]", "[[link.piece]]").replace("[network.", "[link.")
    return part.replace("[network]", f'[[link]]\nfrom = "{ends[0]}"\nto = "{ends[1]}"')


def topology(card):
    """The cards of the two nodes. `card`: seconds per byte."""
    text = '[topology]\nkind = "links"\n'
    for name in ("out-a", "in-a", "out-b", "in-b"):
        text += f'[[topology.link]]\nname = "{name}"\nbandwidth = "{1e12 * card:.3f}ps"\n'
    for node in ("0-23", "24-47"):
        text += f'[[topology.route]]\nfrom = "{node}"\nto = "{node}"\nvia = []\n'
    for ends, via in (('from = "0-23"\nto = "24-47"', '["out-a", "in-b"]'),
                      ('from = "24-47"\nto = "0-23"', '["out-b", "in-a"]')):
        text += f"[[topology.route]]\n{ends}\noneway = true\nvia = {via}\n"
    return text


def target(data, folder, partition, map_by="core", ranks=48):
    """The target. A node of the target is a core, a group of nodes is a socket."""
    text, card = calibrated(data, folder, partition, "node")
    same, _ = calibrated(data, folder, partition, "core")
    other, _ = calibrated(data, folder, partition, "socket")
    text = text[:text.index("[[node]]")]
    text += "".join(f'[[node]]\nname = "{group}"\ncount = {orfeo.CORES}\n' for group in GROUPS)
    text += "".join(as_link(same, (group, group)) for group in GROUPS)
    text += as_link(other, GROUPS[:2]) + as_link(other, GROUPS[2:])
    places = ", ".join(map(str, orfeo.places(map_by, ranks)))
    return text + topology(card) + f"[placement]\npolicy = [{places}]\n"


def make_targets(data, folder):
    return {f"{NAME}_{partition}": target(data, folder, partition) for partition in TITLES}


def rows(data):
    result = []
    for line in read_csv(data, NAME, "jacobi.csv"):
        author, partition, placement, ranks = (line[key] for key in ("author", "partition", "placement", "P"))
        if ranks == "1":
            continue
        row = Row(NAME, f"{NAME}_{partition}", f"{author} jacobi {partition} by {placement} P={ranks}",
                  float(line["seconds"]), [(author, partition, placement), (author, partition, ranks)])
        row.case = (partition, placement, int(ranks), "jacobi", author)
        if placement == "threads":
            row.why = "two ranks share a core"
        result.append(row)
    for line in read_csv(data, NAME, "ring.csv"):
        for kind, key in (("ring", "nonblocking_us"), ("ring-in-turn", "in_turn_us")):
            row = Row(NAME, f"{NAME}_thin", f"Francesc0rtu {kind} P={line['P']}", 1e-6 * float(line[key]),
                      [(kind,), (line["P"],)])
            row.case = ("thin", "core", int(line["P"]), kind, "")
            result.append(row)
    return result


def costs(data):
    """Nanoseconds of a point, and picoseconds of a copied byte, by author and partition."""
    found = {}
    for line in known(data, NAME, "jacobi.csv"):
        if line["P"] == "1":
            work, rest = float(line["work_s"]), float(line["seconds"]) - float(line["work_s"])
            found.setdefault((line["author"], line["partition"]), []).append(
                (1e9 * work / EDGE ** 3, 1e12 * rest / (2 * FACES * 8 * EDGE ** 2)))
    return {key: tuple(map(statistics.median, zip(*values))) for key, values in found.items()}


def predict(runner, data, all_rows):
    cost, jobs = costs(data), {}
    for row in all_rows:
        if not row.why:
            jobs.setdefault(row.case[:3], []).append(row)
    for (partition, placement, ranks), members in sorted(jobs.items()):
        cases = []
        for number, row in enumerate(members):
            kind, author = row.case[3:]
            point, copy = cost.get((author, partition), (0, 0))
            work = f" {EDGE} {point:.6f} {copy:.3f}" if kind == "jacobi" else ""
            cases.append(f"{number} {kind}{work}\n")
        file = runner.write(f"cases-{runner.count + 1:04d}", "".join(cases))
        text = targets.with_collectives(target(data, runner.folder, partition, placement, ranks), library="openmpi-4.1")
        runner.predict(members, f"{partition} by {placement}, {ranks} ranks", ranks, text, GRID, "--cases", file)
