#!/usr/bin/env python3
"""keys_test.py EMU ROOT: the table of keys in config/README.md has the keys that a target file accepts, and no others.

emu says which keys and which algorithms it accepts when it refuses unknown ones.
"""
import re
import subprocess
import sys
import tempfile

emu, root = sys.argv[1:]
OPERATIONS = "barrier bcast reduce allreduce reduce_scatter gather allgather alltoall".split()
TABLES = ["", "[network]", "[network.send]", "[network.receive]", "[network.poll]", "[[network.piece]]",
          '[topology]\nkind = "links"', "[[topology.link]]", "[[topology.route]]", "[[node]]", "[node.watts]",
          "[placement]", "[[link]]", "[[event]]", "[storage]", "[[availability]]", "[[load]]", "[collectives]"]


def refused(text):
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(text)
        file.flush()
        return subprocess.run([emu, "target", file.name], capture_output=True, text=True, check=False).stderr


def words(text):
    return re.findall('"([^"]+)"', text)


rows = {}
with open(root + "/config/README.md", encoding="utf-8") as file:
    for line in file:
        cells = line.split(" | ")
        for key in re.findall(r"`([\w.]+)`", cells[0]) if line.startswith("| `") and len(cells) == 4 else []:
            rows[key] = line

wrong = []
known = set()
unknown = refused("".join(f"{table}\nx = 1\n" for table in TABLES))
for table, list_of_keys in re.findall(r":\d+: ([\w.]*)\bx: unknown key \(expected one of (.*)\)", unknown):
    known |= {table + key for key in words(list_of_keys)}
# A table has the rows of its keys; node.watts has a row for both of its keys.
tables = {key for key in known if any(other.startswith(key + ".") for other in known)}
keys = {key for key in known - tables if not key.startswith("node.watts.")} | {"node.watts"}
wrong += [f"{key}: has no row" for key in sorted(keys - rows.keys())]
wrong += [f"{key}: has a row, but is unknown" for key in sorted(rows.keys() - known)]
if len(re.findall("unknown key", unknown)) != len(TABLES):
    wrong.append("a table accepts the key x, or emu does not look at it")

names = refused("[collectives]\n" + "".join(f'{operation} = "?"\n' for operation in OPERATIONS))
for operation in OPERATIONS:
    accepted = re.search(rf"collectives\.{operation}: unknown .*expected one of (.*), also", names)[1]
    if words(rows[f"collectives.{operation}"].split(" | ")[1]) != words(accepted):
        wrong.append(f"collectives.{operation}: the row does not have {accepted}")
print("\n".join(wrong))
sys.exit(bool(wrong))
