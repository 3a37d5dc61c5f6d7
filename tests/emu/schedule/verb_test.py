#!/usr/bin/env python3
"""emu run on GOAL schedules: times as with the processes of apps/goal, records, and clear errors for wrong input.

    verb_test.py EMU GOAL ROOT
"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

EMU, GOAL, ROOT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
sys.path.insert(0, str(ROOT / "scripts/experiments"))
import schedules  # noqa: E402

TARGET = str(ROOT / "config/fast-ethernet-64.toml")


def emu(*words, code=0):
    done = subprocess.run([EMU, *map(str, words)], capture_output=True, text=True, timeout=120)
    if done.returncode != code:
        sys.exit(f"exit code {done.returncode}, not {code}: {words}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def predicted(*words, target=TARGET):
    """The prediction, without values that depend on the way in which it was made."""
    text = emu("run", "--log-level", "error", "--target", target, "--json", "-", *words)
    found = json.loads(text[text.index("{"):text.rindex("}") + 1])
    return {key: value for key, value in found.items() if key not in ("program", "host_seconds", "warnings")}


def expect(text, *parts):
    for part in parts:
        if part not in text:
            sys.exit(f"no {part!r} in: {text}")


def check_times(folder):
    graph = ROOT / "tests/apps/graph.goal"
    several = {"graph": (graph, 3, ("--unit", "1us"))}
    for name, (pattern, _) in schedules.PATTERNS.items():
        # Eager; and by rendezvous, if no rank waits for its own send first.
        for size in (8,) if name in ("ring", "alltoall") else (8, 100_000):
            path = folder / f"{name.replace(' ', '-')}-{size}.goal"
            schedules.write_schedule(path, 6, pattern(6, 3, size))
            several[f"{name}, {size} bytes"] = path, 6, ()
    serial = folder / "serial.toml"
    serial.write_text(re.sub(r'^card = .*', 'card = "serial"', pathlib.Path(TARGET).read_text(), flags=re.MULTILINE))
    for name, (path, ranks, unit) in several.items():
        for target in (TARGET, serial):
            by_processes = predicted("-n", ranks, GOAL, path, *unit, target=target)
            if predicted(path, *unit, target=target) != by_processes:
                sys.exit(f"{name}: not the prediction of {ranks} processes on {target}")
            if predicted("--trace", folder / "trace", path, *unit, target=target) != by_processes:
                sys.exit(f"{name}: recorded, not the prediction of {ranks} processes on {target}")


def events(trace, folder):
    emu("trace", trace, "--perfetto", folder / "trace.json")
    return (folder / "trace.json").read_text()


def check_records(folder):
    """A recorded run equals that of the processes, call by call."""
    path = folder / "stencil-8.goal"
    emu("run", "--target", TARGET, "--trace", folder / "own", path)
    emu("run", "-n", 6, "--target", TARGET, "--trace", folder / "processes", GOAL, path)
    if events(folder / "own", folder).replace("stencil-8.goal", "goal") != events(folder / "processes", folder):
        sys.exit("the trace of a schedule is not that of processes")
    emu("run", "--target", TARGET, "--report", folder / "page.html", path)
    expect((folder / "page.html").read_text(), "stencil-8.goal")


def check_refusals(folder):
    def refused(text, *words, name="bad.goal", contents=None, code=2):
        if contents is not None:
            (folder / name).write_text(contents)
        expect(emu("run", "--target", TARGET, *words, folder / name, code=code), text)

    two = "num_ranks 2\nrank 0 {\n%s\n}\nrank 1 {\n%s\n}\n"
    good = two % ("send 8b to 1", "recv 8b from 0")
    refused("invalid number of ranks: 3 (expected 2, as the schedule", "-n", "3", contents=good)
    for option in (["--preload"], ["--host-clocks"], ["--cores", "1"], ["--mpirun", "-v"]):
        refused(f"{option[0]}: ", *option, contents=good)
    expect(emu("run", "--target", TARGET, folder / "bad.goal", "--unit", "0us", code=2), 'invalid --unit of the schedule: "0us"')
    expect(emu("run", "--target", TARGET, folder / "bad.goal", "--fast", code=2), 'invalid argument of the schedule')
    refused("bad.goal:1: expected 'num_ranks N' first", contents="num_rank 2\n")
    refused("bad.goal:3: expected a size like", contents=two % ("send to 1", ""))
    refused("bad.goal:3: peer '2' is not one of 0 to 1", contents=two % ("send 8b to 2", ""))
    refused("bad.goal:4: no operation of rank 0 has the label 'b'", contents=two % ("a: calc 1\na requires b", ""))
    refused("depends on itself", contents=two % ("a: calc 1\nb: calc 1\na requires b\nb requires a", ""))
    refused("is longer than 53 days", contents=two % ("calc 9223372036854775807", ""))
    refused("65 ranks", contents="num_ranks 65\n")
    refused("rank 0 has no closing '}'", contents="num_ranks 1\nrank 0 {\ncalc 1\n")
    refused("bad.goal:1: no 'num_ranks N'", contents="")
    refused("bad.goal:3: peer '-1' is not one of 0 to 1", contents=two % ("recv 8b from -1", ""))
    refused("not '9223372036854775808'", contents=two % ("calc 9223372036854775808", ""))
    refused("not '-8b'", contents=two % ("send -8b to 1", ""))
    refused("label 'a' is used twice in rank 0", contents=two % ("a: calc 1\na: calc 1", ""))
    refused("bad.goal:2: expected 'rank R {', not '" + 60 * "y" + "...'\n", contents="num_ranks 2\n" + 100_000 * "y")
    (folder / "bad.goal").write_bytes(b"num_ranks 2\nrank 0 {\n\xff\xfe\x01\n")
    refused("bad.goal:3: expected 'send', 'recv', 'calc', 'X requires Y' or '}', not '???'")


def check_shortage(folder):
    """Less memory than the ranks need ends the command with one error, wherever it is detected."""
    path, serial, found = folder / "many.goal", folder / "many.toml", set()
    serial.write_text(re.sub(r"^count = .*", "count = 3000", (folder / "serial.toml").read_text(), flags=re.MULTILINE))
    schedules.write_schedule(path, 3000, schedules.ring(3000, 2, 8))
    for mebibytes in range(225, 331, 15):
        done = subprocess.run([EMU, "run", "--log-level", "error", "--target", serial, path], capture_output=True, text=True, timeout=120,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20)))
        words = done.stderr.split("\n")
        if done.returncode == 1 and len(words) == 2:
            expect(done.stderr, "emu: error: no ", f" MiB of addresses, of {mebibytes} MiB that ulimit -v permits", "run with fewer ranks")
        elif done.returncode != 0:
            sys.exit(f"exit code {done.returncode} with {mebibytes} MiB: {done.stderr}")
        found.add(done.returncode)
    if found != {0, 1}:
        sys.exit(f"not both too little memory and enough: {found}")


def check_deadlocks(folder):
    def stuck(contents, *parts):
        path = folder / "stuck.goal"
        path.write_text(contents)
        expect(emu("run", "--target", TARGET, path, code=1), "deadlock: no rank can continue", *parts)

    # Both receive first.
    stuck("num_ranks 2\nrank 0 {\na: recv 8b from 1\nb: send 8b to 1\nb requires a\n}\n"
          "rank 1 {\na: recv 8b from 0 tag 0\nb: send 8b to 0\nb requires a\n}\n",
          "rank 0 waits in MPI_Recv for rank 1, tag 0", f"rank 0: {folder}/stuck.goal:3: recv 8b from 1 tag 0",
          f"rank 1: {folder}/stuck.goal:8: recv 8b from 0 tag 0")
    # A message that no rank sends, and a message that no rank receives.
    stuck("num_ranks 2\nrank 0 {\nrecv 8b from 1 tag 7\ncalc 1\n}\n", f"stuck.goal:3: recv 8b from 1 tag 7", "finished already: 1 rank")
    stuck("num_ranks 2\nrank 0 {\nsend 100000b to 1\n}\n", "waits in MPI_Send for rank 1", "stuck.goal:3: send 100000b to 1 tag 0")
    # A message that is longer than its receive.
    path = folder / "long.goal"
    path.write_text("num_ranks 2\nrank 0 {\nsend 9b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n")
    expect(emu("run", "--target", TARGET, path, code=1), "rank 1: MPI_Recv: message truncated: 9 bytes from rank 0")


def most_memory(*words):
    """The largest resident size of the command, in KiB."""
    child = subprocess.Popen([EMU, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"exit code {child.returncode}: {words}")
    return usage.ru_maxrss


def check_memory(folder):
    """A schedule that is larger than the permitted memory: equal picoseconds, in less memory."""
    path = folder / "large.goal"
    for pattern, count in ((schedules.ring, 16_000), (schedules.stencil, 2000)):
        schedules.write_schedule(path, 16, pattern(16, count, 8))
        if predicted(path, "--memory", "1MiB") != predicted(path):
            sys.exit(f"{pattern.__name__}: streamed, another prediction")
        streamed, whole = most_memory("run", "--target", TARGET, path, "--memory=1MiB"), most_memory("run", "--target", TARGET, path)
        if streamed > 0.7 * whole:
            sys.exit(f"{pattern.__name__}: {streamed} KiB streamed, {whole} KiB in memory")
    text = path.read_text()
    expect(emu("run", "--target", TARGET, path, "--memory", "0B", code=2), 'invalid --memory of the schedule: "0B"')
    # The last rank waits for a message that no rank sends: operations of a streamed schedule are found in the file,
    # too.
    end, last = text.rindex("}"), text.count("\n")
    path.write_text(f"{text[:end]}l18000: recv 8b from 3 tag 77\nl18000 requires l17999\n}}\n")
    expect(emu("run", "--target", TARGET, path, "--memory", "1MiB", code=1), "deadlock: no rank can continue",
           f"rank 15: {path}:{last}: recv 8b from 3 tag 77")
    # A schedule that cannot be streamed, and is too large for memory: the error names the line.
    path.write_text(text.replace("l", "x", 1))
    expect(emu("run", "--target", TARGET, path, "--memory", "64KiB", code=2), "rank 0 needs more than 1024 operations in memory, because",
           "in or shortly before line 4 labels", "expected a larger --memory")
    path.write_text("num_ranks 1\nrank 0 {\n" + "".join(f"l{i}: recv 8b from 0\n" for i in range(100_000)) + "}\n")
    expect(emu("run", "--target", TARGET, path, "--memory", "1MiB", code=1),
           "rank 0 has 32768 operations in progress or waiting, and all ranks together more than 1 MiB of them")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_times(folder)
        check_records(folder)
        check_refusals(folder)
        check_deadlocks(folder)
        check_memory(folder)
        check_shortage(folder)
    print("ok")


main()
