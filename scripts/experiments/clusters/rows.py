"""One measured time with its prediction, and summaries of sets of them."""
import csv
import dataclasses
import itertools
import os
import statistics

KEPT = "apps/field/data"


@dataclasses.dataclass
class Row:
    set: str
    cluster: str
    name: str
    measured: float  # seconds
    # Rows of one group are alternatives: schemes, algorithms, numbers of ranks.
    groups: list = dataclasses.field(default_factory=list)
    predicted: float | None = None  # seconds
    low: float | None = None  # of the predicted interval
    high: float | None = None
    smpi: float | None = None  # result of the authors' own simulation
    why: str = ""  # reason why it cannot be predicted

    @property
    def error(self):
        return self.predicted / self.measured - 1


def read_csv(*path):
    with open(os.path.join(*path), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def known(data, name, file):
    """The lines from which targets are written: those of `data`, and kept ones that are missing there."""
    lines = read_csv(data, name, file) if os.path.exists(os.path.join(data, name, file)) else []
    if os.path.abspath(data) == os.path.abspath(KEPT) or not os.path.exists(os.path.join(KEPT, name, file)):
        return lines
    there = {tuple(line.items()) for line in lines}
    return lines + [line for line in read_csv(KEPT, name, file) if tuple(line.items()) not in there]


def quantile(values, share):
    """Linear interpolation between the values."""
    values = sorted(values)
    at = share * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])


def pairs(rows):
    """The pairs of alternatives whose measured times differ by more than 10 %, and how many are predicted in order."""
    by_group = {}
    for row in rows:
        for group in row.groups:
            by_group.setdefault(group, []).append(row)
    right = count = 0
    for members in by_group.values():
        for a, b in itertools.combinations(members, 2):
            if max(a.measured, b.measured) <= 1.1 * min(a.measured, b.measured):
                continue
            count += 1
            right += (a.predicted < b.predicted) == (a.measured < b.measured) and a.predicted != b.predicted
    return right, count


def summary(rows):
    """The table's values of one set; None if nothing is predicted."""
    done = [row for row in rows if row.predicted is not None]
    if not done:
        return None
    errors = [abs(row.error) for row in done]
    right, count = pairs(done)
    banded = [row for row in done if row.low is not None]
    inside = sum(row.low <= row.measured <= row.high for row in banded)
    simulated = [abs(row.smpi / row.measured - 1) for row in done if row.smpi is not None]
    return {
        "rows": len(done),
        "median_error": statistics.median(errors),
        "p90_error": quantile(errors, 0.9),
        "worst_error": max(errors),
        "order_right": right / count if count else None,
        "pairs": count,
        "inside_interval": inside / len(banded) if banded else None,
        "smpi_median_error": statistics.median(simulated) if simulated else None,
        "not_predicted": len(rows) - len(done),
    }
