#!/usr/bin/env python3
"""scripts/field: one collective operation without contents takes as long as in a program, curves give the measured
times back, and rows of measured times that no module knows have a reason in place of a prediction.

    field_sets_test.py EMU PATTERNS ROOT
"""
import csv
import os
import pathlib
import sys
import tempfile

EMU, PATTERNS, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
sys.path.insert(0, str(ROOT / "scripts/experiments"))
os.chdir(ROOT)  # the modules read apps/field/data
from clusters import amanelis, cloud_noise, curves, hpl, orfeo, pico, runs, targets, taurus  # noqa: E402

runs.EMU, runs.PATTERNS, targets.EMU = EMU, PATTERNS, EMU
RANKS, SIZE = 8, 1 << 16
TARGET = """name = "of this test"
compute = "declared"
[network]
latency = "2us"
gap_per_byte = "80ps"
eager_limit = "8KiB"
reduce_per_byte = "300ps"
copy_per_byte = "100ps"
temporary_per_byte = "250ps"
temporary_from = "64KiB"
[network.send]
fixed = "300ns"
[network.receive]
fixed = "500ns"
[[node]]
count = 8
"""
failures = []


def expect(what, found, wanted):
    if found != wanted:
        failures.append(f"{what}: {found!r} in place of {wanted!r}")


def compare_operations(folder):
    runner = runs.Runner(folder, lambda *words, **others: None)
    for library in ({}, {"library": "openmpi-4.1"}):
        text = targets.with_collectives(TARGET, **library)
        for collective in pico.ALGORITHMS:
            moved = runner.patterns(collective, RANKS, text, [pico.case(collective, SIZE, RANKS)[:3] + (1, pico.AT_ONCE)])
            expect(f"seconds of {collective}, {library}", runner.operation(collective, RANKS, text, collective, SIZE),
                   moved[0][0])


def compare_handshakes(folder):
    """A block of a ring takes the time that was measured for a message of its size: eager, or with a handshake, after
    which it is sent or read. So does a message alone, whose receiver does not wait for an acknowledgement."""
    runner = runs.Runner(folder, lambda *words, **others: None)
    totals = {1: 2e-6, 1024: 3e-6, 16384: 10e-6, 65536: 30e-6}
    costs = {size: curves.Cost(0.3e-6, total - 0.7e-6, 0.4e-6) for size, total in totals.items()}
    limits = [(eager, get) for eager in (1024, 4096, 16384, 65536, None) for get in (None, eager)]
    for eager, get in limits + [(1024, 4096), (1024, 16384), (4096, 16384), (1024, 65536)]:
        text = 'name = "ring"\ncompute = "declared"\n' + curves.network("network", costs, eager=eager, get=get) + \
            "[[node]]\ncount = 4\n"
        for size, total in totals.items():
            ring = targets.with_collectives(text, allgather="ring")
            found = runner.operation("ring", 4, ring, "allgather", 4 * size) / 3
            if abs(found - total) > 1e-4 * total:
                failures.append(f"a block of {size} B, eager {eager}, get {get}: {found} s in place of {total} s")
    alone = curves.network("network", costs, eager=1024, get=4096, acknowledged=False)
    text = f'name = "pair"\ncompute = "declared"\n{alone}[[node]]\ncount = 2\n'
    pair = targets.with_collectives(text, bcast="linear")
    for size in (16384, 65536):
        wanted = totals[size] + 1.3e-6 + 0.4e-6  # the sender is done when it has the acknowledgement
        found = runner.operation("pair", 2, pair, "bcast", size)
        if abs(found - wanted) > 1e-4 * wanted:
            failures.append(f"a message of {size} B, which is read: {found} s in place of {wanted} s")


def check_first_model(folder):
    """A target of the first model has one line, through the shortest and the longest message, and nothing is shared."""
    runner = runs.Runner(folder, lambda *words, **others: None)
    costs = {1: curves.Cost(1e-6, 1e-6, 1e-6), 1024: curves.Cost(1e-6, 9e-6, 1e-6), 2049: curves.Cost(1e-6, 3e-6, 1e-6)}
    targets.plain = True
    try:
        text = 'name = "pair"\ncompute = "declared"\n' + curves.network("network", costs) + "[[node]]\ncount = 2\n" + \
            '[topology]\nkind = "links"\n[[topology.link]]\nname = "a"\nbandwidth = "1s"\n' \
            '[[topology.route]]\nfrom = 0\nto = 1\nvia = ["a"]\n'
        text = text.replace("[network]\n", '[network]\ncard = "node"\ncard_bandwidth = "1s"\ncopy_per_byte = "1s"\n', 1)
        for size, wanted in ((1, 3e-6), (1025, 4e-6), (2049, 5e-6)):
            found = runner.operation("pair", 2, targets.with_collectives(text, bcast="linear"), "bcast", size)
            if abs(found - wanted) > 1e-4 * wanted:
                failures.append(f"first model, {size} B: {found} s in place of {wanted} s")
    finally:
        targets.plain = False


def write(folder, name, columns, *lines):
    path = pathlib.Path(folder, name)
    path.parent.mkdir(exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns.split(","), *(line.split(",") for line in lines)])


def reasons(rows):
    return [row.why for row in rows]


def check_reasons(data):
    write(data, "others/runs.csv", "run,scheme,P,size,threshold,powers,master_s", "1,gss,4,400,1,2211,9",
          "2,ftss,4,400,1,2211,9")
    expect("a set with few columns", amanelis.is_one(os.path.join(data, "others")), True)
    expect("others", reasons(amanelis.rows(data, "others")), ["", "field-columns has no such scheme: ftss"])
    write(data, "cloud_noise/collectives.csv", "system,case,P,bytes,slowest_median_us,archive",
          "deep-est,pipelinedring,64,16384,30,a", "deep-est,halving,16,64,30,a", "nowhere,pipelinedring,4,16384,30,a")
    expect("cloud_noise", reasons(cloud_noise.rows(data)),
           ["", "field-patterns has no such pattern: halving", "no ping-pong says what a message takes"])
    write(data, "pico/runs.csv", "run,system,P,collective,library_algorithms_differ", "lumi_1_0,lumi,16,alltoall,yes")
    write(data, "pico/collectives.csv", "system,P,ranks_per_node,collective,algorithm,bytes,median_us,run",
          "lumi,16,1,alltoall,pairwise_mpich,4096,30,lumi_1_0", "lumi,16,1,alltoall,walk_over,4096,30,lumi_1_0",
          "lumi,16,1,scan,default_mpich,4096,30,lumi_1_0", "nowhere,8,1,allreduce,ring_over,4096,30,nowhere_1_0")
    expect("pico", reasons(pico.rows(data)),
           ["", "a target cannot name this algorithm: walk_over", "field-patterns has no such operation: scan",
            "no measurement says what a message takes"])
    write(data, "taurus/saturation.csv", "cluster,pattern,P,slowest_rank_median_ms", "taurus,send,12,4", "taurus,send,16,4",
          "taurus,walk,4,4", "nowhere,send,4,4")
    columns = "ranks,Ps,Qs,nodes,N,NB,real_hpl_s,smpi_optimised_hpl_s"
    write(data, "taurus/hpl.csv", columns, "12,12,1,1,20000,120,73.32,65.21", "12,12,1,1,10000,120,10,",
          "288,12,24,24,20000,120,10,")
    rows = taurus.rows(data)
    expect("taurus", reasons(rows),
           ["", "taurus has 12 nodes", "field-patterns has no such pattern: walk",
            "the rates of messages that meet are known for taurus alone", "", "", "taurus has 144 cores"])
    hpl.fill(rows[4:6])
    expect("HPL of other sizes", [row.predicted is not None for row in rows[4:6]], [True, False])
    write(data, "orfeo/bcast.csv", "label,map_by,P,bytes,latency_us", "binomial,core,6,1024,1", "walk,core,6,1024,1",
          "chain,numa,6,1024,1", "chain,core,96,1024,1")
    expect("orfeo", reasons(orfeo.rows(data, True)),
           ["", "unknown algorithm: walk", "unknown placement: 6 ranks by numa", "unknown placement: 96 ranks by core"])


with tempfile.TemporaryDirectory() as made:
    compare_operations(made)
    compare_handshakes(made)
    check_first_model(made)
    check_reasons(made)
if failures:
    sys.exit("\n".join(failures))
