"""Emulated runs of the programs in apps/field."""
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

    def run(self, label, ranks, target, *program, seconds=900, cwd=None):
        """The lines that the program prints. `target`: the text of a target file; `cwd`: for a program that writes
        files."""
        self.count += 1
        name = f"{self.count:04d}-" + "".join(c if c.isalnum() or c in "-_." else "-" for c in label)
        path = self.write(name + ".toml", target)
        command = [os.path.abspath(EMU), "run", "--cores", "1", "-n", str(ranks), "--target", os.path.abspath(path),
                   *program]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds,
                                  cwd=cwd,
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

    def banded(self, label, ranks, target, cases):
        """As patterns(), three times: with the target's values, and with all uncertain values at either end of their
        intervals."""
        ends = [target, targets.at_ends(target, -1), targets.at_ends(target, 1)]
        names = [label, label + ", low", label + ", high"]
        results = [self.patterns(name, ranks, text, cases) for name, text in zip(names, ends)]
        return list(zip(*results))
