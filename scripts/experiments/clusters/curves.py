"""Networks whose costs were measured at many sizes: one piece between each two consecutive sizes.

emu calibrate fits few lines through many points, and computes intervals. If a time is known at each power of two,
and the predicted messages have these sizes, no fit is needed.
"""
import dataclasses

from clusters import targets


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


def between(costs, size):
    """The costs of a size, on the line between the neighbouring known sizes."""
    if size in costs:
        return costs[size]
    a = max(known for known in costs if known < size)
    b = min(known for known in costs if known > size)
    part = (size - a) / (b - a)
    return Cost(*((1 - part) * getattr(costs[a], name) + part * getattr(costs[b], name)
                  for name in ("send", "way", "receive")))


def shaken(cost, short, handshake):
    """The costs without the handshake, which takes `handshake` seconds. A receive costs as much as that of the shortest
    message, a send at least as much. The other costs of the bytes are the network's."""
    if not handshake:
        return cost
    send = max(short.send, cost.send)
    return Cost(send, max(cost.total - handshake - send - short.receive, 1e-12), short.receive)


def network(head, costs, extra="", eager=None, get=None, acknowledged=True, least=0.0):
    """The text of a network. `head`: "network", or "link", to which `extra` adds keys. `costs`: Cost by bytes. Messages
    above `eager` bytes need a handshake, and the receiver reads those above `get` bytes; the costs contain this, and if
    `acknowledged`, the time until the sender has the acknowledgement of a read. The smallest size has no handshake; a
    longer message takes at least as long as one. `least`: seconds per byte of the slowest shared resource, below which
    no message gets."""
    sizes = sorted(costs)
    if eager is not None and eager >= sizes[-1]:
        eager = None  # no measured message had a handshake
    if eager is None or get is not None and get >= sizes[-1]:
        get = None
    short = costs[sizes[0]]
    once = short.total  # a byte in transit, and an overhead at sender and receiver
    sent = 2 * once  # request and answer
    read = once + short.way + (once if acknowledged else short.send)  # request, request to read, acknowledgement
    kinds = [] if eager is None else [(eager, 0.0)]  # limit of the sizes, seconds of the handshake
    if get is not None and get > eager:
        kinds.append((get, sent))
    kinds.append((sizes[-1], 0.0 if eager is None else sent if get is None else read))
    first = "[network]" if head == "network" else "[[link]]\n" + extra
    own = f'eager_limit = "{"unlimited" if eager is None else f"{eager}B"}"\n'
    if targets.plain:
        line_ends = {sizes[0]: short, sizes[-1]: shaken(costs[sizes[-1]], short, 0.0 if eager is None else sent)}
        text = table(first, head, keys(line_ends, sizes[0], sizes[-1], least))
        return text.replace("latency =", own + "latency =", 1)
    # Costs jump at the limits.
    points = dict(costs)
    for limit, _ in kinds:
        if limit >= sizes[0]:
            points[limit] = between(costs, limit)
    text, pieces, ends = "", "", sorted(points)
    for before, size in zip([ends[0]] + ends, ends):
        handshake = next(seconds for limit, seconds in kinds if size <= limit)
        values = keys({end: shaken(points[end], short, handshake) for end in (before, size)}, before, size, least)
        if size == ends[-1]:
            text = table(first, head, values)
        else:
            pieces += table(f'[[{head}.piece]]\nup_to = "{size}B"', f"{head}.piece", values)
    if get is not None:
        own += f'rendezvous = "get"\nput_limit = "{get}B"\n'
    return text.replace("latency =", own + "latency =", 1) + pieces
