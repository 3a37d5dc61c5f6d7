"""Tables of declared work in the documents, held against what the scripts print."""
import argparse
import pathlib
import re
import subprocess
import sys

TEXT = """\
Runs the scripts whose tables of declared work stand in the documents, and compares: the same numbers on any machine.
Without --check it prints the rows as they should be; with it, those that differ, and the exit code is 1 if any do.
"""
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")
ROOT = pathlib.Path(__file__).resolve().parents[2]


def printed(script, *options):
    run = subprocess.run([str(ROOT / "scripts" / script), *options], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"scripts/tables: scripts/{script} failed:\n{run.stderr}")
    return run.stdout


def numbers(text):
    return [number.replace(",", "") for number in NUMBER.findall(text)]


def scatter():
    """Name of the row, and its numbers in order."""
    names = {"uniform": "uniform", "balanced, descending": "balanced, descending bandwidth",
             "balanced, ascending": "balanced, ascending bandwidth"}
    text = printed("scatter")
    for short, name in names.items():
        line = re.search(rf"^{re.escape(short)} +(\d.*)$", text, re.MULTILINE)
        yield name, numbers(line[1])


def skeleton():
    rows = {}
    for line in printed("skeleton").splitlines()[1:]:
        fields = [field for field in re.split(r"  +", line.strip())]
        name, events, symbols, _, target, _, _, _, _, error, _, shorter = fields
        row = rows.setdefault(name, {"events": events, "symbols": symbols, "same": [], "other": [], "shorter": []})
        row[target] += numbers(error)
        if target == "same":
            row["shorter"].append(shorter)
    for name, row in rows.items():
        yield name, [row["events"], row["symbols"], *row["same"], *row["other"], *row["shorter"]]


# Document, generator of rows, and columns of the document that differ from run to run.
TABLES = {
    "scatter": ("apps/README.md", scatter, ()),
    "skeleton": ("scripts/README.md", skeleton, (3,)),
}


def documented(lines, name, skipped):
    """The numbers of the row that begins with this name, by value, without the columns that are skipped; None: no such row."""
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and cells[0].strip("`").removeprefix("kernels ") == name:
            return [n for i, cell in enumerate(cells) if i > 0 and i not in skipped for n in numbers(cell)]
    return None


def same(a, b):
    return len(a) == len(b) and all(float(x) == float(y) for x, y in zip(a, b))


def main():
    parser = argparse.ArgumentParser(prog="scripts/tables", description=TEXT, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="say which rows of the documents differ")
    parser.add_argument("table", nargs="*", choices=[[], *TABLES], help=f"of {', '.join(TABLES)}; all of them if none is named")
    given = parser.parse_args()
    wrong = 0
    for table in given.table or TABLES:
        document, rows, skipped = TABLES[table]
        lines = (ROOT / document).read_text().splitlines()
        for name, right in rows():
            found = documented(lines, name, skipped)
            if not given.check:
                print(f"{document}: {name}: {' '.join(right)}")
            elif found is None or not same(found, right):
                wrong += 1
                print(f"{document}: {name}: has {' '.join(found or ['no row'])}, scripts/{table} prints {' '.join(right)}")
    return 1 if wrong else 0


sys.exit(main())
