"""Emulated runs of the programs in apps/field, and of single collective operations."""
import json
import os
import subprocess

from clusters import targets

EMU = "build/apps/emu/emu"
PATTERNS = "build/apps/field/field-patterns"
COLUMNS = "build/apps/field/field-columns"
ROWS = "build/apps/field/field-rows"
GRID = "build/apps/field/field-grid"


class Failed(Exception):
    """A run that ended with an error; the text is the last line of its output."""


def step(collective, size, ranks):
    """The line of a skeleton for an operation. `size`: of a rank's vector, or of all blocks of a rank together."""
    block = size // ranks
    fields = {"bcast": f"peer=0 bytes={size}", "reduce": f"peer=0 bytes={size} unit=4",
              "allreduce": f"bytes={size} unit=4", "reduce_scatter": f"list={block}x{ranks} unit=4",
              "allgather": f"bytes={block}", "alltoall": f"bytes={block}", "gather": f"peer=0 bytes={block}",
              "scatter": f"peer=0 bytes={block}"}[collective]
    return f"{collective} {fields} times=1"


class Runner:
    """Runs jobs one after another in a folder, which keeps their inputs and outputs."""

    def __init__(self, folder, say=print):
        self.folder, self.say, self.count = folder, say, 0
        self.said = ""  # error output of the last run

    def file(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.file(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.file(name)

    def emu(self, label, target, arguments, seconds=900, cwd=None):
        """The lines that emu prints. `target`: the text of the target file; `arguments(path)`: of emu, with the path of
        this file."""
        self.count += 1
        name = f"{self.count:04d}-" + "".join(c if c.isalnum() or c in "-_." else "-" for c in label)
        path = os.path.abspath(self.write(name + ".toml", targets.first_model(target) if targets.plain else target))
        try:
            done = subprocess.run([os.path.abspath(EMU), *arguments(path)], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=seconds, cwd=cwd,
                                  env=os.environ | {"OMP_NUM_THREADS": "1"})  # as for the predictions of pcad
        except subprocess.TimeoutExpired:
            raise Failed(f"the run took more than {seconds} s here") from None
        self.said = done.stderr
        self.write(name + ".out", done.stdout)
        self.write(name + ".log", done.stderr)
        if done.returncode != 0:
            raise Failed((done.stderr.strip().splitlines() or ["no message"])[-1])
        self.say(f"  {label}: done", flush=True)
        return done.stdout.splitlines()

    def run(self, label, ranks, target, *program, **others):
        """The lines that the program prints. `target`, `others`: as for emu(); `cwd` is for a program that writes
        files."""
        return self.emu(label, target, lambda path: ["run", "--cores", "1", "-n", str(ranks), "--target", path, *program],
                        **others)

    def predict(self, rows, label, ranks, target, *program):
        """Runs a program that prints a line NAME SECONDS for each row. Sets the rows' predictions, or the reason why
        there is none."""
        try:
            lines = self.run(label, ranks, target, *program)
        except Failed as failure:
            for row in rows:
                row.why = str(failure)
            return
        for row, line in zip(rows, lines, strict=True):
            row.predicted = float(line.split()[1])

    def patterns(self, label, ranks, target, cases):
        """Runs patterns. `cases`: (pattern, bytes, ranks, repeats, start). Returns the slowest, mean and fastest
        time of each, in seconds."""
        lines = "".join(" ".join(map(str, case)) + "\n" for case in cases)
        file = self.write(f"cases-{self.count + 1:04d}", lines)
        out = self.run(label, ranks, target, PATTERNS, file)
        return [tuple(map(float, line.split()[3:6])) for line in out]

    def operation(self, label, ranks, target, collective, size):
        """Seconds of one collective operation, which all ranks begin at one instant. Its vectors of `size` bytes take
        no memory, unlike in patterns(): it is a skeleton."""
        lines = ["skeleton 1", f"program {collective}", f"ranks {ranks}", step(collective, size, ranks), "finalize times=1",
                 "end"]
        file = os.path.abspath(self.write(f"operation-{self.count + 1:04d}.skel", "\n".join(lines) + "\n"))
        out = self.emu(label, target, lambda path: ["skeleton", "run", "--scale", "1", "--target", path, "--json", "-",
                                                    file])
        return json.loads("\n".join(out))["predicted_seconds"]

    def banded(self, label, ranks, target, cases):
        """As patterns(), three times: with the target's values, and with all uncertain values at either end of their
        intervals."""
        ends = [target, targets.at_ends(target, -1), targets.at_ends(target, 1)]
        names = [label, label + ", low", label + ", high"]
        results = [self.patterns(name, ranks, text, cases) for name, text in zip(names, ends)]
        return list(zip(*results))
