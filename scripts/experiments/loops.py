"""The rules of self-scheduling side by side, on nodes of which half are slow."""
import re

import experiment
from experiment import FAST_ETHERNET

TEXT = """\
Installs what is missing, builds, and predicts the run time of apps/loops (N iterations of 1 ms on average) on the
network of config/fast-ethernet-64.toml with a master, 16 nodes of speed 1, and 16 nodes of speed 0.5. The table has a
row for each rule, and two columns for each distribution of costs: without and with an event, from which on other work
leaves a tenth of their CPU to four of the fast nodes (at 0.2 s). The table is also in build/loops/table.tsv.
"""

RULES = ["static", "self", "guided", "factoring", "trapezoid", "weighted", "adaptive"]
COSTS = ["constant", "increasing", "bimodal"]


def write_targets(out):
    """The network of the 64 nodes, with other nodes: {"steady": file, "event": file}."""
    network = experiment.read(FAST_ETHERNET).split("[[node]]")[0]
    network = re.sub(r"^name = .*", 'name = "17 fast nodes and 16 of half their speed"', network, flags=re.M)
    steady = network + "[[node]]\ncount = 17\n\n[[node]]\ncount = 16\nspeed = 0.5\n"
    texts = {"steady": steady, "event": steady + '\n[[event]]\nnode = "1-4"\nat = "200ms"\nspeed = 0.1\n'}
    files = {"steady": f"{out}/slow-half.toml", "event": f"{out}/slow-half-and-load.toml"}
    for name, file in files.items():
        experiment.write(file, texts[name])
    return files


def main():
    iterations = experiment.options_of("loops", TEXT,
                                       iterations=(20000, 1, 9999999, "iterations of the loop")).iterations
    out = experiment.prepare("loops")
    targets = write_targets(out)
    runs = experiment.Runs(len(RULES) * len(COSTS) * len(targets))
    seconds = {}
    for rule in RULES:
        for cost in COSTS:
            for name, target in targets.items():
                run = runs.predict(f"{out}/{rule}-{cost}-{name}.json", f"{rule:9} {cost:10} {name:6}", 33, target,
                                   "build/apps/loops/loops", "--rule", rule, "--cost", cost,
                                   "--iterations", str(iterations))
                seconds[rule, cost, name] = run["predicted_seconds"]

    rows = [["rule", "chunks"] + [cost + more for more in ("", " +event") for cost in COSTS]]
    for rule in RULES:
        said = experiment.read(f"{out}/{rule}-constant-steady.json.log")
        rows.append([rule, re.search(r"^loops: (\d+) chunks", said, re.M)[1]]
                    + [f"{seconds[rule, cost, name]:.3f}" for name in targets for cost in COSTS])
    experiment.write(f"{out}/table.tsv", "".join("\t".join(row) + "\n" for row in rows))
    print()
    for rule, chunks, *cells in rows:
        print(f"{rule:10} {chunks:>8} " + " ".join(f"{cell:>18}" for cell in cells))
    # All speeds together are 24; 20.4 with the event.
    work = iterations * 1e-3
    with_event = work / 24 if work / 24 < 0.2 else 0.2 + (work - 4.8) / 20.4
    print(f"""
Seconds, predicted. At best, all nodes busy to the end: {work / 24:.3f} without the event, {with_event:.3f} with it. Chunks: constant
costs, no event. The weighted rule runs 10 ms of work on each slave first, to find its speed; the adaptive one learns it as
it goes.""")


main()
