"""Predictions, compared with measured times on a known network."""
import argparse
import contextlib
import datetime
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time

import experiment
from experiment import EMU, MASE, die, read, target_values, write

TEXT = """\
Installs what is missing and builds. Joins two network namespaces of this machine by a link of MBIT Mbit/s and US
microseconds, calibrates it by emu calibrate, predicts the times of some programs on the calibrated target, and runs the
same programs natively over the link, each N times. Prints the prediction, the median of the measured times, and the
error; the table is also in build/validate/table.md. Takes about ten minutes. Needs root, and two cores without other
work: it does not start on a busy host. The exit code is 1 if a row has no result.
"""

KERNELS = "build/apps/kernels/kernels"
# Preloaded into native runs: prints the time of programs that do not print it; lets waiting ranks yield their core.
TIMER, YIELD = (os.path.abspath(f"build/apps/kernels/{name}.so") for name in ("native_timer", "yield"))
MOST_BUSY = 5  # percent of the CPU time that others may use
SETTLE = 3  # seconds for the end of a program that has printed its time

# Opens the network of scripts/network.bash, prints its name, and removes it when no process listens any more.
HOLDER = """\
source scripts/network.bash
trap remove_network EXIT
trap '' INT TERM
if make_network build/tests/emu/calibrate/forwarder "$1" "$2"; then
  printf '%s\\n' "$network_a" "$network_b" "$network_options"
  read -r
else
  echo "$network_why" >&2
fi
"""


def parse():
    parser = argparse.ArgumentParser(prog="scripts/validate", description=TEXT, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)

    def whole(word):
        if not re.fullmatch(r"[1-9][0-9]{0,5}", word):
            raise argparse.ArgumentTypeError(f"invalid number: {word} (expected 1 to 999999)")
        return int(word)

    def pattern(word):
        try:
            return re.compile(word)
        except re.error as error:
            raise argparse.ArgumentTypeError(f"invalid regular expression: {word}: {error}") from error

    for name, meta, value, meaning in (("rate", "MBIT", 100, "of the link, in Mbit/s"),
                                       ("latency", "US", 2000, "of the link, in microseconds"),
                                       ("runs", "N", None, "native runs of each program")):
        parser.add_argument("--" + name, metavar=meta, type=whole, default=value,
                            help=f"{meaning} ({value or '5, with --quick 3'})")
    parser.add_argument("--target", metavar="FILE",
                        help="takes FILE for what calibrating found, such as build/validate/calibrated.toml of an earlier run")
    parser.add_argument("--quick", action="store_true",
                        help="calibrate with fewer repeats, and run everything for a tenth as long")
    parser.add_argument("--busy", action="store_true",
                        help="continue though the host is not quiet; the table says so. Good "
                                                            "for nothing but trying the script")
    parser.add_argument("--only", metavar="PATTERN", type=pattern, default=re.compile(""),
                        help="only the rows in whose name this regular expression is found")
    arguments = parser.parse_args()
    arguments.runs = arguments.runs or (3 if arguments.quick else 5)
    if arguments.target:
        arguments.target = os.path.abspath(arguments.target)
        if not os.path.isfile(arguments.target):
            parser.error(f"--target: no such file: {arguments.target}")
    return arguments


def busy_share():
    """Share of the machine that other processes use now, in percent."""
    def reading():
        numbers = [int(word) for word in read("/proc/stat").split("\n", 1)[0].split()[1:]]
        idle = numbers[3] + numbers[4]
        return idle, sum(numbers[:8])

    before = reading()
    time.sleep(2)
    idle, total = (after - first for first, after in zip(before, reading()))
    return round(100 * (1 - idle / total))


@contextlib.contextmanager
def network(rate, latency):
    """The two namespaces, with mpirun started in the first, and mpirun's options."""
    holder = subprocess.Popen(["bash", "-c", HOLDER, "bash", str(rate), str(latency)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    try:
        first, second, options = (holder.stdout.readline().strip() for _ in range(3))
        if not options:
            sys.exit(2)  # the reason has been printed
        yield (first, second), options.split()
    finally:
        holder.stdin.close()
        holder.wait()


def number(value):
    """The number of a target's value, without its interval."""
    return float(str(value).split()[0])


def preloading(*libraries):
    """mpirun's options for preloading."""
    return ["-genv", "LD_PRELOAD", ":".join(libraries)]


def calibrate(out, inside, options, quick):
    """The target that emu calibrate measures on the network."""
    calibrated = f"{out}/calibrated.toml"
    print("calibrating (a minute or two; build/validate/calibrate.log)", flush=True)
    command = [*inside, "timeout", "900", EMU, "calibrate", "-o", calibrated, "--ranks", "2,4,8", "--nodes", "9",
               *(["--quick"] if quick else []), "--longest", "1MiB", "--measurements", out, "--mpirun",
               " ".join([*options, *preloading(YIELD)])]
    with open(f"{out}/calibrate.log", "w") as log:
        if subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log).returncode != 0:
            sys.stderr.write("\n".join(read(f"{out}/calibrate.log").splitlines()[-20:]) + "\n")
            die("calibrating failed")
    return calibrated


def as_fast_as_the_reference(calibrated, path):
    """The target with a CPU as fast as the reference CPU, in `path`: for programs whose tasks sleep, which takes
    equal time on all CPUs."""
    values = target_values(calibrated)
    ratio = number(values["host_speed"]) / number(values["node"][0]["speed"])
    text = re.sub(r"^host_speed = .*", f"host_speed = {ratio:.15g}", read(calibrated), flags=re.MULTILINE)
    write(path, re.sub(r"^speed = .*", "speed = 1.0", text, flags=re.MULTILINE))
    return path


def seconds(log):
    """The time printed by a program, or by native_timer.so in its place, in seconds; None if neither did."""
    said = re.findall(r"^kernels: ([0-9.]+) s$", read(log), re.MULTILINE)
    return float(said[-1]) if said else None


def last_lines(path):
    return "\n".join(read(path).splitlines()[-5:])


class Nothing(Exception):
    """A row without a result; the text is the reason."""


class Rows:
    """Programs, predicted and measured."""

    def __init__(self, out, spaces, options, arguments):
        self.out, self.spaces, self.options, self.arguments = out, spaces, options, arguments
        self.mpirun = shutil.which("mpirun.mpich") or shutil.which("mpirun")
        self.planned, self.table, self.failures = [], [], 0
        self.begin = time.monotonic()

    def scaled(self, n):
        return str((n + 9) // 10 if self.arguments.quick else n)

    def row(self, name, ranks, target, *program):
        """A row to be predicted once, and measured as often as requested."""
        if self.arguments.only.search(name):
            self.planned.append((name, ranks, target, program))

    def predict(self, ranks, target, program):
        """Seconds, and half of their interval; empty if there is none."""
        log = f"{self.out}/emulated.log"
        with open(f"{self.out}/emulated.out", "w") as out, open(log, "w") as errors:
            code = subprocess.run(["timeout", "300", EMU, "run", "-n", str(ranks), "--target", target, "--json",
                                   f"{self.out}/predicted.json", *program],
                                  stdin=subprocess.DEVNULL, stdout=out, stderr=errors).returncode
        if code != 0:
            raise Nothing("the emulated run: " + last_lines(log))
        run = json.loads(read(f"{self.out}/predicted.json"))
        interval = run.get("predicted_interval_seconds")
        half = f"{(interval[1] - interval[0]) / 2:.3g}" if interval else ""
        return seconds(log) or run["predicted_seconds"], half

    def measure(self, ranks, program, limit):
        """One native run; None if it did not print its time within `limit` seconds. MPICH over UCX over TCP
        sometimes does not end, often in MPI_Finalize, when all work is done: then the run is ended, with its
        remaining processes."""
        preloaded = preloading(YIELD) if program[0] == KERNELS else preloading(YIELD, TIMER)
        log = f"{self.out}/native.log"
        with open(f"{self.out}/native.out", "w") as out, open(log, "w") as errors:
            run = subprocess.Popen(["ip", "netns", "exec", self.spaces[0], self.mpirun, "-n", str(ranks), *self.options,
                                    *preloaded, *program], stdin=subprocess.DEVNULL, stdout=out, stderr=errors)
            end, said = time.monotonic() + limit, None
            while run.poll() is None:
                time.sleep(0.5)
                if said is None and seconds(log) is not None:
                    said = time.monotonic()
                if time.monotonic() > (end if said is None else min(end, said + SETTLE)):
                    run.terminate()
                    for space in self.spaces:
                        self.end_all_of(space)
                    run.wait()
        return seconds(log)

    @staticmethod
    def end_all_of(space):
        for pid in subprocess.run(["ip", "netns", "pids", space], capture_output=True, text=True).stdout.split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)

    def same_answer(self):
        # mpirun's message about an ended run comes after the program's own output.
        expected = read(f"{self.out}/emulated.out").splitlines()
        return read(f"{self.out}/native.out").splitlines()[:len(expected)] == expected

    def run(self, name, ranks, target, program):
        predicted, half = self.predict(ranks, target, program)
        measured = []
        for _ in range(self.arguments.runs):
            took = self.measure(ranks, program, 20 + 3 * round(predicted))
            if took is None:
                continue
            measured.append(took)
            if not self.same_answer():
                raise Nothing("natively another answer than emulated")
        if not measured:
            raise Nothing("no native run came to its end: " + last_lines(f"{self.out}/native.log"))
        median = statistics.median(measured)
        error = 100 * (predicted / median - 1)
        print(f"predicted {predicted:<10.6g} measured {median:<10.6g} {error:+.1f} %", flush=True)
        self.table.append((name, f"{predicted:.6g}", half, f"{median:.6g}", f"{min(measured):.6g}",
                           f"{max(measured):.6g}", error, self.arguments.runs - len(measured)))

    def run_all(self):
        """A row without a result does not end the others."""
        for i, (name, *rest) in enumerate(self.planned, 1):
            print(f"{i:2} of {len(self.planned)}, {time.monotonic() - self.begin:4.0f} s  {name:48} ", end="",
                  flush=True)
            try:
                self.run(name, *rest)
            except Nothing as why:
                self.failures += 1
                print(f"FAILED: {why}", flush=True)


def plan(rows, calibrated, sleeping):
    row, scaled = rows.row, rows.scaled
    for size in (1, 1024, 8192, 16384, 65536, 262144):
        row(f"ping-pong, {size} B", 2, calibrated, KERNELS, "pingpong", "--bytes", str(size), "--rounds", scaled(100))
    for size in (1, 16384, 262144):
        row(f"exchange both ways, {size} B", 2, calibrated, KERNELS, "exchange", "--bytes", str(size), "--rounds",
            scaled(100))
    for task in ("0.1", "1", "10"):
        row(f"master and one slave, tasks of {task} ms", 2, sleeping, KERNELS, "farm", "--task", f"{task}ms",
            "--rounds",
            scaled(300))
    # The Mandelbrot set, computed: the number of iterations determines the time of a task.
    for iterations in (130_000, 1_300_000, 13_000_000):
        row(f"mase with one slave, up to {iterations} iterations", 2, calibrated, MASE, "--size", scaled(24),
            "--iterations", str(iterations))
    for size in (8192, 16384):
        row(f"master and one slave, results of {size} B", 2, sleeping, KERNELS, "farm", "--task", "1ms", "--rounds",
            scaled(300), "--bytes", str(size))
    row("stencil, 100,000 points a rank", 2, calibrated, KERNELS, "stencil", "--size", "100000", "--rounds",
        scaled(300))
    row("conjugate gradient, 500 x 500 a rank", 2, calibrated, KERNELS, "gradient", "--size", "500", "--rounds",
        scaled(100))
    row("sort, 100,000 keys a rank", 2, calibrated, KERNELS, "sort", "--size", "100000", "--rounds", scaled(20))
    for ranks in (3, 4, 6, 8):
        row(f"master and {ranks - 1} slaves, tasks of 50 ms", ranks, sleeping, KERNELS, "farm", "--task", "50ms",
            "--rounds", scaled(200))


def page(rows, arguments, load):
    processor = re.search(r"^model name\s*: (.*)", read("/proc/cpuinfo"), re.MULTILINE)
    used = f"{load} % of its CPU time was used by others when this began, {busy_share()} % when it ended;"
    lines = [f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}, {os.cpu_count()} cores of "
             f"{processor[1] if processor else 'an unknown processor'}; {arguments.rate} Mbit/s, {arguments.latency} us;",
             ("**the host was not quiet**: " if arguments.busy else "") + used,
             f"medians of {arguments.runs} runs{', a tenth as long as without --quick' if arguments.quick else ''}.",
             "",
             "| program | predicted (s) | interval | measured (s) | from | to | error (%) | runs without end |",
             "|---|---|---|---|---|---|---|---|"]
    for *texts, error, unfinished in rows.table:
        lines.append(f"| {' | '.join(texts)} | {error:+.1f} | {unfinished} |")
    errors = [abs(row[-2]) for row in rows.table]
    lines += ["", f"Error, without its sign: median {statistics.median(errors):.1f} %, worst {max(errors):.1f} %. The goal "
                  "is 3 % and 10 %."]
    return "\n".join(lines) + "\n"


def main():
    arguments = parse()
    out = experiment.prepare("validate", "--tests")
    load = busy_share()
    if load > MOST_BUSY and not arguments.busy:
        die(f"this host is not quiet: {load} % of its CPU time is used by others, at most {MOST_BUSY} % may be (--busy "
            "continues, with a note)")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with network(arguments.rate, arguments.latency) as (spaces, options):
        print(f"{arguments.rate} Mbit/s, {arguments.latency} us; {load} % of the machine is used by others", flush=True)
        rows = Rows(out, spaces, options, arguments)
        calibrated = f"{out}/calibrated.toml"
        plan(rows, arguments.target or calibrated, f"{out}/sleeping.toml")
        if not rows.planned:
            die(f'no row has "{arguments.only.pattern}" in its name')
        if not arguments.target:
            calibrate(out, ["ip", "netns", "exec", spaces[0]], options, arguments.quick)
        as_fast_as_the_reference(arguments.target or calibrated, f"{out}/sleeping.toml")
        rows.run_all()
    if not rows.table:
        die("no row came to anything")
    text = page(rows, arguments, load)
    write(f"{out}/table.md", text)
    print(text + f"this took {time.monotonic() - rows.begin:.0f} s")
    if rows.failures:
        die(f"{rows.failures} of the {len(rows.planned)} rows came to nothing")


main()
