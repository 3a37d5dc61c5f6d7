"""The task-parallel reduction of apps/reduce against MPICH's algorithms for MPI_Reduce: on idle nodes, on nodes that
another application loads, and on nodes with random load; and with failures."""
import csv
import json
import os
import random
import re
import statistics
import subprocess

import experiment

TEXT = """\
Installs what is missing, builds, and predicts the time of 4 reductions at once among N ranks on the network of
config/ethernet-100g-64.toml, for vectors of 128 KiB to 128 MiB:
  ideal       all nodes are idle
  N/4 ... N   of the nodes, spread evenly, have a quarter of their CPU left
  random      on every node 0 to 6 other processes share the CPU; their number changes every 10 ms
Then 4 to 28 reductions of 4 MiB at once, and, in three of these settings, runs of 16 ranks of which one fails at a
random time. Silence reveals the failure in every other run, MPI's errors in the rest. Prints tables. The pictures are
build/reduce/reduce.png, and build/reduce/repair.png and .html, the timeline of a repaired run. 200 ranks and 1,000
failures for each setting take some hours on one core. A stopped script continues where it was, until a program is
rebuilt.
"""

BASE = "config/ethernet-100g-64.toml"
PROGRAM = "build/apps/reduce/reduce"
COST = "0.3ns"  # per byte that is combined: three streams through a memory of 10 GB/s
SIZES = [128, 1024, 4096, 16384, 131072]  # KiB
AT_ONCE = [4, 8, 16, 28]
ALGORITHMS = ["task", "binomial", "rabenseifner"]
# The runs with failures.
RANKS, FAILING_SIZE, HEARTBEAT, LIMIT = 16, 1024, "1ms", "5ms"


def scale_for(size, number):
    """Number of bytes that one byte in memory represents, so that memory suffices for all ranks' vectors."""
    memory = 64 if number > 4 else 256
    return max(1, size // memory)


def nodes(number, workers):
    """`count` of the nodes, spread evenly."""
    return str([i * workers // number for i in range(number)])


def fresh(file):
    """True if the present build of the program wrote the file."""
    return os.path.exists(file) and os.path.getmtime(file) > os.path.getmtime(PROGRAM)


def target(setting, scale, workers):
    """The base target with more nodes, and with all values that depend on the size of messages scaled."""
    text = experiment.read(BASE).split("[[node]]")[0]

    def scaled(key, factor):
        def replace(line):
            number, unit = experiment.split_unit(line[1])
            return f'{key} = "{number * factor:.9g}{unit}"'
        return re.sub(rf'^{key} = "([^"]*)"', replace, text, flags=re.M)

    text = re.sub(r"^compute = .*", 'compute = "declared"', text, flags=re.M)
    text = re.sub(r"^eager_limit = .*", f'eager_limit = "{65536 // scale}B"', text, flags=re.M)
    text = scaled("gap_per_byte", 1 / scale)
    text = scaled("per_byte", scale)
    text += f"[[node]]\ncount = {workers}\n"
    if setting == "random":
        text += f'[[load]]\nnodes = {nodes(workers, workers)}\nmean = 3\nperiod = "10ms"\nseed = 7\n'
    elif setting != "ideal":
        text += f'[[event]]\nnode = {nodes(int(setting), workers)}\nat = "0us"\nspeed = 0.25\n'
    return text


def measure(runs, out, setting, size, number, workers):
    """All algorithms, `number` of reductions at once: {algorithm: seconds}."""
    scale = scale_for(size, number)
    name = f"{out}/{setting}-{size}-{number}-of-{workers}"
    experiment.write(name + ".toml", target(setting, scale, workers))
    if not fresh(name + ".json"):
        runs.predict(name + ".json", f"{setting:6} {size:6} KiB, {number:2} at once", workers, name + ".toml",
                 PROGRAM, "--algorithms", ",".join(ALGORITHMS), "--sizes", f"{size}KiB", "--scale", str(scale),
                 "--at-once", str(number), "--cost-per-byte", COST, "--detect", "errors", "--timings",
                     name + ".timings")
    with open(name + ".timings", newline="") as file:
        rows = [row for row in csv.reader(file, delimiter="\t") if row]
    for row in rows:
        if "right" not in "\t".join(row):
            experiment.die(f"{name}.timings: not right: {' '.join(row)}")
    return {row[0]: float(row[5]) for row in rows if row[0] in ALGORITHMS}


def table(results):
    print(f"\n{'loaded':7} {'KiB':>7} {'at once':>7} {'task (ms)':>10} {'tree (ms)':>10} {'Rabens. (ms)':>12} "
          f"{'tree/task':>9} {'Rabens./task':>12}")
    for (setting, size, number), result in results:
        task, tree, rabenseifner = (result[name] for name in ALGORITHMS)
        print(f"{setting:7} {size:7} {number:7} {task * 1e3:10.2f} {tree * 1e3:10.2f} {rabenseifner * 1e3:12.2f} "
              f"{tree / task:9.2f} {rabenseifner / task:12.2f}")


def plot(out, settings, results, workers):
    blocks, lines = "", []
    for color, setting in enumerate(settings, 1):
        for dashes, (algorithm, title) in enumerate([("binomial", "tree"), ("rabenseifner", "Rabenseifner")], 1):
            name = f"curve_{color}_{dashes}"
            of = {size: results[setting, size, AT_ONCE[0]] for size in SIZES}
            blocks += experiment.block(name, [(size, of[size][algorithm] / of[size]["task"]) for size in SIZES])
            lines.append(f"${name} using 1:2 with linespoints lw 2 lc {color} dt {dashes} title '{setting}, {title}'")
    experiment.gnuplot(blocks + f"""\
set title '{AT_ONCE[0]} reductions among {workers} ranks: the time of MPICH algorithms over that of the task-parallel one'
set xlabel 'vector (KiB)'
set ylabel 'times as long'
set logscale xy 2
set xrange [{SIZES[0]}:{SIZES[-1]}]
set yrange [0.25:16]
set grid
set key outside right
plot {", ".join(lines)}, 1 with lines lc 'black' notitle
""", [("pngcairo size 1200,800", f"{out}/reduce.png")])


ROLES = {0: "root", 1: "heir", RANKS - 1: "dealer", RANKS - 2: "deputy"}
DETECTED_BY = {"heartbeat": "silent", "errors": "error"}  # with the words of MPI for a failure


def failing(text, rank, at, on_failure):
    event = f'\n[[event]]\nkind = "fail"\nnode = {rank}\nat = "{at * 1e6:.3f}us"\n'
    return f'on_failure = "{on_failure}"\n' + text + event


def command(scale, detect):
    return [PROGRAM, "--sizes", f"{FAILING_SIZE}KiB", "--scale", str(scale), "--at-once", "4", "--cost-per-byte", COST,
            "--heartbeat", HEARTBEAT, "--time-limit", LIMIT, "--detect", detect, "--both"]


def one_failure(name, text, scale, rank, at, detect):
    """(number of right ones of the 4 results; seconds of the run). Ends the script unless each live rank reports the
    rest as lost, with the input of the failed rank."""
    experiment.write(name + ".toml", failing(text, rank, at, DETECTED_BY[detect]))
    run = subprocess.run([experiment.EMU, "run", "--cores", "1", "-n", str(RANKS), "--target", name + ".toml", "--json",
                          name + ".json", *command(scale, detect)], stdin=subprocess.DEVNULL, capture_output=True,
                         text=True, timeout=600)
    said = re.search(r" (\d+) right, (\d+) lost", run.stdout)
    named = len(re.findall(rf"^reduce: rank \d+: reduction \d is lost with the input of rank {rank}$", run.stderr,
                           re.M))
    # Only that rank may be assumed to have failed.
    alone = re.search(r"^reduce: 1 rank failed$", run.stderr, re.M) or "ranks failed" not in run.stderr
    if (run.returncode != 0 or not said or not alone or int(said[1]) + int(said[2]) != 4
            or named != int(said[2]) * (RANKS - 1)):
        experiment.write(name + ".log", run.stdout + run.stderr)
        experiment.die(f"rank {rank} fails at {at} s, {detect}: neither right nor lost: see {name}.log and {name}.toml")
    return int(said[1]), json.loads(experiment.read(name + ".json"))["predicted_seconds"]


class Failures:
    """Runs of one setting with a failure of a random rank at a random time between the start of the reductions and
    their end without failures; half of the failures are detected by silence, half by MPI's errors. Finished runs are
    kept in `file`, so that a stopped script can continue, until the program is rebuilt."""

    def __init__(self, out, setting, runs):
        self.out, self.setting = out, setting
        self.scale = scale_for(FAILING_SIZE, 4)
        self.text = target(setting, self.scale, RANKS)
        self.file = f"{out}/failures-{setting}.tsv"
        self.kept = {}
        if fresh(self.file):
            self.kept = {int(row[0]): row
                         for row in (line.split("\t") for line in experiment.read(self.file).splitlines())}
        name = f"{out}/failures-{setting}"
        experiment.write(name + ".toml", self.text)
        # The run is equal up to the failure, so the arrivals by then show what the failed rank had stored.
        self.begin, self.end, self.stored, self.length = {}, {}, {}, {}
        for detect in DETECTED_BY:
            run = runs.predict(name + ".json", f"{setting:6}, no failure, {detect}", RANKS, name + ".toml",
                               *command(self.scale, detect), "--stored", "--timings", name + ".timings")
            row = [float(word) for word in experiment.read(name + ".timings").splitlines()[0].split("\t")[4:]
                   if word != "right"]
            self.length[detect] = run["predicted_seconds"]
            self.begin[detect], self.end[detect], self.stored[detect] = row[0], row[0] + row[1], row[2:]
        until = [(max(self.stored[detect]) - self.begin[detect]) / (self.end[detect] - self.begin[detect])
                 for detect in DETECTED_BY]
        print(f"{setting}: until {statistics.mean(until):.0%} of their time inputs are being stored", flush=True)

    def play(self, i):
        """(number, rank, method of detection, inputs stored twice at the failure, right results, seconds lost)"""
        at_random = random.Random(f"{self.setting} {i}")
        rank, detect = at_random.randrange(RANKS), list(DETECTED_BY)[i % 2]
        at = at_random.uniform(self.begin[detect], self.end[detect])
        stored = "all" if at >= max(self.stored[detect]) else "own" if at >= self.stored[detect][rank] else "less"
        right, seconds = one_failure(f"{self.out}/failure-{self.setting}", self.text, self.scale, rank, at, detect)
        return i, rank, detect, stored, right, seconds - self.length[detect]

    def rows(self, count):
        """[(rank, method of detection, inputs stored twice, right results, seconds lost)]"""
        with open(self.file, "a" if self.kept else "w") as file:
            for i in range(count):
                if i not in self.kept:
                    self.kept[i] = [str(word) for word in self.play(i)]
                    file.write("\t".join(self.kept[i]) + "\n")
                    file.flush()
        return [(int(rank), detect, stored, int(right), float(late))
                for _, rank, detect, stored, right, late in (self.kept[i] for i in range(count))]


def share(rows):
    good = sum(row[3] == 4 for row in rows)
    return f"{good} of {len(rows)}" if rows else "-"


def failures(out, settings, count):
    runs = experiment.Runs(2 * len(settings))
    rows = {setting: Failures(out, setting, runs).rows(count) for setting in settings}
    print("\nRuns with all 4 results, of those whose node failed before copies of its own inputs existed; after")
    print(f"{'role':8}" + "".join(f"{setting:>28}" for setting in settings))
    for role in ["root", "heir", "dealer", "deputy", "other", "all"]:
        line = f"{role:8}"
        for setting in settings:
            of = [row for row in rows[setting] if role in ("all", ROLES.get(row[0], "other"))]
            line += f"{share([r for r in of if r[2] == 'less']):>14}{share([r for r in of if r[2] != 'less']):>14}"
        print(line)
    print("when copies of all inputs existed:" + "".join(
        f"{setting:>8} {share([r for r in rows[setting] if r[2] == 'all'])}" for setting in settings))
    print(f"\nSeconds later than without a failure where all results were there, in ms: median, worst (limit {LIMIT})")
    for detect in DETECTED_BY:
        line = f"{detect:10}"
        for setting in settings:
            late = [row[4] * 1e3 for row in rows[setting] if row[1] == detect and row[3] == 4]
            line += f"{statistics.median(late):12.2f}, {max(late):6.2f}" if late else f"{'-':>20}"
        print(line)


STATES = {"combine": "combines", "MPI_Isend": "sends", "MPI_Waitsome": "waits"}


def states_of(trace):
    """{state: [(rank, from, to in ms)]} and [(sender, from, receiver, to in ms)] from the output of emu trace."""
    states, messages, begun, sent = {name: [] for name in STATES}, [], {}, {}
    for event in json.loads(experiment.read(trace))["traceEvents"]:
        at, where = event.get("ts", 0) / 1e3, (event["pid"], event.get("tid"))
        if event["ph"] == "B":
            begun.setdefault(where, []).append((event["name"], at))
        elif event["ph"] == "E":
            name, since = begun[where].pop()
            if name in states:
                states[name].append((event["pid"], since, at))
        elif event["ph"] == "s":
            sent[event["id"]] = event["pid"], at
        elif event["ph"] == "f" and event["id"] in sent:
            messages.append((*sent[event["id"]], event["pid"], at))
    return states, messages


def draw_timeline(out, at, rank):
    states, messages = states_of(f"{out}/repair.json")
    blocks = "$message << END\n" + "".join(
        f"{since:.6g} {sender} {to - since:.6g} {receiver - sender}\n" for sender, since, receiver,
        to in messages) + "END\n"
    plots = ["$message using 1:2:3:4 with vectors nohead lw 0.3 lc '#b0b0b0' title 'messages'"]
    for (name, title), color in zip(STATES.items(), ("#2a9d4a", "#3060c0", "#f0e0b0")):
        rows = "".join(f"{since:.6g} {rank} {since:.6g} {to:.6g} {rank - 0.35} {rank + 0.35}\n" for rank, since,
                       to in states[name])
        if rows:
            blocks += f"${name} << END\n{rows}END\n"
            plots.append(f"${name} using 1:2:3:4:5:6 with boxxyerror fs solid noborder lc '{color}' title '{title}'")
    experiment.gnuplot(blocks + f"""\
set title 'Node {rank} fails when all inputs stand twice: its block is made from their pieces by the rank behind it'
set xlabel 'ms'
set ylabel 'rank'
set ytics 1
set yrange [{RANKS - 0.4}:-0.6]
set arrow from {at * 1e3:.6g}, graph 0 to {at * 1e3:.6g}, graph 1 nohead lw 2 lc 'red' front
set key outside bottom center horizontal
plot {", ".join(plots)}
""", [("pngcairo size 1400,800", f"{out}/repair.png")])


def timeline(out):
    """The page and the picture of one run in which a node fails when all inputs are stored twice."""
    scale, victim = scale_for(FAILING_SIZE, 4), 5
    row = experiment.read(f"{out}/failures-ideal.timings").splitlines()[0].split("\t")
    stored, end = max(map(float, row[7:])), float(row[4]) + float(row[5])
    at = (stored + end) / 2
    experiment.write(f"{out}/repair.toml", failing(target("ideal", scale, RANKS), victim, at, "error"))
    trace = f"{out}/repair.trace"
    for words in (["run", "-n", str(RANKS), "--target", f"{out}/repair.toml", "--trace", trace,
                   *command(scale, "errors")],
                  ["report", trace, "-o", f"{out}/repair.html"], ["trace", trace, "--perfetto", f"{out}/repair.json"]):
        if subprocess.run([experiment.EMU, *words], stdout=subprocess.DEVNULL).returncode != 0:
            experiment.die("the run for the timeline failed")
    draw_timeline(out, at, victim)


def compare(out, workers):
    settings = ["ideal", *map(str, (workers // 4, workers // 2, workers * 3 // 4, workers)), "random"]
    runs = experiment.Runs(len(settings) * len(SIZES) + 2 * (len(AT_ONCE) - 1))
    cases = [(setting, size, AT_ONCE[0]) for setting in settings for size in SIZES]
    more = [(setting, 4096, number) for setting in ("ideal", "random") for number in AT_ONCE]
    results = {}
    for setting, size, number in cases + more:
        if (setting, size, number) not in results:
            results[setting, size, number] = measure(runs, out, setting, size, number, workers)
    table([(case, results[case]) for case in cases])
    table([(case, results[case]) for case in more])
    print("""
task     the task-parallel reduction, storing its inputs twice included
tree     a binomial tree of messages: MPI_Reduce with an operation of the user, or short vectors
Rabens.  Rabenseifner's algorithm: MPI_Reduce with long vectors. Both one reduction after another""")
    plot(out, [settings[0], settings[1], settings[-1]], results, workers)
    print(f"Picture: {out}/reduce.png")


def main():
    given = experiment.options_of("reduce", TEXT, ranks=(200, 4, 9999, "ranks"),
                                  failures=(1000, 0, 9999, "runs with a failure, for each of three settings"),
                                  times=(1, 0, 1, "1: compare the times of algorithms; 0: only failures"))
    out = experiment.prepare("reduce")
    workers = given.ranks
    if given.times:
        compare(out, workers)
    if given.failures > 0:
        failures(out, ["ideal", str(RANKS // 4), "random"], given.failures)
        timeline(out)
        print(f"Timeline: {out}/repair.png, {out}/repair.html")


main()
