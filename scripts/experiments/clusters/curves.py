"""Networks whose costs were measured at many sizes: one piece between each two consecutive sizes.

emu calibrate fits few lines through many points, and computes intervals. If a time is known at each power of two,
and the predicted messages have these sizes, no fit is needed.
"""
import dataclasses


@dataclasses.dataclass
class Cost:
    """Costs of a message, in seconds: overheads of send and receive, and the time in transit."""
    send: float
    way: float
    receive: float

    @property
    def total(self):
        return self.send + self.way + self.receive


def picoseconds(seconds):
    return f'"{max(0.0, 1e12 * seconds):.3f}ps"'


def line(before, size, value_before, value, least=0.0):
    """(at zero bytes, per byte) of the line through both points; neither is negative. A line that rises by less than
    `least` per byte is replaced by a line of that slope through the second point."""
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


def network(head, costs, extra="", eager=None, least=0.0, get=False):
    """The text of a network. `head`: "network", or "link", to which `extra` adds keys. `costs`: Cost by bytes.
    Messages above `eager` bytes need a handshake, which their costs contain; with `get` the receiver reads them, and
    the costs contain the acknowledgement. The smallest size has no handshake; a longer message takes at least as
    long as one. `least`: seconds per byte of the slowest shared resource, below which no message gets."""
    sizes = sorted(costs)
    if eager is not None and eager >= sizes[-1]:
        eager = None  # no measured message had a handshake
    short = costs[sizes[0]]
    # Request and answer (with `get`: acknowledgement): each is a byte in transit, and an overhead at sender and
    # receiver. With `get` the request to read is in transit, too.
    handshake = 2 * (short.send + short.way + short.receive) + (short.way if get else 0.0)

    def between(size):
        """The costs at the eager limit, on the line between the neighbouring sizes."""
        if size in costs:
            return costs[size]
        a = max(known for known in sizes if known < size)
        b = min(known for known in sizes if known > size)
        part = (size - a) / (b - a)
        return Cost(*((1 - part) * getattr(costs[a], name) + part * getattr(costs[b], name)
                      for name in ("send", "way", "receive")))

    def shaken(cost):
        """The costs without the handshake. A receive costs as much as one byte, a send at least as much. The other
        costs of the bytes are the network's."""
        send = max(short.send, cost.send)
        return Cost(send, max(cost.total - handshake - send - short.receive, 1e-12), short.receive)

    # Costs jump at the eager limit.
    below = costs | ({eager: between(eager)} if eager is not None and eager >= sizes[0] else {})
    above = {size: shaken(cost) for size, cost in below.items() if eager is not None and size >= eager}
    ends = sorted(below)
    text = table("[network]" if head == "network" else "[[link]]\n" + extra, head,
                 keys(above or below, ends[-2], ends[-1], least))
    limit = "unlimited" if eager is None else f"{eager}B"
    way = 'rendezvous = "get"\n' if get and eager is not None else ""
    text = text.replace("latency =", f'eager_limit = "{limit}"\n{way}latency =', 1)
    for before, size in zip([ends[0]] + ends, ends[:-1]):
        values = keys(above if eager is not None and size > eager else below, before, size, least)
        text += table(f'[[{head}.piece]]\nup_to = "{size}B"', f"{head}.piece", values)
    return text
