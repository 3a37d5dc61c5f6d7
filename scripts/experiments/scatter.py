"""Balanced scatter: the three experiments of the paper, and parts against tasks under load."""
import json
import re
import subprocess

import experiment

TEXT = """\
Installs what is missing, builds, and predicts apps/raytrace on config/seismic-grid-16.toml, 16 processors of seven types
on two sites: rays in equal parts, in balanced parts that are sent in descending order of bandwidth, and in ascending
order. Then it compares the same balanced parts with a master that deals tasks, without and with load that begins during
the run. Prints two tables. The picture of the first table is build/scatter/scatter.png; all numbers are in
build/scatter/scatter.json.
"""

TARGET = "config/seismic-grid-16.toml"
RAYTRACE = "build/apps/raytrace/raytrace"
SECONDS = "9.288ms"  # a ray on the root, which is the reference CPU
RANKS = 16
MACHINES = ["dinadan", "pellinore", "caseb", "sekhmet", "merlin", "merlin", "seven", "seven"] + ["leda"] * 8
CASES = {
    "uniform": ["--distribution", "uniform"],
    "balanced, descending": ["--distribution", "balanced", "--order", "descending"],
    "balanced, ascending": ["--distribution", "balanced", "--order", "ascending"],
}


def plan(rays, *options):
    """The JSON of emu scatter, in descending order of bandwidth."""
    run = subprocess.run([experiment.EMU, "scatter", "--target", TARGET, "--items", str(rays), "--item-bytes", "64",
                          "--item-seconds", SECONDS, "--order", "bandwidth", "--json", *options],
                         stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        experiment.die("emu scatter failed")
    return json.loads(run.stdout)


def predict(runs, out, name, target, rays, options):
    """One run, with `parts`: (rays, finish in seconds) of each rank."""
    file = f"{out}/{re.sub('[^a-z]+', '-', name)}.json"
    run = runs.predict(file, f"{name:22}", RANKS, target, RAYTRACE, "--rays", str(rays), "--shells", "20",
                       "--ray-seconds", SECONDS, *options)
    run["parts"] = [(int(part), float(done)) for part, done in
                    re.findall(r"rank \d+: (\d+) rays, done after ([0-9.]+) s", experiment.read(file + ".log"))]
    run["answer"] = experiment.read(file + ".out")
    return run


def stair(run):
    """Mean time for which a rank with rays waits for them."""
    waits = [done - rank["compute_seconds"] for (part, done), rank in zip(run["parts"], run["per_rank"]) if part]
    return sum(waits) / len(waits)


def draw(out, cases, orders):
    """A row for each rank, in the order in which the root sends: idle, receives, computes."""
    end = 1.02 * max(done for run in cases.values() for _, done in run["parts"])
    script = (f"set multiplot layout {len(cases)},1\nset xrange [0:{end:.6g}]\nset yrange [15.5:-0.5]\n"
              "set style fill solid noborder\nset key outside right\nset grid xtics\nset lmargin 14\n")
    for number, (name, run) in enumerate(cases.items()):
        rows, sent = "", 0.0
        for place, rank in enumerate(orders[name]):
            done = run["parts"][rank][1]
            begun, sent = sent, done - run["per_rank"][rank]["compute_seconds"]
            rows += f"{place} {min(begun, sent):.9g} {sent:.9g} {done:.9g}\n"
        ticks = ", ".join(f"'{MACHINES[rank]} {rank}' {place}" for place, rank in enumerate(orders[name]))
        box = "($1-0.4):($1+0.4) with boxxyerror lc rgb"
        script += (f"$rows{number} << END\n{rows}END\nset title '{name}'\nset ytics ({ticks}) font ',8'\n"
                   f"set xlabel '{'seconds' if number + 1 == len(cases) else ''}'\n"
                   f"plot $rows{number} using 2:1:(0):2:{box} '#e4e4e4' title 'idle', "
                   f"'' using 4:1:4:({end:.6g}):{box} '#e4e4e4' notitle, "
                   f"'' using 2:1:2:3:{box} '#d9601a' title 'receives', "
                   f"'' using 3:1:3:4:{box} '#1f6fb4' title 'computes'\n")
    experiment.gnuplot(script + "unset multiplot\n", [("pngcairo size 1000,1150", f"{out}/scatter.png")])


def main():
    options = experiment.options_of("scatter", TEXT, rays=(817101, 16, 10_000_000, "how many rays"),
                                    chunk=(500, 1, 1_000_000, "rays of a task"))
    out = experiment.prepare("scatter")
    rays = options.rays
    best = plan(rays)
    runs = experiment.Runs(len(CASES) + 3)
    cases = {name: predict(runs, out, name, TARGET, rays, case) for name, case in CASES.items()}
    descending = best["order"]
    orders = dict(zip(CASES, [list(range(1, RANKS)) + [0], descending, descending[-2::-1] + [0]]))

    quarter = best["makespan_seconds"] / 4
    loaded = f"{out}/loaded.toml"
    experiment.write(loaded, experiment.read(TARGET) +
                     f'\n[[event]]\nnode = "leda"\nat = "{quarter:.6f}s"\nspeed = 0.5\n')
    tasks = ["--distribution", "dynamic", "--chunk", str(options.chunk)]
    parts = CASES["balanced, descending"]
    load = {"balanced parts": [cases["balanced, descending"], predict(runs, out, "parts, load", loaded, rays, parts)],
            f"tasks of {options.chunk} rays": [predict(runs, out, "tasks", TARGET, rays, tasks),
                                               predict(runs, out, "tasks, load", loaded, rays, tasks)]}
    if len({run["answer"] for run in [*cases.values(), *sum(load.values(), [])]}) != 1:
        experiment.die("the runs do not have the same answer")

    print(f"\n{'':22} {'earliest':>10} {'latest':>10} {'difference':>10} {'':>9} {'stair':>10} {'total':>10}")
    for name, run in cases.items():
        ends = [done for part, done in run["parts"] if part]
        spread = max(ends) - min(ends)
        print(f"{name:22} {min(ends):10.2f} {max(ends):10.2f} {spread:10.2f} {100 * spread / max(ends):7.2f} % "
              f"{stair(run):10.2f} {run['predicted_seconds']:10.2f}")
    print(f"When ranks are done, how long one waits on average until it has its rays (the stair), and the whole program, "
          f"in\nseconds, predicted. Planned for descending bandwidth: {best['makespan_seconds']:.6f} s.")
    for method in "heuristic", "uniform":
        print(f"The method {method} misses that by {plan(rays, '--method', method)['misses_by']:.2e} of it.")

    print(f"\n{'total':22} {'idle':>10} {'load':>10}")
    for name, both in load.items():
        print(f"{name:22} " + " ".join(f"{run['predicted_seconds']:10.2f}" for run in both))
    print("Load: from a quarter of the plan on, the eight ranks of the far site have half of their CPUs. The root, which\n"
          "deals tasks, computes none.")
    experiment.write(f"{out}/scatter.json", json.dumps({"plan": best, "cases": cases, "load": load}, indent=1))
    draw(out, cases, orders)
    print(f"\nPicture: {out}/scatter.png")


main()
