"""Comparison of the documents' tables of declared work with the output of the scripts."""
import argparse
import decimal
import pathlib
import re
import subprocess
import sys

TEXT = """\
Runs the scripts that print the documents' tables of declared work. These numbers are equal on all machines. Prints the
rows for the documents; with --check, only the rows that differ, and the exit code is 1 if there are any.
"""
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")
ROOT = pathlib.Path(__file__).resolve().parents[2]


def printed(script):
    """The output of a script, as lines."""
    run = subprocess.run([str(ROOT / "scripts" / script)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode != 0:
        sys.exit(f"scripts/tables: scripts/{script} failed:\n{run.stdout}")
    return run.stdout.splitlines()


def numbers(text):
    return [number.replace(",", "") for number in NUMBER.findall(text)]


def rows_by_name(script, names):
    """Rows of a printed table that begin with these names; the document has them under the other names."""
    for line in printed(script):
        for name, documented_name in names.items():
            if re.match(rf"{re.escape(name)} +\d", line):
                yield documented_name, numbers(line[len(name):])


def scatter():
    return rows_by_name("scatter", {"uniform": "uniform", "balanced, descending": "balanced, descending bandwidth",
                                    "balanced, ascending": "balanced, ascending bandwidth"})


def loops():
    names = {name: name for name in ("static", "self", "guided", "factoring", "trapezoid")}
    return rows_by_name("loops", names | {"weighted": "weighted factoring", "adaptive": "adaptive weighted factoring"})


def stealing():
    for line in printed("stealing"):
        if found := re.match(r" *(\d+) +([\d.]+) ms +([\d.]+)% +(\d+) +(\d+) +(.*)", line):
            shares = [part for part in found[6].split(", ") if numbers(part) != ["1"]]
            yield found[1], [*found.groups()[1:5], *numbers(" ".join(shares))]


def masters():
    """The document has some of the rows: seconds of cyclic, scattered, strips, even tasks, as far as each was run."""
    rows = {}
    for line in printed("masters"):
        if found := re.search(r"\] (SI|DY|ML)\D*(\d*) master\D*: +([\d.]+) s predicted", line):
            rows.setdefault({"SI": "1 (SI)", "DY": "DY"}.get(found[1], found[2]), []).append(found[3])
    return rows.items()


def skeleton():
    rows = {}
    for line in printed("skeleton"):
        fields = re.split(r"  +", line.strip())
        if len(fields) != 12 or fields[4] not in ("same", "other"):
            continue
        name, events, symbols, _, target, _, _, _, _, error, _, shorter = fields
        row = rows.setdefault(name, {"events": events, "symbols": symbols, "same": [], "other": [], "shorter": []})
        row[target] += numbers(error)
        if target == "same":
            row["shorter"].append(shorter)
    for name, row in rows.items():
        yield name, [row["events"], row["symbols"], *row["same"], *row["other"], *row["shorter"]]


# Document, generator of rows, columns of the document that differ from run to run, and whether it has all rows.
TABLES = {
    "scatter": ("apps/README.md", scatter, (), True),
    "loops": ("apps/README.md", loops, (), True),
    "skeleton": ("scripts/README.md", skeleton, (3,), True),
    "stealing": ("apps/README.md", stealing, (), True),
    "masters": ("apps/README.md", masters, (), False),
}


def documented(lines, name, count, skipped):
    """The numbers of the row with this name and this count, without skipped columns; None: no such row."""
    found = None
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and cells[0].strip("`").removeprefix("kernels ") == name:
            found = [n for i, cell in enumerate(cells) if i > 0 and i not in skipped for n in numbers(cell)]
            if len(found) == count:
                break
    return found


def same(document, right):
    """True if both are equal up to the digits in the document."""
    def near(a, b):
        return abs(decimal.Decimal(a) - decimal.Decimal(b)) <= decimal.Decimal(1).scaleb(decimal.Decimal(a).as_tuple().exponent) / 2
    return len(document) == len(right) and all(near(a, b) for a, b in zip(document, right))


def main():
    parser = argparse.ArgumentParser(prog="scripts/tables", description=TEXT,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="say which rows of the documents differ")
    parser.add_argument("table", nargs="*", choices=[[], *TABLES],
                        help=f"of {', '.join(TABLES)}; all of them if none is named")
    given = parser.parse_args()
    wrong = 0
    for table in given.table or TABLES:
        document, rows, skipped, complete = TABLES[table]
        lines = (ROOT / document).read_text().splitlines()
        rows = list(rows())
        if not rows:
            sys.exit(f"scripts/tables: scripts/{table} printed no table")
        for name, right in rows:
            found = documented(lines, name, len(right), skipped)
            if not given.check:
                print(f"{document}: {name}: {' '.join(right)}")
            elif found is None and not complete:
                continue
            elif found is None or not same(found, right):
                wrong += 1
                print(f"{document}: {name}: has {' '.join(found or ['no row'])}, scripts/{table} prints {' '.join(right)}")
    return 1 if wrong else 0


sys.exit(main())
