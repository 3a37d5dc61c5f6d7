"""scripts/clusters: the targets in config/clusters, from the measurements in apps/field/data."""
import argparse
import json
import os
import re
import tomllib

import experiment
from clusters import amanelis, cloud_noise, orfeo, orfeo2021, pico, taurus, unr
from clusters.rows import read_csv, summary, Row

DATA = "apps/field/data"
GOOD_FOR = {
    "azure_hc44rs": "messages between nodes of one rack; one rank a node",
    "deep-est": "messages between nodes; one rank a node, up to 16 nodes",
    "taurus": "messages between nodes, and exchanges of 4 MB; between 1 and 4 MB nothing was measured",
    "taurus_one_node": "messages between two ranks of one node",
    "graphene": "messages up to 1 MB between nodes",
    "miriel": "messages up to 1 MB between nodes",
    "stampede": "messages up to 1 MB between nodes",
    "stampede_one_node": "messages between two ranks of one node",
    "leonardo": "collective operations of one rank a node; latencies differ by 10 % and more between allocations",
    "lumi": "collective operations of one rank a node; latencies differ by 40 % between allocations",
    "orfeo": "two full nodes; messages of buffers that have just been written",
    "orfeo_one_node": "messages between two cores of one node",
    "amanelis": "self-scheduling on nodes of which half are shared with another process",
    "orfeo2021_thin": "two full nodes; iterations with messages of a megabyte between all neighbours",
    "orfeo2021_gpu": "as orfeo2021_thin, up to 24 ranks; cores that share memory slow each other down",
    "unr": "masters and slaves on two nodes of 8 cores; inside a node only messages of 4 bytes were measured",
}


def options():
    parser = argparse.ArgumentParser(prog="scripts/clusters", allow_abbrev=False, description=__doc__)
    parser.add_argument("--field", metavar="FILE", help="what scripts/field --json wrote: each target gets its error")
    parser.add_argument("--no-build", action="store_true", help="use the build as it is")
    return parser.parse_args()


def sources(data, name):
    return sorted({f"{line['repository']}, commit {line['commit']}" for line in read_csv(data, name, "sources.csv")
                   if line["repository"]})


def errors(file):
    """By cluster: the median error of its rows, in words."""
    found = {}
    if file:
        for row in json.loads(experiment.read(file))["rows"]:
            if row["predicted_seconds"]:
                found.setdefault(row["cluster"], []).append(
                    Row(row["set"], row["cluster"], row["row"], row["measured_seconds"],
                        predicted=row["predicted_seconds"]))
    return {name: f"{100 * summary(rows)['median_error']:.1f} % in the median, "
            f"{100 * summary(rows)['p90_error']:.1f} % at the 90th percentile, of {len(rows)} measured times" for name, rows in found.items()}


def head(name, module, known):
    text = "".join(f"# Source: {line}\n" for line in sources(DATA, module.NAME))
    text += f"# Good for: {GOOD_FOR[name]}.\n"
    error = known.get({"amanelis": "blades and tens"}.get(name, name))
    text += f"# Error: {error or 'no program of this cluster was measured'}.\n"
    return text + "# scripts/clusters writes this file; how it follows from the source: scripts/experiments/clusters/" \
        f"{module.NAME}.py.\n"


def inline(value):
    """The value as TOML, on one line."""
    if not isinstance(value, dict):
        return json.dumps(value)
    return "{" + ", ".join(f"{key} = {inline(part)}" for key, part in value.items()) + "}"


def as_lines(key, value):
    if not isinstance(value, list):
        return f"{key} = {inline(value)}\n"
    return f"{key} = [\n" + "".join(f"  {inline(row)},\n" for row in value) + "]\n"


def in_rows(text):
    """The target with a row for each piece and for each link and route of the topology, and a line for each other
    table of a [[link]]. Comments in these tables are dropped."""
    blocks, rows = [], []  # the text of each table, and what it contains in rows
    last = {}  # by name: the place of the last table
    for block in re.split(r"^(?=\[)", text, flags=re.MULTILINE):
        name = re.match(r"\[*([\w.]*)", block).group(1)
        of, *keys = name.split(".")
        if keys and (of in ("link", "topology") or keys[0] == "piece"):
            head, _, body = block.partition("\n")
            contents = rows[last[of]]
            if head.startswith("[["):
                contents.setdefault(keys[0], []).append(tomllib.loads(body))
            elif keys[1:]:
                contents[keys[0]][-1][keys[1]] = tomllib.loads(body)
            else:
                contents[keys[0]] = tomllib.loads(body)
            continue
        last[name] = len(blocks)
        blocks.append(block)
        rows.append({})
    return "".join(block.rstrip() + "\n" + "".join(as_lines(*item) for item in own.items()) + "\n" if own else block
                   for block, own in zip(blocks, rows))


def main():
    given = options()
    field = os.path.abspath(given.field) if given.field else None
    if given.no_build:
        os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
        folder = os.path.join("build", "clusters")
        os.makedirs(folder, exist_ok=True)
    else:
        folder = experiment.prepare("clusters")
    known = errors(field)
    os.makedirs("config/clusters", exist_ok=True)
    for module in (amanelis, cloud_noise, pico, taurus, orfeo, unr, orfeo2021):
        for name, text in sorted(module.make_targets(DATA, folder).items()):
            plain = re.sub(r"^# Written by emu calibrate.*\n", "", text)
            experiment.write(f"config/clusters/{name.replace('_', '-')}.toml", head(name, module, known) + in_rows(plain))


if __name__ == "__main__":
    main()
