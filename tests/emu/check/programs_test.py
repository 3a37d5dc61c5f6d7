#!/usr/bin/env python3
"""Compares emu check's output for every program of this build with that of binutils: the refused functions in the
program, and whether libemu is in it. A program that can stop according to emu check does stop where it calls the named
function.
Usage: programs_test.py EMU FUNCTIONS BUILD TARGET      FUNCTIONS: a line for each function, with its class"""
import collections
import os
import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2]))
from commands import check, run

emu, functions, build, target = (pathlib.Path(word).resolve() for word in sys.argv[1:])
for name in ("LD_PRELOAD", "LD_LIBRARY_PATH", "EMU_TARGET"):
    os.environ.pop(name, None)
class_of = dict(line.split()[:2] for line in functions.read_text().splitlines())


def programs():
    for folder in ("tests", "apps"):
        for path in sorted((build / folder).rglob("*")):
            inside = path.relative_to(build).parts
            if path.is_file() and os.access(path, os.X_OK) and ".so" not in path.name \
                    and not any(part.endswith(".p") for part in inside) and path.open("rb").read(4) == b"\x7fELF":
                yield path


def output(*command):
    """What `command` prints, whatever its exit code: nm fails if one of many files has no symbols."""
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout


def functions_of(paths):
    """{path: functions of MPI that the program itself refers to, by their MPI names}."""
    found = collections.defaultdict(set)
    for line in output("nm", "-D", "-A", "--undefined-only", *paths).splitlines():
        path, symbol = re.match(r"(.*): +\w (\S+)$", line).groups()
        function = re.sub("^PMPI", "MPI", symbol.split("@")[0])
        if function in class_of:
            found[pathlib.Path(path)].add(function)
    return found


def with_libemu(paths):
    """The programs that need libemu themselves: no library of this build needs it."""
    parts = re.split(r"^File: (/.*)$", output("readelf", "-d", *paths), flags=re.MULTILINE)[1:]
    return {pathlib.Path(path) for path, entries in zip(parts[::2], parts[1::2]) if "[libemu.so" in entries}


def verdict(path, called, linked):
    """Checks emu check's output for one program, and returns its kind."""
    ended = run(emu, "check", path, code=None)
    said = f"{path}: ends with {ended.code}: {ended.said}"
    if not linked:
        by_preload = ": will run under libemu with --preload" in ended.said and "emu run --preload" in ended.said
        check(ended.code == 1 or by_preload, "libemu is not in it:", said)
        return "other"
    refused = {function for function in called if class_of[function] == "refused"}
    if not refused:
        check(ended.code == 0 and ": will run under libemu" in ended.said, said)
        missing = called - set(re.findall(r"MPIX?_\w+", ended.said))
        check(not missing, "not named:", *sorted(missing), said)
        return "runs"
    check(ended.code == 1 and "will stop under libemu if it calls a refused function" in ended.said, said)
    for function in refused:
        check(re.search(f"refused: .*{function}", ended.said), function, "is not named:", said)
    return "stops"


def stops(program, argument, function):
    path = build / program
    if not path.exists():
        return
    ended = run(emu, "run", "-n", "3", "--target", target, path, argument, code=1, seconds=60)
    check(f"called {function}, which is not emulated" in ended.said, f"{path} {argument}:", ended.said)


paths = list(programs())
called, linked = functions_of(paths), with_libemu(paths)
seen = collections.Counter(verdict(path, called[path], path in linked) for path in paths)
stops("tests/mpi/failures/noticed", "revoke", "MPIX_Comm_revoke")
stops("tests/host/robust/misuse", "refused", "MPI_Open_port")
print(f"{seen['runs']} programs that run, {seen['stops']} that can stop, {seen['other']} without libemu")
check(seen["runs"] >= 5, "there are hardly any programs: build them first")
