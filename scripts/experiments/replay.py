"""GOAL schedules, run by emu run and by LogGOPSim."""
import os
import re

import schedules
from experiment import EMU, FAST_ETHERNET, read, write

SIZES, MESSAGES, BYTES = (64, 1024, 16384), 250_000, 8
# Ranks of one alltoall: a schedule of 30 GB.
TOO_LONG = {("alltoall", 16384), ("at once", 16384)}
# LogGOPSim takes many minutes: each message searches all the receives that wait.
TOO_LONG_FOR_OTHER = {("at once", 1024)}


def wide_target(out):
    target = f"{out}/replay.toml"
    write(target, re.sub(r"^count = .*", f"count = {max(SIZES)}", read(FAST_ETHERNET), flags=re.M))
    return target


def part_replay(samples, rounds):
    """CPU time, since both use one thread. LogGOPSim reads a binary file, made from the text by txt2bin; emu reads
    the text."""
    out, target = samples.out, wide_target(samples.out)
    print(f"GOAL schedules of some {MESSAGES} messages of {BYTES} bytes: millions of messages per second of CPU time")
    if not samples.loggopsim:
        print("  (LogGOPSim and txt2bin are not there: --loggopsim FOLDER)")
    for name, (pattern, per_round) in schedules.PATTERNS.items():
        for ranks in SIZES:
            if (name, ranks) in TOO_LONG:
                continue
            file, count = f"{out}/replay", max(1, MESSAGES // per_round(ranks))
            schedules.write_schedule(f"{file}.goal", ranks, pattern(ranks, count, BYTES))
            key = f"{name.replace(' ', '-')}-{ranks}"
            other = None if (name, ranks) in TOO_LONG_FOR_OTHER else samples.loggopsim
            if other:
                samples.measure(f"{key}-txt2bin", f"{other}/txt2bin", "-i", f"{file}.goal", "-o", f"{file}.bin")
            for _ in range(rounds):
                samples.measure(key, EMU, "run", "--log-level", "error", "--target", target, "--json",
                                f"{out}/last.json", f"{file}.goal")
                if other:
                    samples.measure(f"{key}-other", f"{other}/LogGOPSim", "--batchmode", "-f", f"{file}.bin")
            show(samples, key, f"{name}, {ranks} ranks", count * per_round(ranks) / 1e6, other)
    for name in ("goal", "bin"):
        if os.path.exists(f"{out}/replay.{name}"):
            os.remove(f"{out}/replay.{name}")


def show(samples, key, what, millions, other):
    whole = samples.median(key, "cpu")
    text = f"  {what:26} emu, from text {millions / whole:6.2f}, {samples.median(key, 'mib'):5.0f} MiB"
    if other:
        theirs, made = samples.median(f"{key}-other", "cpu"), samples.median(f"{key}-txt2bin", "cpu")
        text += (f"; LogGOPSim, from its binary {millions / theirs:6.2f}, from text {millions / (theirs + made):6.2f}: "
                 f"emu has {theirs / whole:5.2f} and {(theirs + made) / whole:5.2f} times as many")
    print(text, flush=True)
