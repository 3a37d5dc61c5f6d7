"""Networks that say what was measured at every size: a piece between each two of them.

emu calibrate fits few lines through many points, and its intervals. Where a time is known at each power of two, and
the messages that are predicted have these sizes, there is nothing to fit.
"""
import dataclasses


@dataclasses.dataclass
class Cost:
    """Of one message, in seconds: overheads of send and receive, and the way between them."""
    send: float
    way: float
    receive: float

    @property
    def total(self):
        return self.send + self.way + self.receive


def picoseconds(seconds):
    return f'"{max(0.0, 1e12 * seconds):.3f}ps"'


def line(before, size, value_before, value, least=0.0):
    """(at zero bytes, per byte) of the line through both points; neither is below zero. A line that rises by less than
    `least` per byte is one that does so, and passes the second point alone."""
    slope = max(least, (value - value_before) / (size - before))
    if slope * size > value:
        slope = value / size
    return value - slope * size, slope


def keys(costs, before, size, least=0.0):
    """The keys of one piece: through the costs of `before` and of `size` bytes."""
    a, b = costs[before], costs[size]
    result = []
    # The time in transit of k bytes is L + (k-1) G.
    at_zero, per_byte = line(before, size, a.way, b.way, least) if before < size else line(0, size, b.way, b.way, least)
    result.append(("", "latency", at_zero + per_byte))
    result.append(("", "gap_per_byte", per_byte))
    for name in ("send", "receive"):
        fixed, per_byte = line(before, size, getattr(a, name), getattr(b, name)) if before < size else \
            (getattr(b, name), 0.0)
        result.append((name, "fixed", fixed))
        result.append((name, "per_byte", per_byte))
    return result


def table(head, prefix, values):
    lines, section = [head], ""
    for part, key, value in values:
        if part != section:
            section = part
            lines.append(f"[{prefix}.{part}]")
        lines.append(f"{key} = {picoseconds(value)}")
    return "\n".join(lines) + "\n"


def network(head, costs, extra="", eager=None, least=0.0):
    """`head`: "network", or "link" with what `extra` says of it. `costs`: bytes: Cost. Messages above `eager` bytes
    need a handshake, which their costs contain. `least`: seconds per byte of the slowest of what a message shares,
    which it does not pass faster."""
    sizes = sorted(costs)
    short = costs[sizes[0]]
    # Request and answer: each is a byte in transit, and an overhead at sender and receiver.
    handshake = 2 * (short.send + short.way + short.receive)
    known = {}
    for size in sizes:
        cost = costs[size]
        if eager is not None and size > eager:
            # Receives cost what one byte does, and sends no less; the other costs of the bytes are the network's.
            send = max(short.send, cost.send)
            rest = cost.total - handshake - send - short.receive
            cost = Cost(send, max(rest, 1e-12), short.receive)
        known[size] = cost
    text = table("[network]" if head == "network" else "[[link]]\n" + extra, head,
                 keys(known, sizes[-2], sizes[-1], least))
    limit = "unlimited" if eager is None else f"{eager}B"
    text = text.replace("latency =", f'eager_limit = "{limit}"\nlatency =', 1)
    for before, size in zip([sizes[0]] + sizes, sizes):
        if size == sizes[-1]:
            break
        # Costs jump where the handshake begins: a piece beyond it is a line of its own.
        first = size if eager is not None and before <= eager < size else before
        values = keys(known, first, size, least)
        text += table(f'[[{head}.piece]]\nup_to = "{size}B"', f"{head}.piece", values)
    return text
