"""GOAL schedules of common patterns, as text: for measurements and tests."""


def write_schedule(path, ranks, operations):
    """`operations(rank)` yields the lines of a rank's block."""
    with open(path, "w") as file:
        file.write(f"num_ranks {ranks}\n")
        for rank in range(ranks):
            file.write(f"rank {rank} {{\n")
            file.writelines(f"{line}\n" for line in operations(rank))
            file.write("}\n")


def chain(lines):
    """Operations, each after the preceding one."""
    for number, line in enumerate(lines):
        yield f"l{number}: {line}"
        if number > 0:
            yield f"l{number} requires l{number - 1}"


def rounds(steps, count):
    """`steps` concurrent messages, `count` times; a round begins when the preceding one is complete."""
    at = 0
    for number in range(count):
        first = at
        for step in steps:
            yield f"l{at}: {step}"
            if number > 0:
                yield f"l{at} requires l{first - 1}"
            at += 1
        yield f"l{at}: calc 0"
        yield from (f"l{at} requires l{step}" for step in range(first, at))
        at += 1


def ring(ranks, count, size):
    """Messages to the next rank and from the preceding one."""
    def lines(rank):
        to, source = (rank + 1) % ranks, (rank - 1) % ranks
        return chain(line for _ in range(count) for line in (f"send {size}b to {to}", f"recv {size}b from {source}"))
    return lines


def alltoall(ranks, count, size):
    """Messages from each rank to each other one, one after another."""
    def lines(rank):
        return chain(line for _ in range(count) for i in range(1, ranks)
                     for line in (f"send {size}b to {(rank + i) % ranks}", f"recv {size}b from {(rank - i) % ranks}"))
    return lines


def at_once(ranks, count, size):
    """Messages from each rank to each other one, all at once."""
    def lines(rank):
        others = [(rank + i) % ranks for i in range(1, ranks)]
        return rounds([f"recv {size}b from {other}" for other in others] +
                      [f"send {size}b to {other}" for other in others], count)
    return lines


def broadcast(ranks, count, size):
    """A broadcast along a binomial tree with root 0."""
    def once(rank):
        bit = 1
        while bit < ranks and not rank & bit:
            bit <<= 1
        if rank > 0:
            yield f"recv {size}b from {rank - bit}"
        bit >>= 1
        while bit > 0:
            if rank + bit < ranks:
                yield f"send {size}b to {rank + bit}"
            bit >>= 1
    return lambda rank: chain(line for _ in range(count) for line in once(rank))


def stencil(ranks, count, size):
    """Exchanges with four neighbours on a torus that is as square as the number of ranks permits."""
    columns = next(c for c in range(int(ranks ** 0.5), 0, -1) if ranks % c == 0)
    rows = ranks // columns

    def lines(rank):
        row, column = divmod(rank, columns)
        near = [(row + a) % rows * columns + (column + b) % columns for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))]
        return rounds([f"recv {size}b from {n} tag {tag ^ 1}" for tag, n in enumerate(near)]
                      + [f"send {size}b to {n} tag {tag}" for tag, n in enumerate(near)], count)
    return lines


# Number of messages of one round.
PATTERNS = {"ring": (ring, lambda ranks: ranks), "alltoall": (alltoall, lambda ranks: ranks * (ranks - 1)),
            "at once": (at_once, lambda ranks: ranks * (ranks - 1)),
            "broadcast": (broadcast, lambda ranks: ranks - 1), "stencil": (stencil, lambda ranks: 4 * ranks)}
