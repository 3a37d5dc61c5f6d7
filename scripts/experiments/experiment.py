"""Common parts of the experiments: options, an up-to-date build, predicted runs, targets, tables and pictures."""
import argparse
import json
import os
import signal
import subprocess
import sys
import tomllib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "apps", "emu", "python"))
import emu  # noqa: E402

EMU = "build/apps/emu/emu"
MASE = "build/apps/mase/mase"
FAST_ETHERNET = "config/fast-ethernet-64.toml"
WORK = ["--cost-per-pixel", "795us"]  # of MASE


def options_of(name, text, **defaults):
    """The command line of scripts/`name`: an option for each of `defaults`, whole numbers (value, least, most,
    meaning)."""
    parser = argparse.ArgumentParser(prog="scripts/" + name, description=text, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for option, (value, least, most, meaning) in defaults.items():
        def number(word, least=least, most=most):
            if not word.isdecimal() or not least <= int(word) <= most:
                raise argparse.ArgumentTypeError(f"invalid number: {word} (expected {least} to {most})")
            return int(word)
        parser.add_argument("--" + option, metavar="N", type=number, default=value, help=f"{meaning} ({value})")
    return parser.parse_args()


def end_by_signals():
    """From this call on SIGINT, SIGTERM and SIGHUP end this process and the commands that it has started, without a
    traceback."""
    # subprocess.run() calls this when it is interrupted. Killed, emu could not remove its temporary files.
    subprocess.Popen.kill = subprocess.Popen.terminate
    shown = sys.excepthook
    sys.excepthook = lambda kind, *rest: None if kind is KeyboardInterrupt else shown(kind, *rest)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, _: sys.exit(128 + number))


def prepare(name, *wanted, targets=()):
    """Installs missing packages, builds everything or these targets, and returns the folder for results, as a path
    from the repository's root. A test, which runs beside others on a finished build, sets EMU_IS_BUILT."""
    end_by_signals()
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    for command in (["scripts/install-dependencies", *wanted], ["scripts/build", *targets]):
        if "EMU_IS_BUILT" not in os.environ and subprocess.run(command).returncode != 0:
            sys.exit(1)
    folder = os.path.join("build", name)
    os.makedirs(folder, exist_ok=True)
    return folder


def die(text):
    sys.exit(os.path.splitext(os.path.basename(sys.argv[0]))[0] + ": " + text)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


class Runs:
    """A sequence of emulated runs on one core, with a line of progress."""

    def __init__(self, count):
        self.count, self.done = count, 0

    def predict(self, file, label, ranks, target, *program, fails=False):
        """One run. Its JSON is returned, and is in `file`; the program's output is in file.out and file.log. None if
        it fails and may (`fails`)."""
        self.done += 1
        width = len(str(self.count))
        print(f"[{self.done:{width}}/{self.count}] {label}: ", end="", flush=True)
        try:
            run = emu.run(*program, ranks=ranks, target=target, cores=1)
        except emu.EmuError as error:
            print("failed", flush=True)
            write(file + ".log", error.message + "\n")
            if fails:
                return None
            sys.exit(error.message)
        write(file, json.dumps(run.raw, indent=2) + "\n")
        write(file + ".out", run.output)
        write(file + ".log", run.errors)
        print(f"{run.predicted_seconds:9.3f} s predicted, {run.host_seconds:5.1f} s here", flush=True)
        return run.raw


def study(file, ranks, target, *program, picture=None):
    """emu study with these numbers of ranks. Returns the JSON in `file`, and the command's output; draws `picture`."""
    # On one core, runs that do little between messages take half the CPU time.
    try:
        found = emu.study(*program, ranks=ranks, target=target, picture=picture, progress=True,
                          environment={"EMU_CORES": "1"})
    except emu.EmuError as error:
        sys.exit(error.message)
    if any(point.failure for point in found.points):
        sys.exit(found.text)
    write(file, json.dumps(found.raw, indent=2) + "\n")
    return found.raw, found.text


class Mase:
    """The computation of apps/mase for an image of size x size pixels, so that a pixel is 795 us of work on average.

    1024 x 1024 pixels are 834 s: chosen so that the closed form of one master has its optimum at 28 processes. The
    paper that measured an optimum there gives no total: the agreement of the two checks arithmetic, and validates
    nothing.
    """

    def __init__(self, size):
        self.tasks = size * size
        self.work = 834 / 1024 / 1024 * self.tasks
        iterations = int(subprocess.run([MASE, "--size", str(size), "--count"], check=True, capture_output=True,
                                        text=True).stdout)
        self.uneven = ["--size", str(size), "--cost-per-iteration", f"{self.work / iterations:.15g}"]
        self.even = ["--size", str(size), "--cost-per-pixel", f"{self.work / self.tasks:.15g}"]


def target_values(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


def split_unit(text):
    """(number, unit) of a value of a target: "0.0268us" is (0.0268, "us")."""
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/")
    return float(number), text[len(number):]


def microseconds(text):
    number, unit = split_unit(text)
    if unit != "us":
        die(f"invalid time in us: {text}")
    return number


def overhead_us(target, side, ranks, size):
    """The cost of a message of `size` bytes at its sender ("send") or receiver ("receive"): target_values()'
    numbers."""
    cost = target["network"][side]
    return (microseconds(cost["fixed"]) + microseconds(cost["per_process"]) * ranks
            + microseconds(cost["per_byte"]) * size)


def gnuplot(script, terminals):
    """Draws `script` once for each (terminal, file); file None is standard output."""
    for terminal, file in terminals:
        head = f"set terminal {terminal}\n" + (f"set output '{file}'\n" if file else "")
        sys.stdout.flush()
        if subprocess.run(["gnuplot"], input=head + script, text=True).returncode != 0:
            die("gnuplot failed")


def block(name, points):
    """A block of data in a gnuplot script, from pairs of numbers."""
    return f"${name} << END\n" + "".join(f"{x} {y:.9g}\n" for x, y in points) + "END\n"


