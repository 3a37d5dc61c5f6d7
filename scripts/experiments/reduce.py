"""The task-parallel reduction of apps/reduce against MPICH's algorithms for MPI_Reduce: on idle nodes, on nodes that
another application loads, and on nodes with random load; and with failures."""
import csv
import random
import re

import experiment

TEXT = """\
Installs what is missing, builds, and predicts how long 4 reductions at once take among N workers (one more rank is the
master) on the network of config/ethernet-100g-64.toml, for vectors of 128 KiB to 128 MiB:
  ideal       all nodes idle
  N/4 ... N   of the nodes, spread evenly, have a quarter of their CPU left
  random      on every node 0 to 6 other processes share the CPU, other numbers every 10 ms
Then 4 to 28 reductions of 4 MiB at once, and runs with 32 workers of which one fails at a random time. Prints tables;
the picture is build/reduce/reduce.png. With 200 workers it takes some minutes.
"""

BASE = "config/ethernet-100g-64.toml"
PROGRAM = "build/apps/reduce/reduce"
COST = "0.3ns"  # per byte that is combined: three streams through a memory of 10 GB/s
SIZES = [128, 1024, 4096, 16384, 131072]  # KiB
AT_ONCE = [4, 8, 16, 28]
ALGORITHMS = ["task", "binomial", "rabenseifner"]


def scale_for(size, number):
    """How many bytes one byte in memory stands for, so that memory does for all ranks' vectors."""
    memory = 64 if number > 4 else 256
    return max(1, size // memory)


def nodes(number, workers):
    """So many of the workers' nodes, spread evenly."""
    return str([1 + i * workers // number for i in range(number)])


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
    text += f"[[node]]\ncount = {workers + 1}\n"
    if setting == "random":
        text += f'[[load]]\nnodes = {nodes(workers, workers)}\nmean = 3\nperiod = "10ms"\nseed = 7\n'
    elif setting != "ideal":
        text += f'[[event]]\nnode = {nodes(int(setting), workers)}\nat = "0us"\nspeed = 0.25\n'
    return text


def measure(runs, out, setting, size, number, workers):
    """All algorithms, `number` of reductions at once: {algorithm: (seconds of storing, seconds)}."""
    scale = scale_for(size, number)
    name = f"{out}/{setting}-{size}-{number}"
    experiment.write(name + ".toml", target(setting, scale, workers))
    runs.predict(name + ".json", f"{setting:6} {size:6} KiB, {number:2} at once", workers + 1, name + ".toml",
                 PROGRAM, "--algorithms", ",".join(ALGORITHMS), "--sizes", f"{size}KiB", "--scale", str(scale),
                 "--at-once", str(number), "--cost-per-byte", COST, "--heartbeat", "1s", "--time-limit", "10s",
                 "--timings", name + ".timings")
    with open(name + ".timings", newline="") as file:
        rows = [row for row in csv.reader(file, delimiter="\t") if row]
    for row in rows:
        if "right" not in "\t".join(row):
            experiment.die(f"{name}.timings: not right: {' '.join(row)}")
    return {row[0]: (float(row[4]), float(row[5])) for row in rows if row[0] in ALGORITHMS}


def table(results):
    print(f"\n{'loaded':7} {'KiB':>7} {'at once':>7} {'store (ms)':>10} {'task (ms)':>10} {'tree (ms)':>10} "
          f"{'Rabens. (ms)':>12} {'tree/task':>9} {'Rabens./task':>12}")
    for (setting, size, number), result in results:
        storing, task = result["task"]
        tree, rabenseifner = (result[name][1] for name in ALGORITHMS[1:])
        print(f"{setting:7} {size:7} {number:7} {storing * 1e3:10.2f} {task * 1e3:10.2f} {tree * 1e3:10.2f} "
              f"{rabenseifner * 1e3:12.2f} {tree / task:9.2f} {rabenseifner / task:12.2f}")


def plot(out, settings, results, workers):
    blocks, lines = "", []
    for color, setting in enumerate(settings, 1):
        for dashes, (algorithm, title) in enumerate([("binomial", "tree"), ("rabenseifner", "Rabenseifner")], 1):
            name = f"curve_{color}_{dashes}"
            of = {size: results[setting, size, AT_ONCE[0]] for size in SIZES}
            blocks += experiment.block(name, [(size, of[size][algorithm][1] / of[size]["task"][1]) for size in SIZES])
            lines.append(f"${name} using 1:2 with linespoints lw 2 lc {color} dt {dashes} title '{setting}, {title}'")
    experiment.gnuplot(blocks + f"""\
set title '{AT_ONCE[0]} reductions among {workers} workers: the time of MPICH algorithms over that of the task-parallel one'
set xlabel 'vector (KiB)'
set ylabel 'times as long'
set logscale xy 2
set xrange [{SIZES[0]}:{SIZES[-1]}]
set yrange [0.25:8]
set grid
set key outside right
plot {", ".join(lines)}, 1 with lines lc 'black' notitle
""", [("pngcairo size 1200,800", f"{out}/reduce.png")])


def failures(out, count):
    """The node of one of 32 workers fails at a random time between the start and the end of a run without failures."""
    workers, size, number = 32, 4096, 4
    scale = scale_for(size, number)
    steady = target("ideal", scale, workers)
    experiment.write(f"{out}/failures.toml", steady)
    program = [PROGRAM, "--sizes", f"{size}KiB", "--scale", str(scale), "--at-once", str(number), "--cost-per-byte",
               COST, "--heartbeat", "10ms", "--time-limit", "50ms"]
    runs = experiment.Runs(1 + count)
    print()
    length = runs.predict(f"{out}/failures.json", f"{workers} workers, {size} KiB, {number:2} at once, no failure",
                          workers + 1, f"{out}/failures.toml", *program, "--timings",
                          f"{out}/failures.timings")["predicted_seconds"]
    stored = length - float(experiment.read(f"{out}/failures.timings").split("\t")[5])
    at_random = random.Random(1)
    kinds = {"after": [], "storing": [], "root": []}  # whether a run had all results, by what failed when
    later = []
    with open(f"{out}/failures.tsv", "w") as kept:
        for _ in range(count):
            worker, at = at_random.randrange(workers), at_random.uniform(0, length)
            event = f'\n[[event]]\nkind = "fail"\nnode = {worker + 1}\nat = "{at * 1e6:.3f}us"\n'
            experiment.write(f"{out}/failure.toml", steady + event)
            # The prediction of a run that the program could not finish is an error.
            run = runs.predict(f"{out}/failure.json", f"worker {worker:2} fails at {at:6.3f} s", workers + 1,
                               f"{out}/failure.toml", *program, fails=True)
            said = re.search(r" (\d+) right", experiment.read(f"{out}/failure.json.out"))
            right = int(said[1]) if said else 0
            kept.write(f"{worker}\t{at}\t{right}\t{run['predicted_seconds'] if run else ''}\n")
            good = right == number
            kinds["root" if worker == 0 else "storing" if at < stored else "after"].append(good)
            if good and run:
                later.append(run["predicted_seconds"] - length)
    of = {kind: f"{sum(goods)} of {len(goods)}" for kind, goods in kinds.items()}
    mean = sum(later) / len(later) * 1e3 if later else 0
    print(f"""
{len(later)} of {count} runs had all {number} results after the failure, {mean:.0f} ms later in the mean (time limit 50 ms).
  all inputs stored twice by then, another worker than the root:  {of["after"]}
  inputs still being stored, another worker than the root:        {of["storing"]}
  the root:                                                       {of["root"]}""")


def main():
    given = experiment.options_of("reduce", TEXT, workers=(200, 4, 9999, "workers"),
                                  failures=(100, 0, 9999, "runs with a failure"))
    out = experiment.prepare("reduce")
    workers = given.workers
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
store    storing every input on a second node
task     the task-parallel reduction, its inputs stored
tree     a binomial tree of messages: MPI_Reduce with an operation of the user, or short vectors
Rabens.  Rabenseifner's algorithm: MPI_Reduce with long vectors. Both one reduction after another""")
    plot(out, settings, results, workers)
    print(f"Picture: {out}/reduce.png")
    if given.failures > 0:
        failures(out, given.failures)


main()
