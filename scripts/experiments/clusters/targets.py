"""Targets from measurements: by emu calibrate --from, and their intervals."""
import json
import os
import re
import subprocess

EMU = "build/apps/emu/emu"
FACTOR = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


# For an unmeasured false test: its cost on three clusters of taurus/small_calls.csv.
ASSUMED_POLL = ("poll", 1, 0.25e-6)


# True: targets of the first model, LogGPS with links between groups of nodes. One line holds for all sizes, reductions
# and copies cost nothing, messages share nothing but serial cards, and all handshakes send the data.
plain = False
LATER_KEYS = ("card_bandwidth", "duplex", "rails", "memory_bandwidth", "share", "reduce_per_byte", "copy_per_byte",
              "temporary_per_byte", "temporary_from", "rendezvous", "put_limit", "send_returns", "speed_with")


def first_model(text):
    """The target without what the first model does not have. Pieces are left out: `plain` targets have one line."""
    kept, head = [], ""
    for line in text.splitlines():
        if line.startswith("["):
            head = line.split("#")[0].strip().strip("[]")
        key = line.split("=")[0].strip()
        later = ".piece" in head or head.startswith("topology") or key in LATER_KEYS or \
            head == "link" and key == "eager_limit" or key == "card" and '"node"' in line
        if not later:
            kept.append(line)
    return "\n".join(kept) + "\n"


def calibrated(folder, name, title, points, nodes, *options):
    """The text of the target that these points give. `points`: (kind, bytes, seconds)."""
    if plain:
        points = [point for point in points if point[0] not in ("reduce", "copy")]
        options += ("--pieces", "1")
    source = os.path.join(folder, name + ".csv")
    with open(source, "w", encoding="utf-8") as file:
        file.write("kind,bytes,seconds\n")
        for kind, size, seconds in points:
            file.write(f"{kind},{size},{seconds:.12g}\n")
    output = os.path.join(folder, name + ".toml")
    command = [EMU, "calibrate", "-o", output, "--from", source, "--name", title, "--nodes", str(nodes), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"field: {name}: {done.stderr.strip()}")
    with open(output, encoding="utf-8") as file:
        return file.read()


def at_ends(text, sign):
    """The target with each value at the lower (-1) or upper (+1) end of its interval; a speed at the opposite end."""
    def moved(match):
        value, unit, half = float(match.group(2)), match.group(3), float(match.group(4))
        by = half if match.group(5) != "%" else value * half / 100
        end = -sign if match.group(1).strip().startswith("speed") else sign
        return f'{match.group(1)}"{max(0.0, value + end * by):.6f}{unit}"'
    return re.sub(r'^(\s*\w+\s*=\s*)"([0-9.]+)([a-zA-Z]*) \+- ([0-9.]+)([a-zA-Z%]*)"', moved, text, flags=re.MULTILINE)


def value(text, key, section="network"):
    """A time of the target, in seconds, or seconds per byte."""
    part = text[text.index(f"[{section}]"):]
    match = re.search(rf'^{key}\s*=\s*"([0-9.]+)(ps|ns|us|ms|s)', part, flags=re.MULTILINE)
    return float(match.group(1)) * FACTOR[match.group(2)]


def beyond(text, up_to, rate):
    """The target whose lines apply up to `up_to` bytes; longer messages arrive at `rate`, in seconds per byte, and
    cost as much CPU time as a short one."""
    if plain:
        return text

    def section(name):
        begin = text.index(f"[{name}]\n") + len(name) + 3
        end = text.find("\n[", begin)
        return text[begin:end if end >= 0 else len(text)].strip().splitlines()
    last = [line for line in section("network") if line.startswith(("latency", "gap_per_byte"))]
    piece = "\n".join([f'[[network.piece]]\nup_to = "{up_to}B"', *last, "[network.piece.send]",
                       *section("network.send"),
                       "[network.piece.receive]", *section("network.receive")]) + "\n"
    at = text.index("[[node]]")
    text = text[:at] + piece + text[at:]
    text = re.sub(r'^gap_per_byte = .*$', f'gap_per_byte = "{1e12 * rate:.3f}ps"', text, count=1, flags=re.MULTILINE)
    text = re.sub(r'^latency = .*$', 'latency = "1us"', text, count=1, flags=re.MULTILINE)
    return re.sub(r'^per_byte = .*$', 'per_byte = "0ps"', text, count=2, flags=re.MULTILINE)


def with_nodes(text, nodes, slots=1):
    return re.sub(r"^count = \d+\nslots = \d+$", f"count = {nodes}\nslots = {slots}", text, flags=re.MULTILINE)


def with_collectives(text, **algorithms):
    """The target with these algorithms of collective operations, each a name or a list of names with sizes;
    `library` is one of them."""
    lines = [f"{key} = {json.dumps(name)}\n" for key, name in algorithms.items()]
    return text + "\n[collectives]\n" + "".join(lines)
