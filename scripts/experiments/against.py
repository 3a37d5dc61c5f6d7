"""CPU time per message, start and end, and the time of a study, of this build and of an earlier commit in turn."""
import os
import re
import subprocess
import sys

from experiment import EMU, FAST_ETHERNET, MASE, WORK, die, read, write
from samples import rounds_of


def build_commit(out, commit):
    """Builds the sources of a commit. Returns the folder."""
    there = f"{out}/{commit}"
    if not os.path.isdir(there):
        if subprocess.run(["git", "rev-parse", "--verify", "--quiet", commit + "^{commit}"],
                          stdout=subprocess.DEVNULL).returncode != 0:
            print(f"bench: --against: no such commit: {commit}", file=sys.stderr)
            sys.exit(2)
        os.makedirs(there)
        archive = subprocess.run(["git", "archive", commit], check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["tar", "-x", "-C", there], check=True, input=archive)
    log, build = f"{out}/against.log", f"{there}/build"
    commands = [["ninja", "-C", build, "apps/emu/emu", "apps/mase/mase"]]
    if not os.path.exists(f"{build}/build.ninja"):
        commands.insert(0, ["meson", "setup", build, there])
    with open(log, "w") as file:
        for command in commands:
            if subprocess.run(command, stdout=file, stderr=file).returncode != 0:
                die(f"{commit} does not build: " + "\n".join(read(log).splitlines()[-5:]))
    return there


def messages(samples, rounds, roots, commit):
    ranks, short, long = 16, 32, 512
    count = (long * long - short * short) * 2
    print(f"mase, {ranks} ranks, {long * long} round trips; CPU per message: less a run of {short * short}")
    for _ in rounds_of(rounds):
        for size in (short, long):
            for name, root in roots.items():
                samples.measure(f"{name.replace('/', '-')}-{size}", f"{root}/{EMU}", "run", "-n", str(ranks),
                                "--target",
                                FAST_ETHERNET, f"{root}/{MASE}", "--size", str(size), *WORK)
    here, before = (samples.cpu_per(f"{name.replace('/', '-')}-{short}", f"{name.replace('/', '-')}-{long}", count)
                    for name in roots)
    print(f"  here {here:.2f} us CPU per message, {commit} {before:.2f}: ratio {here / before:.3f}")


def starts(samples, rounds, roots, commit):
    series, target = (64, 256), f"{samples.out}/many.toml"
    write(target, re.sub(r"^count = .*", f"count = {series[-1]}", read(FAST_ETHERNET), flags=re.M))
    print(f"mase, {' and '.join(map(str, series))} ranks, 64 tasks: start and end")
    for _ in rounds_of(rounds):
        for ranks in series:
            for name, root in roots.items():
                samples.measure(f"start-{ranks}-{name.replace('/', '-')}", f"{root}/{EMU}", "run", "-n", str(ranks),
                                "--target", target, f"{root}/{MASE}", "--size", "8", *WORK)
    for ranks in series:
        here, before = (f"start-{ranks}-{name.replace('/', '-')}" for name in roots)
        print(f"  {ranks} ranks: here {samples.median(here, 'wall'):.3f} s, {commit} {samples.median(before, 'wall'):.3f} s: "
              f"ratio {samples.ratio(here, before, 'wall'):.2f}, of CPU time {samples.ratio(here, before, 'cpu'):.2f}")


def study(samples, rounds, roots, commit):
    """A small version of the study in README.md: most of its time is start and end of its runs."""
    print("emu study --ranks 2..64 --search, 4,096 tasks")
    for _ in rounds_of(rounds):
        for name, root in roots.items():
            samples.measure(f"study-{name.replace('/', '-')}", f"{root}/{EMU}", "study", "--target",
                            FAST_ETHERNET, "--ranks", "2..64", "--search", f"{root}/{MASE}", "--size", "64", *WORK,
                            environment={"XDG_CACHE_HOME": f"{os.path.abspath(samples.out)}/cache"})
    here, before = (samples.median(f"study-{name.replace('/', '-')}", "wall") for name in roots)
    print(f"  here {here:.2f} s, {commit} {before:.2f} s: that is {before / here:.2f} times faster")


def against(samples, rounds, commit):
    roots = {"here": ".", commit: build_commit(samples.out, commit)}
    messages(samples, rounds, roots, commit)
    starts(samples, rounds, roots, commit)
    study(samples, rounds, roots, commit)
