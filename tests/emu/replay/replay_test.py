#!/usr/bin/env python3
"""emu trace --replay and --goal: a recorded program on another target, equal to its own run there to the picosecond.

    replay_test.py EMU STATIC CHOOSING KERNELS ROOT
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

EMU, STATIC, CHOOSING, KERNELS, ROOT = *sys.argv[1:5], pathlib.Path(sys.argv[5])
TARGET = ROOT / "config/fast-ethernet-64.toml"


def emu(*words, code=0):
    done = subprocess.run([EMU, *map(str, words)], capture_output=True, text=True, timeout=120)
    if done.returncode != code:
        sys.exit(f"exit code {done.returncode}, not {code}: {words}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def found(text):
    """A prediction, without values that depend on the way in which it was made."""
    made = json.loads(text[text.index("{"):text.rindex("}") + 1])
    return {key: value for key, value in made.items() if key not in ("program", "host_seconds", "warnings")}


def of_program(target, ranks, program, *more):
    return found(emu("run", "--log-level", "error", "-n", ranks, "--target", target, "--json", "-", *more, *program))


def expect(text, *parts):
    for part in parts:
        if part not in text:
            sys.exit(f"no {part!r} in: {text}")


def targets(folder):
    """The target of the recording, and others: eager and rendezvous, speed, cards, shared resources, costs of reductions."""
    text = TARGET.read_text()

    def changed(name, *changes):
        result = text
        for pattern, by in changes:
            result, times = re.subn(pattern, by, result, count=1, flags=re.MULTILINE)
            assert times == 1, (name, pattern)
        path = folder / f"{name}.toml"
        path.write_text(result)
        return path

    network = r"^\[network\]\n"
    return [TARGET,
            changed("handshakes", (r'^eager_limit = .*', 'eager_limit = "50B"')),
            changed("eager", (r'^eager_limit = .*', 'eager_limit = "unlimited"'), (r'^latency = .*', 'latency = "3us"')),
            changed("fast", (r'^card = .*', 'card = "serial"'), (r'^speed = .*', 'speed = 2.5')),
            changed("reducing", (network, '[network]\nreduce_per_byte = "2ns"\ncopy_per_byte = "0.5ns"\n'
                                         'temporary_per_byte = "3ns"\ntemporary_from = "8B"\n'),
                    (r'^fixed = "1us".*', 'fixed = "2us"')),
            changed("jittering", (r'^count = 64', 'count = 64\njitter = "5%"'))]


def check_equal(folder):
    programs = {"static": ([STATIC], 6), "odd": ([STATIC], 5)}
    for kernel in ("jacobi", "gradient", "wavefront"):
        programs[kernel] = ([KERNELS, kernel, "--size", 24, "--rounds", 8, "--point", "50ns"], 6)
    for name, (program, ranks) in programs.items():
        trace = folder / f"trace-{name}"
        recorded = of_program(TARGET, ranks, program, "--trace", trace)
        for target in targets(folder):
            by_program = recorded if target == TARGET else of_program(target, ranks, program)
            if found(emu("trace", trace, "--replay", target, "--json", "-")) != by_program:
                sys.exit(f"{name}: the replay is not the program's run on {target}")
        if recorded == by_program:
            sys.exit(f"{name}: all targets are alike, so nothing was compared")


def events(trace, folder):
    emu("trace", trace, "--perfetto", folder / "trace.json")
    return (folder / "trace.json").read_text()


def check_outputs(folder):
    """Records, pages, warnings and studies of a replay."""
    # For a program whose reductions do not compute: work inside one splits the record of its call, but not the record
    # of a replay.
    trace, again = folder / "trace-gradient", folder / "again"
    emu("run", "--target", TARGET, "--trace", again, trace)
    if events(trace, folder) != events(again, folder):
        sys.exit("the record of a replay is not that of the program")
    emu("run", "--target", TARGET, "--report", folder / "page.html", folder / "trace-static")
    expect((folder / "page.html").read_text(), "collectives")
    expect(emu("run", "--target", TARGET, trace), "critical path:")
    study = emu("study", "--target", TARGET, "--vary", "network.latency=20us,80us", trace)
    expect(study, "20us", "80us")


def check_goal(folder):
    for name, same in (("jacobi", True), ("gradient", True), ("wavefront", True), ("static", False)):
        path = folder / f"{name}.goal"
        emu("trace", folder / f"trace-{name}", "--goal", path)
        other = shutil.copytree(folder / f"trace-{name}", folder / "other", dirs_exist_ok=True)
        shutil.copy(other / "program.0", other / "program.1")
        expect(emu("trace", other, "--goal", folder / "no.goal", code=2), "program.1: of another run than that of rank 0")
        shutil.rmtree(other)
        played = found(emu("run", "--log-level", "error", "--target", TARGET, "--json", "-", path, "--unit", "1ps"))
        recorded = found(emu("trace", folder / f"trace-{name}", "--replay", TARGET, "--json", "-"))
        # The kernels read the clock before and after, unlike a schedule: network.poll is 1 us.
        if same and played["predicted_picoseconds"] != recorded["predicted_picoseconds"] - 2_000_000:
            sys.exit(f"{name}: the schedule takes {played['predicted_seconds']} s, not {recorded['predicted_seconds']}")
        if (played["messages"], played["bytes"]) != (recorded["messages"], recorded["bytes"]):
            sys.exit(f"{name}: the schedule has other messages")


def check_choices(folder):
    reasons = {"source": "rank 0: MPI_Recv receives from any source", "probe": "rank 0: MPI_Probe probes for messages",
               "any": "rank 0: MPI_Waitany waits for whichever", "test": "rank 0: MPI_Test asks whether",
               "ibarrier": "rank 0: MPI_Ibarrier has an operation in the background"}
    for how, reason in reasons.items():
        trace = folder / f"trace-{how}"
        emu("run", "-n", 4, "--target", TARGET, "--trace", trace, CHOOSING, how)
        expect(emu("trace", trace, "--replay", TARGET, code=2), reason)
        # Recorded choices can become a schedule.
        if how == "ibarrier":
            continue
        said = emu("trace", trace, "--goal", folder / "chosen.goal")
        expect(said, "note: the program chooses by what happens (MPI_")
        expect(emu("run", "--target", TARGET, folder / "chosen.goal", "--unit", "1ps"), "predicted", "4 ranks")


def check_refusals(folder):
    trace, bad = folder / "trace-static", folder / "bad"

    def refused(text, *words):
        expect(emu("trace", bad, *words, "--replay", TARGET, code=2), text)

    def copied(change=lambda: None):
        shutil.rmtree(bad, ignore_errors=True)
        shutil.copytree(trace, bad)
        change()

    copied(lambda: (bad / "program.3").write_bytes((trace / "program.3").read_bytes()[:-9]))
    refused("program.3: ends early, after ")
    copied(lambda: (bad / "program.3").write_bytes((trace / "program.3").read_bytes() + b"\0"))
    refused("program.3: damaged: the program ends at byte ")
    copied(lambda: (bad / "program.3").unlink())
    refused("program.3: cannot be read")
    copied(lambda: (bad / "program.0").unlink())
    refused("program.0 is missing")
    copied(lambda: shutil.copy(folder / "trace-odd/program.3", bad / "program.3"))
    refused("program.3: of another run than that of rank 0")
    contents = bytearray((trace / "program.2").read_bytes())
    for i in range(len(contents) // 2, len(contents) // 2 + 20):
        contents[i] = 0xff
    copied(lambda: (bad / "program.2").write_bytes(contents))
    refused("program.2: ")
    copied()
    expect(emu("trace", bad, "--json", "-", code=2), "--json needs --replay")
    expect(emu("trace", bad, code=2), "the format is missing")
    expect(emu("run", "-n", 3, "--target", TARGET, bad, code=2), "invalid number of ranks: 3 (expected 6, as the recorded program")
    expect(emu("run", "--preload", "--target", TARGET, bad, code=2), "is a recorded program, for which no process is started")
    # Other messages for the same operations.
    other = folder / "ring.toml"
    other.write_text(TARGET.read_text() + '\n[collectives]\nallreduce = "ring"\n')
    expect(emu("trace", bad, "--replay", other, code=2), "[collectives] differ")
    # A program that relies on buffers deadlocks without them.
    path = folder / "both"
    emu("run", "-n", 2, "--target", TARGET, "--trace", path, KERNELS, "jacobi", "--size", 8, "--rounds", 2)
    small = folder / "small.toml"
    small.write_text(re.sub(r"^count = 64", "count = 1", TARGET.read_text(), flags=re.MULTILINE))
    expect(emu("trace", path, "--replay", small, code=2), "2 ranks")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_equal(folder)
        check_outputs(folder)
        check_goal(folder)
        check_choices(folder)
        check_refusals(folder)
    print("ok")


main()
