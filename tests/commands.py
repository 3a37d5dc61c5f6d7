"""Common parts of the tests in Python that run commands."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

_held = tempfile.TemporaryDirectory()
folder = pathlib.Path(_held.name)  # for the test's files; removed at the end


def fail(*what):
    sys.exit("FAILED: " + " ".join(map(str, what)))


def check(holds, *what):
    if not holds:
        fail(*what)


class Ended:
    """A command that has ended: exit code, standard output and standard error, and both in one text."""

    def __init__(self, command, done):
        self.command = " ".join(map(str, command))
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.said = self.out + self.err


def run(*command, code=0, seconds=None, environment=None):
    """Runs `command`, with the variables `environment` besides those of this process. Checks that it ends with exit code
    `code` (None: with any) within `seconds`."""
    variables = {name: str(value) for name, value in (environment or {}).items()}
    try:
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=seconds, env={**os.environ, **variables})
    except subprocess.TimeoutExpired:
        fail(f"not over after {seconds} s:", *command)
    ended = Ended(command, done)
    check(code is None or ended.code == code, f"exit code {ended.code}, not {code}: {ended.command}: {ended.said}")
    return ended


def refused(text, *command, program=None):
    """Checks that `command` ends with exit code 2 and an error that contains `text`, a regular expression; in the
    only line of `program`, if that is given."""
    ended = run(*command, code=2)
    if program:
        lines = re.findall(rf"^{program}: ", ended.err, re.MULTILINE)
        check(len(lines) == 1, f"{len(lines)} messages, not one: {ended.command}: {ended.err}")
    check(re.search(text, ended.err), f"no '{text}': {ended.command}: {ended.err}")


def write(name, text):
    """The path of a new file of the test's folder."""
    path = folder / name
    path.write_text(text)
    return path
