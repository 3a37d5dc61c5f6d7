#!/usr/bin/env python3
"""Algorithms that a target chooses for collectives: times computed by hand, and messages that require progress.
algorithms_test.py EMU PROGRAM."""
import json
import re
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
    ("barrier", '"flat"', 8, 0, 36, 24),
    # Rank 0 has the seven signals at 18, and its own to rank 7 leaves at 25.
    ("barrier", '"linear"', 8, 0, 36, 14),
    ("barrier", '"tree"', 8, 0, 72, 14),
    ("barrier", '"recursive-doubling"', 8, 0, 36, 24),
    ("barrier", '"recursive-doubling"', 9, 0, 48, 26),  # ranks that do not wait for the ninth are ahead
    ("barrier", '"recursive-doubling-halves"', 9, 0, 60, 27),  # the ninth answers rank 0
    ("bcast", '"mpich"', 8, 8, 36, 7),
    ("bcast", '"flat"', 8, 8, 36, 7),
    # The last rank hears from the second child of the root, which has sent to another one before.
    ("bcast", '"binary"', 7, 8, 26, 6),
    ("bcast", '"binomial"', 8, 8, 36, 7),
    ("bcast", '"binomial"', 5, 8, 25, 4),
    ("bcast", '"binomial-doubling"', 5, 8, 24, 4),  # the root sends first to the rank that sends on
    ("bcast", '"chains"', 9, 8, 27, 8),  # the root sends to the fourth chain at 4
    ("bcast", '"knomial"', 6, 8, 24, 5),
    ("bcast", '"linear"', 8, 8, 18, 7),
    ("bcast", '["linear up to 80B"]', 8, 80, 18, 7),
    ("bcast", '["linear up to 80B"]', 8, 88, 36, 7),
    ("bcast", '["linear up to 80B", "scatter-doubling"]', 8, 88, None, 7 + 24),
    ("bcast", '"scatter-doubling"', 8, 88, None, 7 + 24),
    ("bcast", '"scatter-ring"', 8, 800, None, 7 + 56),
    ("bcast", '"split-binary"', 3, 16384, 25, 4),  # the second half arrives at 13, and leaves for the other rank at 14
    # The rank in the middle has the first of three segments at 12; for each segment it sends it and receives the next:
    # the last leaves at 17.
    ("bcast", '"pipeline"', 3, 3 * 65536, 28, 6),
    ("reduce", '"mpich"', 8, 8, 36, 7),
    ("reduce", '"flat"', 8, 8, 36, 7),
    ("reduce", '"binary"', 7, 8, 26, 6),
    ("reduce", '"binomial"', 8, 8, 36, 7),
    ("reduce", '"chains"', 9, 8, 27, 8),
    ("reduce", '"linear"', 8, 800, 18, 7),
    ("reduce", '"pipeline"', 3, 8, 24, 2),
    ("reduce", '"rabenseifner"', 8, 800, None, 24 + 7),
    ("allreduce", '"mpich"', 4, 8, 24, 8),
    ("allreduce", '"flat"', 4, 8, 24, 8),
    ("allreduce", '"recursive-doubling"', 4, 800, 24, 8),
    ("allreduce", '"ring"', 4, 800, 72, 24),
    ("allreduce", '"rabenseifner"', 4, 800, 48, 16),
    ("allreduce", '"reduce-bcast"', 8, 8, 72, 14),
    ("allreduce", '"reduce-bcast-openmpi"', 3, 8, 37, 4),  # both ranks send to rank 0: 13; a pipeline: 24 more
    # With an operation of the program: vectors are cut for one that commutes; for one that does not, MPICH's doubling
    # is used.
    ("allreduce own", '"ring"', 4, 800, 72, 24),
    ("allreduce own", '"mpich"', 4, 800, 24, 8),
    ("allreduce ordered", '"ring"', 4, 800, 24, 8),
    ("reduce own", '"rabenseifner"', 8, 800, None, 24 + 7),
    ("alltoall", '"mpich"', 4, 8, 14, 12),
    ("alltoall", '"linear"', 4, 8, 14, 12),
    ("alltoall", '"bruck"', 4, 8, 24, 8),
    ("alltoall", '"pairwise"', 4, 8, 36, 12),
    ("alltoall", '"rotation"', 4, 8, 36, 12),
    ("alltoall", '["bruck up to 8B", "linear"]', 4, 8, 24, 8),
    ("alltoall", '["bruck up to 8B", "linear"]', 4, 16, 14, 12),
]
# Operations that share a key.
KEYS = {"reduce_scatter_block": "reduce_scatter", "scatter": "gather", "allgatherv": "allgather"}
for operation in "reduce_scatter", "reduce_scatter_block":
    # Six: ranks 0 and 2 join others until 12; the others have all rounds at 36. The sum of ranks 2 and 3 is on rank 4,
    # which sends it to rank 2, then to rank 3.
    CASES += [
        (operation, '"butterfly"', 6, 8, 49, 14),
        # A pipeline of three: 24; rank 0 sends to the last one at 25.
        (operation, '"reduce-scatter-openmpi"', 3, 8, 37, 4),
        # The first two and the last two exchange; then all pairs.
        (operation, '"recursive-doubling"', 4, 8, 24, 8),
        (operation, '"mpich"', 4, 8, 24, 8),
        (operation, '"halving"', 4, 8, 24, 8),
        (operation, '"pairwise"', 4, 8, 36, 12),
        (operation, '"ring"', 4, 8, 36, 12),
    ]
for operation in "gather", "scatter":
    CASES += [
        (operation, '"mpich"', 8, 8, 36, 7),
        (operation, '"binomial"', 8, 8, 36, 7),
        (operation, '"linear"', 8, 8, 18, 7),
    ]
for operation in "allgather", "allgatherv":
    CASES += [
        (operation, '"mpich"', 4, 8, 24, 8),
        (operation, '"bruck"', 4, 8, 24, 8),
        (operation, '"neighbor-exchange"', 6, 8, 36, 18),
        (operation, '"recursive-doubling"', 4, 8, 24, 8),
        (operation, '"ring"', 4, 8, 36, 12),
    ]
CASES += [
    # Ranks 1 and 2 exchange their sums at the end, or have mirrored their blocks before.
    ("reduce_scatter", '"butterfly"', 4, 8, 36, 10),
    ("reduce_scatter_block", '"butterfly"', 4, 8, 24, 8),
    ("reduce_scatter ordered", '"butterfly"', 6, 8, 49, 14),
    ("reduce_scatter ordered", '"halving"', 6, 8, None, 16),
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
# Eight ranks on nodes of two: by "flat" as above; by "mpich" among the first ranks of the nodes, which takes 24, and
# within the nodes.
SHARED = [
    ("barrier", 0, (36, 24), (48, 20)),
    ("bcast", 8, (36, 7), (48, 8)),  # the root, rank 1, sends to rank 0, and receives again
    ("reduce", 8, (36, 7), (37, 7)),  # the root receives from the other rank of its node last
    ("allreduce", 8, (36, 24), (48, 16)),
]


def key(operation):
    name = operation.split()[0]
    return KEYS.get(name, name)


def accepted(folder):
    """The names of algorithms that each key accepts, from the message that refuses a wrong one."""
    target = folder + "/target.toml"
    names = {}
    for name in {key(operation) for operation, *_ in CASES}:
        with open(target, "w") as file:
            file.write(f'{TARGET}[collectives]\n{name} = "?"\n')
        refused = subprocess.run([emu, "target", target], capture_output=True, text=True)
        names[name] = re.findall('"([a-z-]+)"', refused.stderr.split("expected one of")[1].split(", also")[0])
    return names


def run(folder, text, operation, ranks, size):
    """Microseconds and messages of an operation, and whether emu warned of the algorithm."""
    target, result = folder + "/target.toml", folder + "/run.json"
    with open(target, "w") as file:
        file.write(text)
    name, *kind = operation.split()
    subprocess.run([emu, "run", "-n", str(ranks), "--target", target, "--json", result, program, name, str(size), *kind],
                   check=True, timeout=60, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(result) as file:
        prediction = json.load(file)
    warned = any(warning["key"] == "algorithms" for warning in prediction["warnings"])
    return prediction["predicted_picoseconds"] / 1e6, prediction["messages"], warned


wrong = 0
with tempfile.TemporaryDirectory() as folder:
    for name, algorithms in accepted(folder).items():
        for operation in {operation for operation, *_ in CASES if key(operation) == name and " " not in operation}:
            tried = {a for o, choice, *_ in CASES if o == operation for a in re.findall('"([a-z-]+)', choice)}
            if tried != set(algorithms):
                print(f"{operation}: cases of {sorted(tried)}, the target accepts {sorted(algorithms)}")
                wrong += 1
    cases = [(o, f"{TARGET}[collectives]\n{key(o)} = {choice}\n", *rest) for o, choice, *rest in CASES]
    cases += [(o, f'{TARGET}[collectives]\nlibrary = "openmpi"\n', *rest) for o, *rest in OPENMPI]
    for operation, size, *results in SHARED:
        for choice, result in zip(("flat", "mpich"), results):
            text = TARGET.replace("count = 9", "count = 4\nslots = 2")
            cases.append((operation, f'{text}[collectives]\n{operation} = "{choice}"\n', 8, size, *result))
    for operation, text, ranks, size, us, messages in cases:
        *got, warned = run(folder, text, operation, ranks, size)
        choice = text.splitlines()[-1]
        replaced = operation.endswith(" ordered") and "butterfly" not in choice
        if (us is not None and got[0] != us) or got[1] != messages or warned != replaced:
            print(f"{operation}, {choice}, {ranks} ranks, {size} bytes: {got}, not {(us, messages)}, warned: {warned}")
            wrong += 1
sys.exit(wrong != 0)
