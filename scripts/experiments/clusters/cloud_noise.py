"""cloud_noise: fixed schedules of messages on Azure and DEEP-EST.

Each target is written from netgauge's ping-pong, and the target of Azure also from the time between consecutive
messages in netgauge's LogGP test, (PRTT(n,0,s) - PRTT(1,0,s)) / (n - 1). On DEEP-EST that test shows the steps of
the clock, 0.24 us, so it is not used.

The nodes of netgauge's run on DEEP-EST are farther apart than the nodes of schedules of up to 16 ranks: a message of
the ping-pong takes 1.9 us, a message of a dissemination 1.5 to 1.6 us, and with 32 ranks 1.9 us. So the difference in
latency for up to 16 ranks is fitted to one run, the dissemination of 16 bytes by 8 ranks without work. No other value
is fitted to the schedules.
"""
import math
import re
import statistics

from clusters import targets
from clusters.runs import Failed, Runner
from clusters.rows import Row, known, read_csv

NAME = "cloud_noise"
CLUSTERS = {  # of other systems: their names
            "azure_hc44rs": "Azure HC44rs, InfiniBand EDR, HPC-X (2022)",
            "deep-est": "DEEP-EST cluster, InfiniBand EDR, Open MPI 4.1.3 (2022)"}
CASES = ("nwaydissemination", "nwaydissemination_nocompute", "nwaydissemination_nocompute_test", "pipelinedring",
         "pipelinedring_test", "binomialtreebcast", "binarytreebcast", "linear_alltoall")
FITTED = "one latency, of DEEP-EST"
NEAR = {"deep-est": (16, ("nwaydissemination_nocompute", 16, 8))}  # ranks; case, bytes and ranks of the fitted run
ROUNDS = 2  # of emulation


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


def measured_targets(data, folder, systems=tuple(CLUSTERS), nodes=64):
    """By cluster: the text of the target for the nodes of netgauge's run."""
    return {system: targets.with_collectives(targets.calibrated(folder, system, CLUSTERS.get(system, system),
                                                                points(data, system), nodes),
                                             library="openmpi")
            for system in systems}


def rows(data):
    result = []
    pinged = {line["system"] for line in known(data, NAME, "pingpong.csv") if "bidirect" not in line["test"]}
    for line in read_csv(data, NAME, "collectives.csv"):
        system, case, ranks, size = line["system"], line["case"], int(line["P"]), int(line["bytes"])
        row = Row(NAME, system, f"{system} {case} P={ranks} {size} B {line['archive']}",
                  1e-6 * float(line["slowest_median_us"]),
                  [(system, ranks, size), (system, case, size)])
        row.case = (case, size, ranks, 1, 1)
        if system in NEAR and NEAR[system][1] == (case, size, ranks):
            row.why = "the latency of near nodes is fitted to it"
        if case.startswith("pipelinedring") and size < ranks:
            row.why = "no messages: a segment has B/P = 0 bytes, and the clock has steps of 0.24 us"
        elif case not in CASES:
            row.why = f"field-patterns has no such pattern: {case}"
        elif system not in pinged:
            row.why = "no ping-pong says what a message takes"
        result.append(row)
    return result


def nearer(text, seconds):
    """The target with all latencies less so much."""
    def shorter(match):
        left = max(0.001, float(match.group(2)) - 1e6 * seconds)
        return f'{match.group(1)}"{left:.6f}us{match.group(3)}"  # {match.group(2)} us between the nodes of netgauge'
    return re.sub(r'^(latency\s*=\s*)"([0-9.]+)us([^"]*)".*$', shorter, text, flags=re.MULTILINE)


def near(runner, data, system, text):
    """The target of the cluster for the ranks of NEAR."""
    case, size, ranks = NEAR[system][1]
    times = [1e-6 * float(line["slowest_median_us"]) for line in known(data, NAME, "collectives.csv")
             if (line["system"], line["case"], int(line["bytes"]), int(line["P"])) == (system, case, size, ranks)]
    by = 0.0
    for _ in range(ROUNDS if times else 0):
        found = runner.patterns(f"{system}, near nodes", ranks, nearer(text, by), [(case, size, ranks, 1, 1)])
        by += (found[0][0] - statistics.median(times)) / math.log2(ranks)
    return nearer(text, by)


def make_targets(data, folder):
    """Cluster: the text of its target."""
    made, runner = measured_targets(data, folder), Runner(folder)
    return made | {system: near(runner, data, system, made[system]) for system in NEAR}


def predict(runner, data, all_rows):
    jobs = {}
    for row in all_rows:
        if not row.why:
            jobs.setdefault((row.cluster, row.case[2]), {}).setdefault(row.case, []).append(row)
    systems = sorted({system for system, _ in jobs})
    made = measured_targets(data, runner.folder, systems, max([64, *(ranks for _, ranks in jobs)]))
    close = {system: near(runner, data, system, made[system]) for system in NEAR if system in made}
    for (system, ranks), cases in sorted(jobs.items()):
        try:
            text = close[system] if system in close and ranks <= NEAR[system][0] else made[system]
            found = runner.banded(f"{system}, {ranks} ranks", ranks, text, list(cases))
        except Failed as failure:
            for row in sum(cases.values(), []):
                row.why = str(failure)
            continue
        for times, members in zip(found, cases.values()):
            for row in members:
                row.predicted = times[0][0]
                row.low, row.high = min(t[0] for t in times), max(t[0] for t in times)
