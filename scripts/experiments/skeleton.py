"""Installs what is missing, builds, and compares the predictions of performance skeletons with those of their programs.

Each program of apps/kernels that repeats itself, and apps/mase, is recorded on one target; its skeletons, scaled down
by each K, are run on that target and on another one. Work is declared, so all numbers are the same on every machine,
except the seconds that compression took here.

With --measured, work is measured. The prediction of a skeleton is compared with the recorded run, and with the
predictions of five runs of the program here. Nothing else should run meanwhile.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import experiment

POINT = ["--point", "20ns"]
PROGRAMS = {
    "jacobi": ["kernels", "jacobi", "--size", "100", "--rounds", "2000"] + POINT,
    "gradient": ["kernels", "gradient", "--size", "100", "--rounds", "1000"] + POINT,
    "wavefront": ["kernels", "wavefront", "--size", "30", "--rounds", "250"] + POINT,
    "multigrid": ["kernels", "multigrid", "--size", "64", "--rounds", "400"] + POINT,
    "fourier": ["kernels", "fourier", "--size", "64", "--rounds", "500"] + POINT,
    "sort": ["kernels", "sort", "--size", "2000", "--rounds", "600"] + POINT,
    "mase": ["mase", "--size", "256", "--task", "16", "--cost-per-iteration", "1us"],
}

MEASURED = {
    "jacobi": ["kernels", "jacobi", "--size", "400", "--rounds", "600"],
    "gradient": ["kernels", "gradient", "--size", "400", "--rounds", "400"],
    "wavefront": ["kernels", "wavefront", "--size", "60", "--rounds", "100"],
    "multigrid": ["kernels", "multigrid", "--size", "128", "--rounds", "100"],
    "fourier": ["kernels", "fourier", "--size", "128", "--rounds", "400"],
    "sort": ["kernels", "sort", "--size", "20000", "--rounds", "120"],
}
MEASURED_TARGET = "config/ethernet-100g-64.toml"

parser = argparse.ArgumentParser(prog="scripts/skeleton", allow_abbrev=False, description=__doc__)
parser.add_argument("-n", metavar="N", type=int, help="ranks (16; 4 with --measured)")
parser.add_argument("--scale", metavar="K", type=float, action="append",
                    help="how much shorter; may be given several times (10, 100)")
parser.add_argument("--measured", action="store_true", help="programs whose work is measured")
parser.add_argument("programs", metavar="PROGRAM", nargs="*", help="some of " + ", ".join(PROGRAMS) + " (all)")
given = parser.parse_args()
chosen = MEASURED if given.measured else PROGRAMS
ranks = ["-n", str(given.n or (4 if given.measured else 16))]
for name in given.programs:
    if name not in chosen:
        parser.error(f"unknown program: {name} (expected one of {', '.join(chosen)})")


def command(name):
    program, *words = chosen[name]
    return [os.path.join("build/apps", program, program)] + words


def run(words):
    done = subprocess.run([experiment.EMU] + words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"scripts/skeleton: emu {' '.join(words)}:\n{done.stderr}")
    return done


def predicted(folder, words):
    file = os.path.join(folder, "prediction.json")
    run(words[:1] + ["--json", file] + words[1:])
    with open(file) as text:
        return json.load(text)


def other_target(folder):
    """A cluster that differs in everything: CPUs four times as fast, and 100 Gbit/s Ethernet."""
    text = experiment.read("config/ethernet-100g-64.toml")
    text = re.sub(r'compute = "measured"', 'compute = "declared"', text)
    text = re.sub(r"\nspeed = 1.0", "\nspeed = 4.0", text)
    path = os.path.join(folder, "other.toml")
    experiment.write(path, text)
    return path


def rows(folder):
    targets = {"same": experiment.FAST_ETHERNET, "other": other_target(folder)}
    for name in given.programs or PROGRAMS:
        recording = os.path.join(folder, name)
        run(["skeleton", "record", "--target", targets["same"], "-o", recording] + ranks + command(name))
        begin = time.monotonic()
        said = run(["skeleton", "compress", recording])
        seconds = time.monotonic() - begin
        events, symbols = re.search(r"(\d+) events?.*: (\d+) symbols?", said.stderr).groups()
        for where, target in targets.items():
            original = predicted(folder, ["run", "--target", target] + ranks + command(name))["predicted_seconds"]
            for scale in given.scale or [10, 100]:
                p = predicted_by_skeleton(folder, target, scale, recording)
                error = p["predicted_seconds"] / original - 1
                yield [name, events, symbols, f"{seconds:.2f}", where, f"{scale:g}", f"{original:.6f}",
                       f"{p['predicted_seconds']:.6f}",
                       f"{p['half_width_seconds']:.6f}", f"{100 * error:+.2f} %", f"{p['skeleton_seconds']:.6f}",
                       f"{original / p['skeleton_seconds']:.1f}"]


def predicted_by_skeleton(folder, target, scale, recording):
    file = os.path.join(folder, "skeleton.json")
    run(["skeleton", "run", "--target", target, "--scale", str(scale), "--json", file, recording])
    with open(file) as text:
        return json.load(text)


def measured_rows(folder):
    for name in given.programs or MEASURED:
        recording = os.path.join(folder, name)
        run(["skeleton", "record", "--target", MEASURED_TARGET, "-o", recording] + ranks + command(name))
        own = [predicted(folder, ["run", "--target", MEASURED_TARGET] + ranks + command(name))["predicted_seconds"]
               for _ in range(5)]
        for scale in given.scale or [10, 100]:
            p = predicted_by_skeleton(folder, MEASURED_TARGET, scale, recording)
            error = p["predicted_seconds"] / p["recorded_seconds"] - 1
            yield [name, p["events"], p["symbols"], f"{scale:g}", f"{min(own):.4f}", f"{max(own):.4f}",
                   f"{p['recorded_seconds']:.4f}",
                   f"{p['predicted_seconds']:.4f}", f"{p['half_width_seconds']:.4f}", f"{100 * error:+.2f} %",
                   f"{p['recorded_seconds'] / p['skeleton_seconds']:.1f}"]


def main():
    experiment.prepare("skeleton")
    if given.measured:
        table(["program", "events", "symbols", "K", "own, least", "own, most", "recorded", "skeleton's", "+-", "error",
               "shorter"],
              [10, 8, 7, 5, 10, 10, 10, 11, 8, 8, 8], measured_rows)
    else:
        table(["program", "events", "symbols", "seconds", "target", "K", "program's", "skeleton's", "+-", "error",
               "skeleton ran",
               "shorter"], [10, 8, 7, 7, 6, 5, 11, 11, 9, 8, 12, 7], rows)


def table(head, width, lines):
    print("  ".join(f"{text:>{w}}" for text, w in zip(head, width)))
    with tempfile.TemporaryDirectory() as folder:
        for line in lines(folder):
            print("  ".join(f"{text:>{w}}" for text, w in zip(line, width)), flush=True)


main()
