"""Predictions of MPI programs on described clusters: the command `emu` from Python.

    import emu

    target = emu.Target.load("fast-ethernet-64")
    target["network.latency"] = "10us"
    run = emu.run("./app", ranks=16, target=target)
    study = emu.study("./app", "--task", "{T}", ranks="2..64", target=target, sweep={"T": [1, 2, 4]}, search=True)
    print(study.optimum.ranks, study.optimum.sweep, study.optimum.predicted_seconds)
    study.to_pandas()

All times are seconds of virtual time on the target unless a name says otherwise; `host_seconds` is time on this
machine. README.md of the command explains the output of a run and the keys of its JSON, under "emu run", "emu study",
"emu farm" and "emu scatter". `raw` of each result is that JSON. A command that fails raises EmuError.

The module is pure Python over the command. It takes the command from set_command(), the environment variable
EMU_COMMAND, its own installation or build tree, or PATH, in this order.
"""
from emu._command import EmuError, command, set_command
from emu._results import Farm, FarmPoint, Point, Rank, Run, Scatter, Study, Warning
from emu._target import Target
from emu._verbs import farm, run, scatter, study

__all__ = ["EmuError", "Farm", "FarmPoint", "Point", "Rank", "Run", "Scatter", "Study", "Target", "Warning", "command",
           "farm", "run", "scatter", "set_command", "study"]
