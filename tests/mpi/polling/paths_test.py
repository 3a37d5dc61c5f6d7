#!/usr/bin/env python3
"""The critical path of programs that wait by polling (waits.cc): derivatives predict the effects of changes.

A loop of polls looks at instants that are some polls apart. A change of the target that is a multiple of that moves all
looks alike, so the finish moves exactly by the derivative. A change of the cost of a poll moves it by at most a round
of the loop for each wait, in addition to the derivative.
Usage: paths_test.py EMU WAITS"""
import json
import subprocess
import sys
import tempfile

emu, waits = sys.argv[1:]
POLL = 100_000  # ps
# A round of a loop takes 1 or 2 polls, 1.5 with work, and 11 with sleep.
CHANGE = 66 * POLL
ROUND = {"probe-and-sleep": 11 * POLL}  # else 2 polls
CASES = {"probe", "probe-long", "probe-two-tags", "probe-and-clock", "probe-and-work", "probe-and-sleep", "matched-probe", "test",
         "test-any", "test-some", "test-all", "test-all-long", "handshake", "collective", "remote-read"}
USUAL = {"latency": 50_012_345, "send": 12_100_678, "receive": 14_200_901, "poll": POLL}  # ps
KEYS = {"latency": "network.latency", "send": "network.send.fixed", "receive": "network.receive.fixed"}
TARGET = """name = "polling"
compute = "declared"
[network]
latency = "{latency}ps"
gap_per_byte = "0.01us"
eager_limit = "64KiB"
send = {{ fixed = "{send}ps", per_process = "0ps", per_byte = "0ps" }}
receive = {{ fixed = "{receive}ps", per_process = "0ps", per_byte = "0ps" }}
poll = {{ fixed = "{poll}ps" }}
[[node]]
count = 4
"""
folder = tempfile.TemporaryDirectory()
wrong = 0


def run(case, **changed):
    with open(folder.name + "/target.toml", "w") as file:
        file.write(TARGET.format(**{**USUAL, **changed}))
    subprocess.run([emu, "run", "-n", "4", "--target", file.name, "--json", folder.name + "/run.json", waits, case], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=100)
    return json.load(open(folder.name + "/run.json"))


def expect(what, holds):
    global wrong
    if not holds:
        wrong += 1
        print("FAIL:", what)


for case in sorted(CASES):
    usual = run(case)
    finish, path = usual["predicted_picoseconds"], usual["critical_path"]
    asked = sum(rank["poll_seconds"] for rank in usual["per_rank"])
    expect(f"{case}: nobody asks for long: {asked} s", asked > 1e-3)
    for parameter, key in KEYS.items():
        derivative = path["derivatives"][key]
        moved = run(case, **{parameter: USUAL[parameter] + CHANGE})["predicted_picoseconds"] - finish
        expect(f"{case}: {key}: moves by {moved} ps, not by {derivative} x {CHANGE}", moved == derivative * CHANGE)
    # A wait ends with a message on the path.
    waited = path["derivatives"]["network.latency"]
    most = waited * ROUND.get(case, 2 * POLL)
    expect(f"{case}: {path['picoseconds']['poll']} ps of polls on the path, more than {most}", path["picoseconds"]["poll"] <= most)
    moved = run(case, poll=2 * POLL)["predicted_picoseconds"] - finish
    expect(f"{case}: polls that cost twice as much move it by {moved} ps, more than {2 * most}", abs(moved) <= 2 * most)
sys.exit(1 if wrong else 0)
