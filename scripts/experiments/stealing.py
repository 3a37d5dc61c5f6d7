"""The chunk sizes of a work-stealing search side by side, and the bottleneck of the best one."""
import re

import experiment
from experiment import FAST_ETHERNET, Runs, read, write

TEXT = """\
Installs what is missing, builds, and predicts the run time of apps/stealing (N subtrees, nodes of 1 ms) for each chunk
size, on config/fast-ethernet-64.toml. The columns: predicted time; the ranks' share of work in it; stolen chunks and
attempts; the causes on the critical path, from the start to the last rank's end. The table is also in
build/stealing/table.tsv.
"""

PROGRAM = "build/apps/stealing/stealing"
CHUNKS = [1, 2, 4, 8, 16, 32, 64]


def causes(path):
    """The shares of a critical path's causes, of at least one part in a hundred, in descending order."""
    parts = path["picoseconds"]
    shares = sorted(((part / sum(parts.values()), name) for name, part in parts.items()), reverse=True)
    return ", ".join(f"{name} {share:.0%}" for share, name in shares if share >= 0.01)


def main():
    given = experiment.options_of("stealing", TEXT, ranks=(64, 2, 1024, "ranks"), roots=(400, 1, 1_000_000, "subtrees"))
    out = experiment.prepare("stealing")
    runs, rows = Runs(len(CHUNKS)), []
    for chunk in CHUNKS:
        file = f"{out}/chunk-{chunk}.json"
        run = runs.predict(file, f"chunks of {chunk}", given.ranks, FAST_ETHERNET, PROGRAM, "--chunk", str(chunk),
                           "--cost", "1ms", "--roots", str(given.roots))
        stolen, attempts = map(int, re.search(r"stealing: (\d+) chunks? stolen, (\d+) attempts?",
                                              read(file + ".log")).groups())
        worked = sum(rank["compute_seconds"] for rank in run["per_rank"])
        rows.append((chunk, run["predicted_seconds"], worked / given.ranks / run["predicted_seconds"], stolen, attempts,
                     causes(run["critical_path"])))
    lines = ["chunk\tpredicted_seconds\tworked\tstolen\tattempts\tcritical_path"]
    lines += [f"{c}\t{s:.6f}\t{w:.4f}\t{n}\t{a}\t{p}" for c, s, w, n, a, p in rows]
    write(f"{out}/table.tsv", "\n".join(lines) + "\n")
    print(f"\n{'chunk':>5} {'predicted':>12} {'worked':>7} {'stolen':>7} {'attempts':>9}  critical path")
    for chunk, seconds, worked, stolen, attempts, path in rows:
        print(f"{chunk:5} {seconds * 1e3:9.3f} ms {worked:7.1%} {stolen:7} {attempts:9}  {path}")
    best = min(rows, key=lambda row: row[1])
    print(f"\nbest: chunks of {best[0]}")


main()
