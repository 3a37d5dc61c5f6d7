"""The task-parallel reduction of apps/reduce against MPICH's algorithms for MPI_Reduce: on idle nodes, on nodes that
another application loads, and on nodes with random load; and with failures."""
import concurrent.futures
import csv
import json
import random
import re
import statistics
import subprocess

import experiment

TEXT = """\
Installs what is missing, builds, and predicts how long 4 reductions at once take among N ranks on the network of
config/ethernet-100g-64.toml, for vectors of 128 KiB to 128 MiB:
  ideal       all nodes idle
  N/4 ... N   of the nodes, spread evenly, have a quarter of their CPU left
  random      on every node 0 to 6 other processes share the CPU, other numbers every 10 ms
Then 4 to 28 reductions of 4 MiB at once, and, in three of these settings, runs of 8 ranks of which one fails at a
random time, noticed by silence in every other run and by MPI's errors in the rest. Prints tables; the pictures are
build/reduce/reduce.png and build/reduce/repair.html, the timeline of a repaired run. With 200 ranks and 1,000 failures
for each setting it takes about an hour on one core.
"""

BASE = "config/ethernet-100g-64.toml"
PROGRAM = "build/apps/reduce/reduce"
COST = "0.3ns"  # per byte that is combined: three streams through a memory of 10 GB/s
SIZES = [128, 1024, 4096, 16384, 131072]  # KiB
AT_ONCE = [4, 8, 16, 28]
ALGORITHMS = ["task", "binomial", "rabenseifner"]
# The runs with failures.
RANKS, FAILING_SIZE, HEARTBEAT, LIMIT = 8, 1024, "1ms", "5ms"


def scale_for(size, number):
    """How many bytes one byte in memory stands for, so that memory does for all ranks' vectors."""
    memory = 64 if number > 4 else 256
    return max(1, size // memory)


def nodes(number, workers):
    """So many of the nodes, spread evenly."""
    return str([i * workers // number for i in range(number)])


def target(setting, scale, workers):
    """The base target with more nodes, and all that depends on the size of messages scaled."""
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
    name = f"{out}/{setting}-{size}-{number}"
    experiment.write(name + ".toml", target(setting, scale, workers))
    runs.predict(name + ".json", f"{setting:6} {size:6} KiB, {number:2} at once", workers, name + ".toml",
                 PROGRAM, "--algorithms", ",".join(ALGORITHMS), "--sizes", f"{size}KiB", "--scale", str(scale),
                 "--at-once", str(number), "--cost-per-byte", COST, "--detect", "errors", "--timings", name + ".timings")
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


def failing(text, rank, at, on_failure):
    event = f'\n[[event]]\nkind = "fail"\nnode = {rank}\nat = "{at * 1e6:.3f}us"\n'
    return f'on_failure = "{on_failure}"\n' + text + event


def command(scale, detect):
    return [PROGRAM, "--sizes", f"{FAILING_SIZE}KiB", "--scale", str(scale), "--at-once", "4", "--cost-per-byte", COST,
            "--heartbeat", HEARTBEAT, "--time-limit", LIMIT, "--detect", detect, "--both"]


def one_failure(name, text, scale, rank, at, detect):
    """(how many of the 4 results were right, or none said so; seconds that the run took or None)"""
    experiment.write(name + ".toml", failing(text, rank, at, "error" if detect == "errors" else "silent"))
    run = subprocess.run([experiment.EMU, "run", "--cores", "1", "-n", str(RANKS), "--target", name + ".toml", "--json",
                          name + ".json", *command(scale, detect)], stdin=subprocess.DEVNULL, capture_output=True,
                         text=True, timeout=600)
    said = re.search(r" (\d+) right, (\d+) lost", run.stdout)
    if run.returncode != 0 or not said or int(said[1]) + int(said[2]) != 4:
        experiment.write(name + ".log", run.stdout + run.stderr)
        experiment.die(f"rank {rank} fails at {at} s, {detect}: neither right nor lost: see {name}.log and {name}.toml")
    return int(said[1]), json.loads(experiment.read(name + ".json"))["predicted_seconds"]


def rows_of(out, setting, count, runs):
    """Runs with a failure at a random time between the begin of the reductions and their end without failures:
    [(rank, phase, how it is noticed, results, seconds lost)]."""
    scale = scale_for(FAILING_SIZE, 4)
    text = target(setting, scale, RANKS)
    name = f"{out}/failures-{setting}"
    experiment.write(name + ".toml", text)
    stored = {}  # when all inputs stand twice depends on how failures are noticed, too, if load comes and goes
    for detect in ("heartbeat", "errors"):
        length = runs.predict(name + ".json", f"{setting:6}, no failure, {detect}", RANKS, name + ".toml",
                              *command(scale, detect), "--stored", "--timings", name + ".timings")["predicted_seconds"]
        row = experiment.read(name + ".timings").split("\n")[0].split("\t")
        begin, end, stored[detect] = float(row[4]), float(row[4]) + float(row[5]), float(row[7])
    print(f"{setting}: {(stored['errors'] - begin) / (end - begin):.0%} of the time until all inputs stand twice", flush=True)
    at_random = random.Random(setting)
    cases = [(at_random.randrange(RANKS), at_random.uniform(begin, end), ("heartbeat", "errors")[i % 2])
             for i in range(count)]

    def play(i):
        rank, at, detect = cases[i]
        right, seconds = one_failure(f"{out}/failure-{setting}-{i % 2}", text, scale, rank, at, detect)
        return rank, "stored" if at >= stored[detect] else "storing", detect, right, seconds - length

    # Two at once, each with files of its own.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        halves = [pool.submit(lambda half=half: [play(i) for i in range(half, count, 2)]) for half in (0, 1)]
        return [row for half in halves for row in half.result()]


def failures(out, settings, count):
    runs = experiment.Runs(2 * len(settings))
    rows = {setting: rows_of(out, setting, count, runs) for setting in settings}
    with open(f"{out}/failures.tsv", "w") as kept:
        for setting in settings:
            for row in rows[setting]:
                kept.write("\t".join(map(str, (setting, *row))) + "\n")

    def share(chosen):
        good = sum(row[3] == 4 for row in chosen)
        return f"{good} of {len(chosen)}" if chosen else "-"

    print(f"\nRuns with all 4 results, of those whose node failed while inputs were being stored; once all stood twice")
    print(f"{'role':8}" + "".join(f"{setting:>28}" for setting in settings))
    for role in ["root", "heir", "dealer", "deputy", "other", "all"]:
        line = f"{role:8}"
        for setting in settings:
            of = [row for row in rows[setting] if role in ("all", ROLES.get(row[0], "other"))]
            line += f"{share([r for r in of if r[1] == 'storing']):>14}{share([r for r in of if r[1] == 'stored']):>14}"
        print(line)
    print(f"\nSeconds later than without a failure where all results were there, in ms: median, worst (limit {LIMIT})")
    for detect in ("heartbeat", "errors"):
        line = f"{detect:10}"
        for setting in settings:
            late = [row[4] * 1e3 for row in rows[setting] if row[2] == detect and row[3] == 4]
            line += f"{statistics.median(late):12.2f}, {max(late):6.2f}" if late else f"{'-':>20}"
        print(line)


def timeline(out):
    """The page of one run in which a node fails when all inputs stand twice."""
    scale = scale_for(FAILING_SIZE, 4)
    row = experiment.read(f"{out}/failures-ideal.timings").split("\n")[0].split("\t")
    at = (float(row[7]) + float(row[4]) + float(row[5])) / 2
    experiment.write(f"{out}/repair.toml", failing(target("ideal", scale, RANKS), 5, at, "error"))
    code = subprocess.run([experiment.EMU, "run", "-n", str(RANKS), "--target", f"{out}/repair.toml", "--report",
                           f"{out}/repair.html", *command(scale, "errors")], stdout=subprocess.DEVNULL).returncode
    if code != 0:
        experiment.die("the run for the timeline failed")


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
    plot(out, settings, results, workers)
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
        print(f"Timeline: {out}/repair.html")


main()
