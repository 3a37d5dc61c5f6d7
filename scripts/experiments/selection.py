"""The best rule of self-scheduling under each disturbance, and the cost of one rule for all."""
import re
import subprocess
from dataclasses import dataclass

import experiment
from experiment import FAST_ETHERNET, emu

TEXT = """\
Installs what is missing, builds, and predicts a loop of N iterations for each slave, by all rules of apps/loops and by
the advice of emu_advise, with 16 to 256 ranks under 12 kinds of disturbance, on the network of
config/fast-ethernet-64.toml. The runs are those of emu farm, whose times equal those of apps/loops to the picosecond.
Prints three tables: the best rule of each scenario and number of ranks, with its margin over the second; the additional
time of each rule over the best one; and the regret of using one rule for all. In a fourth table a node fails. No rule of
apps/loops survives a failure; the dealer of apps/reduce does. The tables are also in build/selection.
"""

RULES = ["static", "self", "fsc", "mfsc", "guided", "trapezoid", "factoring", "weighted", "adaptive", "af", "awf-b",
         "awf-c",
         "awf-d", "awf-e"]
ADVISED = "advised"  # follows emu_advise; the others are fixed rules
MEAN = 1e-3  # seconds of an iteration
OVERHEAD = 0.4e-3  # seconds of dealing a chunk, for fsc: a request, the answer, and two latencies
CONSTANT, EXPONENTIAL, BIMODAL, INCREASING = "constant", "exponential", "bimodal", "increasing"


@dataclass(frozen=True)
class Conditions:
    """Strength of the disturbances in the scenarios, and the predicted numbers of ranks."""
    ranks: tuple = (16, 32, 64, 128, 256)
    seed: int = 1
    rare: float = 0.1  # share of the long iterations among bimodal ones,
    short: float = 0.5  # and cost of the others, relative to the mean
    first: float = 0  # cost of the first iteration, of the mean, if costs increase; the last one has the rest of 2
    slow: float = 0.5  # speed of the slow half
    spread: int = 20  # percent
    event: tuple = (0.3, 0.1, 0.25)  # instant, in units of the even loop's time; later speed; share of the slaves
    load: tuple = (0.5, 0.05)  # mean number of other processes; period, of the even loop's time
    latency: str = "20ms"  # of slow links
    late: tuple = (0.5, 0.02)  # end, as a share of the even loop's time; speed until then
    one: float = 0.1  # short iterations, relative to the mean


# The constants of the advice were chosen on the first four scenarios. The others were drawn at random, and showed which
# slaves must not be stopped.
FEW, MORE = (20, 40, 80, 160), (25, 49, 97, 193)
CONDITIONS = [Conditions(),
              Conditions(MORE, 7),
              Conditions(MORE, 11, 0.05, 0.7, 0.4, 0.7, 10, (0.6, 0.25, 0.125), (0.25, 0.125), "5ms", (0.25, 0.1), 0.2),
              Conditions(MORE, 13, 0.2, 0.25, 0.2, 0.3, 35, (0.15, 0.2, 0.5), (1.0, 0.02), "40ms", (0.7, 0.05), 0.05),
              Conditions(FEW, 100, 0.2, 0.65, 0.48, 0.77, 38, (0.12, 0.23, 0.57), (0.85, 0.182), "9ms", (0.36, 0.26),
                         0.18),
              Conditions(MORE, 101, 0.06, 0.35, 0.44, 0.47, 16, (0.65, 0.33, 0.18), (1.0, 0.045), "41ms", (0.41, 0.06),
                         0.39),
              Conditions(FEW, 102, 0.03, 0.66, 0.58, 0.34, 15, (0.27, 0.39, 0.37), (0.88, 0.057), "46ms", (0.24, 0.29),
                         0.18),
              Conditions(MORE, 103, 0.04, 0.45, 0.56, 0.4, 26, (0.28, 0.27, 0.1), (0.88, 0.081), "21ms", (0.35, 0.11),
                         0.29)]


def costs_of(kind, iterations, folder, mean, conditions):
    """(options of emu farm, standard deviation of the cost of an iteration)."""
    if kind == CONSTANT:
        return ["--tasks", str(iterations), "--task-seconds", f"{mean:g}"], 0
    if kind == EXPONENTIAL:
        return ["--tasks", str(iterations), "--task-seconds", f"exponential:{mean:g}", "--seed",
                str(conditions.seed)], mean
    if kind == BIMODAL:
        rare, short = conditions.rare, conditions.short
        long = (1 - (1 - rare) * short) / rare
        drawn = ((i + conditions.seed - 1) * 2654435761 % 2 ** 32 for i in range(iterations))
        costs = [mean * (long if number < 2 ** 32 * rare else short) for number in drawn]
    else:
        first = conditions.first
        costs = [mean * (first + (1 - first) * (2 * i + 1) / iterations) for i in range(iterations)]
    file = f"{folder}/{kind}-{iterations}-{conditions.seed}.csv"
    experiment.write(file, "seconds\n" + "".join(f"{cost:.9g}\n" for cost in costs))
    return ["--csv", file], (sum((cost - mean) ** 2 for cost in costs) / iterations) ** 0.5


def scenarios(slaves, end, conditions):
    """(name, kind of costs, mean, text of the target after the network). Rank 0 is on node 0; `end`: approximate
    duration."""
    nodes = slaves + 1
    half = nodes // 2
    at, speed, share = conditions.event
    until, late_speed = conditions.late
    load_mean, period = conditions.load
    even = f"[[node]]\ncount = {nodes}\n"
    slow_half = f"[[node]]\ncount = {nodes - half}\n\n[[node]]\ncount = {half}\nspeed = {conditions.slow}\n"
    event = f'\n[[event]]\nnode = "1-{max(1, int(slaves * share))}"\nat = "{at * end:.6f}s"\nspeed = {speed}\n'
    late = f'\n[[event]]\nnode = 1\nat = "0s"\nuntil = "{until * end:.6f}s"\nspeed = {late_speed}\n'
    load = f'\n[[load]]\nnodes = "1-{slaves}"\nmean = {load_mean}\nperiod = "{end * period:.6f}s"\nseed = {conditions.seed}\n'
    far = (f'[[node]]\nname = "near"\ncount = {nodes - half}\n\n[[node]]\nname = "far"\ncount = {half}\n\n'
           f'[[link]]\nfrom = "near"\nto = "far"\nlatency = "{conditions.latency}"\n')
    spread = f'[[node]]\ncount = {nodes}\nspeed = "1.0 spread {conditions.spread}%"\nseed = {conditions.seed}\n'
    return [("even", CONSTANT, MEAN, even),
            ("increasing costs", INCREASING, MEAN, even),
            ("bimodal costs", BIMODAL, MEAN, even),
            ("exponential costs", EXPONENTIAL, MEAN, even),
            ("short iterations", CONSTANT, MEAN * conditions.one, even),
            ("half of the nodes slow", CONSTANT, MEAN, slow_half),
            ("spread speeds", CONSTANT, MEAN, spread),
            ("slow half, bimodal costs", BIMODAL, MEAN, slow_half),
            ("event", CONSTANT, MEAN, even + event),
            ("random load", CONSTANT, MEAN, even + load),
            ("slow links to half", CONSTANT, MEAN, far),
            ("late node", CONSTANT, MEAN, even + late)]


def predict(folder, iterations_each, conditions):
    """{(scenario, ranks): {rule: seconds}}."""
    network = experiment.read(FAST_ETHERNET).split("[[node]]")[0]
    seconds = {}
    for ranks in conditions.ranks:
        slaves = ranks - 1
        for name, kind, mean, nodes in scenarios(slaves, iterations_each * MEAN, conditions):
            target = f"{folder}/{name.replace(' ', '-').replace(',', '')}-{ranks}-{conditions.seed}.toml"
            experiment.write(target, re.sub(r"^name = .*", f'name = "{name}"', network, flags=re.M) + nodes)
            costs, deviation = costs_of(kind, iterations_each * slaves, folder, mean, conditions)
            farm = emu.farm(target=target, ranks=[ranks], rule=[*RULES, ADVISED],
                            options=[*costs, "--protocol", "request", "--overhead", f"{OVERHEAD:g}", "--deviation",
                                     f"{deviation:g}"])
            # A rule that waits for a node without speed never ends.
            seconds[name, ranks] = {point.rule: float("inf") if point.predicted_seconds is None
                                    else point.predicted_seconds
                                    for point in farm.points}
            print(f"{name}, {ranks} ranks: {min(seconds[name, ranks].values()):.3f} s", flush=True)
    return seconds


def failures(folder):
    """Results of runs with 16 ranks in which the node of rank 3 fails in the middle: (strategy, without failure,
    with it)."""
    rows = []
    loops = ("build/apps/loops/loops", "--iterations", "3000", "--rule")
    tasks = ("build/apps/reduce/reduce", "--sizes", "1MiB", "--at-once", "4", "--cost-per-byte", "0.3ns", "--heartbeat",
             "1ms", "--time-limit",
             "5ms", "--algorithms")
    for base, fails, programs in (
            (FAST_ETHERNET, "100ms",
             [(f"loops, {rule}", (*loops, rule)) for rule in (*RULES, ADVISED) if rule != "fsc"]),
            ("config/ethernet-100g-64.toml", "3ms", [(f"reduce, {name}", (*tasks, name)) for name in ("task", "mpi")])):
        text = experiment.read(base).replace('"measured"', '"declared"')
        good, bad = f"{folder}/good.toml", f"{folder}/fail.toml"
        experiment.write(good, text)
        experiment.write(bad, text + f'\n[[event]]\nkind = "fail"\nnode = 3\nat = "{fails}"\n')
        for name, program in programs:
            rows.append((name, outcome(good, program), outcome(bad, program)))
    return rows


def outcome(target, program):
    """Predicted time, or the reason why there is none."""
    ended = subprocess.run(["build/apps/emu/emu", "run", "-n", "16", "--target", target, *program], capture_output=True,
                           text=True, check=False)
    found = re.search(r"predicted ([0-9.]+ \w+)", ended.stderr)
    lost = re.search(r"([0-9]+) lost", ended.stdout)
    if found and not (lost and lost[1] != "0"):
        return found[1]
    return "results lost" if lost else "deadlock" if "deadlock" in ended.stderr else "does not end well"


def winners(seconds):
    rows = []
    for (name, ranks), times in seconds.items():
        first, second = sorted(RULES, key=times.get)[:2]
        rows.append((name, ranks, first, f"{times[first]:.4f}", second,
                     f"{100 * (times[second] / times[first] - 1):.1f} %",
                     f"{100 * (times[ADVISED] / times[first] - 1):+.1f} %"))
    return rows


def best_of(times):
    """The best of the fixed rules."""
    return min(times[rule] for rule in RULES)


def losses(seconds, rule):
    """Additional time of `rule` over the best fixed one, by scenario: the mean over the numbers of ranks."""
    by_name = {}
    for (name, _), times in seconds.items():
        by_name.setdefault(name, []).append(times[rule] / best_of(times) - 1)
    return {name: sum(all_of) / len(all_of) for name, all_of in by_name.items()}


def text_of(rows, head):
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
    return "".join("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip() + "\n"
                   for row in [head, *rows])


def main():
    options = experiment.options_of("selection", TEXT, iterations=(200, 1, 10000, "iterations for each slave"),
                                    conditions=(0, 0, len(CONDITIONS) - 1, "0, or 1 to 7: disturbances of other strengths, other seeds, other numbers of ranks"))
    conditions = CONDITIONS[options.conditions]
    folder = experiment.prepare("selection")
    seconds = predict(folder, options.iterations, conditions)
    names = list(dict.fromkeys(name for name, _ in seconds))
    every = [*RULES, ADVISED]
    lost = {rule: losses(seconds, rule) for rule in every}
    ratios = {rule: [times[rule] / best_of(times) - 1 for times in seconds.values()] for rule in every}
    best = text_of(winners(seconds), ("scenario", "ranks", "best rule", "seconds", "second", "margin", "advised"))
    table = text_of([(name, *(f"{100 * lost[rule][name]:.1f}" for rule in every)) for name in names],
                    ("scenario", *every))
    regret = text_of([(rule, f"{100 * sum(ratios[rule]) / len(ratios[rule]):.1f} %", f"{100 * max(ratios[rule]):.1f} %",
                       sum(ratio <= 0 for ratio in ratios[rule]))
                      for rule in sorted(every, key=lambda rule: sum(ratios[rule]))],
                     ("rule", "mean regret", "most", "best in"))
    survived = text_of(failures(folder), ("strategy", "16 ranks", "node of rank 3 fails"))
    for file, part in (("winners.txt", best), ("losses.txt", table), ("regret.txt", regret),
                       ("failures.txt", survived)):
        experiment.write(f"{folder}/{file}", part)
    print(f"\n{best}\nTime beyond that of the best rule, in percent, mean over {', '.join(map(str, conditions.ranks))} ranks:\n{table}\n{regret}\nA failure:\n{survived}")


main()
