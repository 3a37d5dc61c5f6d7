"""cloud_noise: fixed schedules of messages on Azure and DEEP-EST.

Each target is written from netgauge's ping-pong, and that of Azure also from the time between messages in a row that
netgauge's LogGP test gives, (PRTT(n,0,s) - PRTT(1,0,s)) / (n - 1). On DEEP-EST that test shows the steps of the clock,
0.24 us, so it is not used. Nothing is fitted to the schedules.
"""
from clusters import targets
from clusters.jobs import Failed
from clusters.rows import Row, known, read_csv

NAME = "cloud_noise"
CLUSTERS = {"azure_hc44rs": "Azure HC44rs, InfiniBand EDR, HPC-X (2022)",
            "deep-est": "DEEP-EST cluster, InfiniBand EDR, Open MPI 4.1.3 (2022)"}
FITTED = 0


def points(data, system):
    found = [targets.ASSUMED_POLL]
    for line in known(data, NAME, "pingpong.csv"):
        if line["system"] == system and "bidirect" not in line["test"]:
            found.append(("half_roundtrip", int(line["bytes"]), 1e-6 * float(line["half_roundtrip_median_us"])))
    for line in known(data, NAME, "loggp.csv"):
        if line["system"] != system or system == "deep-est":
            continue
        n, single, several = int(line["n"]), float(line["prtt_1_0_us"]), float(line["prtt_n_0_us"])
        if several > single:
            found.append(("stream", int(line["bytes"]), 1e-6 * (several - single) / (n - 1)))
    return found


def make_targets(data, folder):
    """Cluster: the text of its target."""
    return {system: targets.with_collectives(targets.calibrated(folder, system, title, points(data, system), 64),
                                             library="openmpi")
            for system, title in CLUSTERS.items()}


def rows(data):
    result = []
    for line in read_csv(data, NAME, "collectives.csv"):
        system, case, ranks, size = line["system"], line["case"], int(line["P"]), int(line["bytes"])
        row = Row(NAME, system, f"{system} {case} P={ranks} {size} B {line['archive']}",
                  1e-6 * float(line["slowest_median_us"]),
                  [(system, ranks, size), (system, case, size)])
        row.case = (case, size, ranks, 1, 1)
        if case.startswith("pipelinedring") and size < ranks:
            row.why = "no messages: a segment has B/P = 0 bytes, and the clock has steps of 0.24 us"
        result.append(row)
    return result


def predict(runner, data, all_rows):
    made = make_targets(data, runner.folder)
    jobs = {}
    for row in all_rows:
        if not row.why:
            jobs.setdefault((row.cluster, row.case[2]), {}).setdefault(row.case, []).append(row)
    for (system, ranks), cases in sorted(jobs.items()):
        try:
            found = runner.banded(f"{system}, {ranks} ranks", ranks, made[system], list(cases))
        except Failed as failure:
            for row in sum(cases.values(), []):
                row.why = str(failure)
            continue
        for times, members in zip(found, cases.values()):
            for row in members:
                row.predicted = times[0][0]
                row.low, row.high = min(t[0] for t in times), max(t[0] for t in times)
