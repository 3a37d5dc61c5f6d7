#!/usr/bin/env python3
"""Executes the code of a notebook, cell after cell, in its own folder, like Jupyter; the notebook has no magics.

    notebook_test.py NOTEBOOK MODULES EMU EMUCC
"""
import json
import os
import sys
import tempfile

NOTEBOOK, MODULES, EMU, EMUCC = (os.path.abspath(path) for path in sys.argv[1:5])
sys.path.insert(0, MODULES)
os.environ |= {"EMU_COMMAND": EMU, "EMUCC": EMUCC}
with open(NOTEBOOK, encoding="utf-8") as file:
    notebook = json.load(file)
assert notebook["nbformat"] == 4
names = {"__name__": "__main__"}
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.environ["XDG_CACHE_HOME"] = folder
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            assert not cell["outputs"] and cell["execution_count"] is None, "outputs are not kept"
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    os.chdir("/")
pair = names["pair"]
assert pair.optimum == min(pair.points, key=lambda point: point.predicted_seconds)
assert pair.optimum.predicted_seconds < names["study"].optimum.predicted_seconds, "longer tasks do not help"
