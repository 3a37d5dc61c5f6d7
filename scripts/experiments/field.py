"""scripts/field: predictions, compared with times that other people measured on their clusters."""
import argparse
import json
import os
import sys

import experiment
from clusters import amanelis, cloud_noise, orfeo, orfeo2021, pcad, pico, runs, taurus, unr
from clusters import page, programs, targets
from clusters.rows import summary

SETS = {module.NAME: module for module in (amanelis, cloud_noise, pico, taurus, orfeo, pcad, unr, orfeo2021)}
# Sets that were predicted once, by a model and targets in which nothing was chosen after an error had been seen.
BLIND = (unr.NAME, orfeo2021.NAME)
DATA = "apps/field/data"


def options():
    parser = argparse.ArgumentParser(
        prog="scripts/field", allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Predicts every measured time of the sets that can be predicted, and prints for each set: rows,\n"
        "errors, pairs of alternatives in the right order, and measured times inside the predicted interval.",
        epilog="The sets: " + ", ".join(SETS) + ". All of them if none is named.\n" + " and ".join(BLIND) +
        " are blind: no choice was made after their errors were known. The line \"all\" and the picture are "
        "without them.")
    parser.add_argument("sets", metavar="SET", nargs="*", choices=[[], *SETS], help="a set of measured times")
    parser.add_argument("--json", metavar="FILE", help="write rows and table to FILE")
    parser.add_argument("--data", metavar="FOLDER", default=DATA, help=f"measured times in place of {DATA}")
    parser.add_argument("--page", metavar="FILE", help="write a page with predicted over measured, and FILE.png")
    parser.add_argument("--plain", action="store_true",
                        help="the first model: targets with one line for all sizes, without costs of reductions and "
                        "copies, shared resources and reads by receivers; pcad and HPL have their stored predictions")
    parser.add_argument("--programs", metavar="FOLDER",
                        help="build and run the programs of pcad, and HPL, from the folders LULESH, CoMD, miniVite and "
                        "hpl there, as git clones them (" +
                        ", ".join(f"{where}, commit {commit}" for _, where, commit in programs.SOURCES.values()) +
                        "); without it, their stored predictions are shown")
    parser.add_argument("--size", choices=("small", "medium"), help="with --programs: run those of this size alone")
    parser.add_argument("--all", action="store_true", help="every number of ranks of orfeo, which takes an hour")
    parser.add_argument("--no-build", action="store_true", help="use the build as it is")
    return parser.parse_args()


def percent(value):
    return "-" if value is None else f"{100 * value:.1f} %"


def print_table(summaries):
    heads = ("set", "rows", "median", "p90", "worst", "order right", "inside", "SMPI median", "not predicted")
    lines = [heads]
    for name, s in summaries.items():
        if s is None:
            lines.append((name, "0") + ("-",) * 7)
            continue
        lines.append((name, str(s["rows"]), percent(s["median_error"]), percent(s["p90_error"]),
                      percent(s["worst_error"]),
                      "-" if s["order_right"] is None else f"{percent(s['order_right'])} of {s['pairs']}",
                      percent(s["inside_interval"]), percent(s["smpi_median_error"]), str(s["not_predicted"])))
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    for line in lines:
        print("  ".join(word.ljust(width) for word, width in zip(line, widths)).rstrip())


def print_reasons(rows):
    reasons = {}
    for row in rows:
        if row.predicted is None:
            reasons.setdefault((row.set, row.why), []).append(row)
    for (name, why), members in sorted(reasons.items()):
        print(f"not predicted, {name}: {len(members)}: {why}")


def as_json(rows, summaries):
    sets = {name: s or {"rows": 0} for name, s in summaries.items()}
    listed = []
    for row in rows:
        one = {"set": row.set, "cluster": row.cluster, "row": row.name, "measured_seconds": row.measured,
               "predicted_seconds": row.predicted}
        if row.low is not None:
            one |= {"low_seconds": row.low, "high_seconds": row.high}
        if row.smpi is not None:
            one["smpi_seconds"] = row.smpi
        if row.predicted is None:
            one["why"] = row.why
        listed.append(one)
    return json.dumps({"sets": sets, "rows": listed}, indent=1) + "\n"


def main():
    given = options()
    targets.plain = given.plain
    data = os.path.abspath(given.data) if given.data != DATA else given.data
    if given.programs:
        given.programs = os.path.abspath(given.programs)
    files = {key: os.path.abspath(value) for key, value in (("json", given.json), ("page", given.page)) if value}
    if given.no_build:
        os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
        folder = os.path.join("build", "field")
        os.makedirs(folder, exist_ok=True)
    else:
        folder = experiment.prepare("field")
    all_rows, summaries = [], {}
    sets = dict.fromkeys(given.sets or SETS)
    if not given.sets:  # other self-scheduled programs, described as for amanelis
        sets |= dict.fromkeys(name for name in sorted(os.listdir(data))
                              if name not in SETS and amanelis.is_one(os.path.join(data, name)))
    for name in sets:
        module = SETS.get(name, amanelis)
        if not os.path.isdir(os.path.join(data, name)):
            print(f"field: {name}: {data} has no folder {name}", file=sys.stderr)
            continue
        own = os.path.join(folder, name)
        os.makedirs(own, exist_ok=True)
        if module is orfeo:
            rows = module.rows(data, given.all or data != DATA)
        else:
            rows = module.rows(data, name) if module is amanelis else module.rows(data)
        runner = runs.Runner(own)
        if module is pcad:
            module.predict(runner, data, rows, given.programs, given.size)
        elif module is taurus:
            module.predict(runner, data, rows, given.programs)
        else:
            module.predict(runner, data, rows)
        all_rows += rows
        summaries[name] = summary(rows)
        print_table({name: summaries[name]})
    for total, blind in (("all", False), ("blind", True)):
        members = [row for row in all_rows if (row.set in BLIND) == blind]
        if members:
            summaries[total] = summary(members)
    print()
    print_table(summaries)
    print_reasons(all_rows)
    if "json" in files:
        experiment.write(files["json"], as_json(all_rows, summaries))
    if "page" in files:
        page.write(files["page"], [row for row in all_rows if row.set not in BLIND] or all_rows, summaries)


if __name__ == "__main__":
    main()
