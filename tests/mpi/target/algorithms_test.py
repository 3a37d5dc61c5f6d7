#!/usr/bin/env python3
"""Algorithms that a target chooses for collectives: times computed by hand, and messages that require progress.
algorithms_test.py EMU PROGRAM."""
import json
import subprocess
import sys
import tempfile

emu, program = sys.argv[1:]
# A message takes 1 us at each end, and 10 us in transit, for any length.
TARGET = """name = "twelve microseconds a message"
compute = "declared"
[[node]]
count = 9
[network]
latency = "10us"
gap_per_byte = "0ps"
eager_limit = "unlimited"
send = { fixed = "1us", per_process = "0ps", per_byte = "0ps" }
receive = { fixed = "1us", per_process = "0ps", per_byte = "0ps" }
"""
# operation, choice, ranks, bytes, us, messages; us None: only the messages
CASES = [
    ("barrier", '"mpich"', 8, 0, 36, 24),
    ("barrier", '"dissemination"', 8, 0, 36, 24),
    ("barrier", '"tree"', 8, 0, 72, 14),
    ("barrier", '"recursive-doubling"', 8, 0, 36, 24),
    ("barrier", '"recursive-doubling"', 9, 0, 48, 26),  # ranks that do not wait for the ninth are ahead
    ("bcast", '"binomial"', 8, 8, 36, 7),
    ("bcast", '"linear"', 8, 8, 18, 7),
    ("bcast", '["linear up to 80B"]', 8, 80, 18, 7),
    ("bcast", '["linear up to 80B"]', 8, 88, 36, 7),
    ("bcast", '["linear up to 80B", "scatter-doubling"]', 8, 88, None, 7 + 24),
    ("bcast", '"scatter-ring"', 8, 800, None, 7 + 56),
    ("reduce", '"linear"', 8, 800, None, 7),
    ("reduce", '"rabenseifner"', 8, 800, None, 24 + 7),
    ("allreduce", '"recursive-doubling"', 4, 800, 24, 8),
    ("allreduce", '"ring"', 4, 800, 72, 24),
    ("allreduce", '"rabenseifner"', 4, 800, 48, 16),
    ("allreduce", '"reduce-bcast"', 8, 8, 72, 14),
    # With an operation of the program: vectors are cut for one that commutes; for one that does not, MPICH's doubling
    # is used.
    ("allreduce own", '"ring"', 4, 800, 72, 24),
    ("allreduce own", '"mpich"', 4, 800, 24, 8),
    ("allreduce ordered", '"ring"', 4, 800, 24, 8),
    ("reduce own", '"rabenseifner"', 8, 800, None, 24 + 7),
    ("reduce_scatter", '"pairwise"', 4, 8, 36, 12),
    ("reduce_scatter", '"halving"', 4, 8, 24, 8),
    ("gather", '"linear"', 8, 8, 18, 7),
    ("gather", '"binomial"', 8, 8, 36, 7),
    ("allgather", '"ring"', 4, 8, 36, 12),
    ("allgather", '"bruck"', 4, 8, 24, 8),
    ("alltoall", '"pairwise"', 4, 8, 36, 12),
    ("alltoall", '"rotation"', 4, 8, 36, 12),
    ("alltoall", '["bruck up to 8B", "linear"]', 4, 8, 24, 8),
    ("alltoall", '["bruck up to 8B", "linear"]', 4, 16, None, 12),
    # The rank in the middle has the first of three segments at 12; for each segment it sends it and receives the next:
    # the last leaves at 17.
    ("bcast", '"pipeline"', 3, 3 * 65536, 28, 6),
]
# As above, by Open MPI's choice. In the split binary tree the root sends four segments until 4 us; the last one arrives
# at 15, and reaches the pair 12 later.
OPENMPI = [
    ("barrier", 8, 0, 36, 24),
    ("barrier", 6, 0, 36, 18),
    ("bcast", 8, 2040, 36, 7),
    ("bcast", 3, 4096, 27, 6),
    ("reduce", 4, 8, 14, 3),
    ("allreduce", 4, 9992, 24, 8),
    ("allreduce", 4, 10000, 72, 24),
    ("reduce_scatter", 4, 8, 24, 8),
    ("gather", 4, 8, 14, 3),
    ("allgather", 4, 8, 24, 8),
    ("allgather", 6, 8, 36, 18),
    ("allgather", 3, 16800, 24, 6),
    ("allgather", 4, 16000, 24, 8),
    ("alltoall", 4, 8, 14, 12),
    ("alltoall", 4, 3000, 36, 12),
]
CASES = [(operation, f"{operation.split()[0]} = {choice}", *rest) for operation, choice, *rest in CASES]
CASES += [(operation, 'library = "openmpi"', *rest) for operation, *rest in OPENMPI]
wrong = 0
with tempfile.TemporaryDirectory() as folder:
    target, result = folder + "/target.toml", folder + "/run.json"
    for operation, choice, ranks, size, us, messages in CASES:
        with open(target, "w") as file:
            file.write(f"{TARGET}[collectives]\n{choice}\n")
        name, *kind = operation.split()
        subprocess.run([emu, "run", "-n", str(ranks), "--target", target, "--json", result, program, name, str(size), *kind],
                       check=True, timeout=60, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(result) as file:
            run = json.load(file)
        got = (run["predicted_picoseconds"] / 1e6 if us is not None else None, run["messages"])
        warned = any(warning["key"] == "algorithms" for warning in run["warnings"])
        if got != (us, messages) or warned != (kind == ["ordered"]):
            print(f"{operation}, {choice}, {ranks} ranks, {size} bytes: {got}, not {(us, messages)}, warned: {warned}")
            wrong += 1
sys.exit(wrong != 0)
