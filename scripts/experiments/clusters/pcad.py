"""pcad: LULESH, CoMD and miniVite, which are foreign programs."""
from clusters.rows import Row, read_csv

NAME = "pcad"
FITTED = 0


def rows(data):
    result = []
    for line in read_csv(data, NAME, "results.csv"):
        row = Row(NAME, line["partition"],
                  f"{line['partition']} {line['program']} {line['size']} P={line['ranks']} on {line['nodes']} "
                  f"nodes, {line['omp_threads']} threads", float(line["real_median_s"]),
                  [(line["partition"], line["program"], line["size"], line["omp_threads"])],
                  smpi=float(line["smpi_median_s"]) if line["smpi_median_s"] else None)
        row.line = line
        result.append(row)
    return result


def predict(runner, data, all_rows):
    for row in all_rows:
        if row.line["ranks"] == "1":
            row.why = "the speed of the CPU is that of the program's run with one rank"
        elif row.line["omp_threads"] != "1":
            row.why = "ten threads of a rank share one core"
        else:
            row.why = f"{row.line['program']} is a foreign program, which is not built here"
