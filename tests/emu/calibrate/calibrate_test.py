#!/usr/bin/env python3
"""calibrate_test.py EMU CONFIG: calibration of an emulated cluster finds its numbers; wrong input is refused."""
import os
import pathlib
import re
import sys
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from commands import check, folder, run, write  # noqa: E402

emu, config = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
fast_ethernet = config / "fast-ethernet-64.toml"
for name in ("EMU_LOG", "EMU_TARGET", "EMU_TRACE", "EMU_RECORD", "EMU_JITTER"):
    os.environ.pop(name, None)
temporary = folder / "temporary"
temporary.mkdir()
os.environ["TMPDIR"] = str(temporary)
os.chdir(folder)
found = pathlib.Path("found.toml")
picture = pathlib.Path("found.png")

# In picoseconds, and bytes; a rate as its time per byte.
UNITS = {"": 1, "s": 1e12, "us": 1e6, "ns": 1e3, "ps": 1, "B": 1, "KiB": 1024}
RATES = {"MB/s": 1e6, "Mbit/s": 1e6 / 8}


def calibrate(text, *arguments, code=0):
    """Checks that `emu calibrate` ends with `code`, prints `text`, a regular expression, and leaves no temporary file."""
    ended = run(emu, "calibrate", *arguments, code=code, seconds=120)
    check(re.search(text, ended.err), f"no '{text}': {ended.command}: {ended.err}")
    check(not list(temporary.iterdir()), ended.command, "leaves", *temporary.iterdir())
    return ended


def refused(text, *arguments, code=2):
    calibrate(text, "-o", "x.toml", *arguments, code=code)
    check(not list(folder.glob("x.*")), "a refused calibration writes a target:", *arguments)


def value(of, *keys):
    """A number of a target file; None: the file lacks it."""
    for key in keys:
        of = of.get(key) if isinstance(of, dict) else of[0].get(key)
        if of is None:
            return None
    if not isinstance(of, str):
        return float(of)
    number, unit = re.match(r"([0-9.]+) ?([A-Za-z/]*)", of).groups()
    return 1e12 / (float(number) * RATES[unit]) if unit in RATES else float(number) * UNITS[unit]


def near(value, truth, share):
    return value is not None and abs(value - truth) <= max(share * truth, 3e-5)


KEYS = [*(("network", key) for key in ("latency", "gap", "gap_per_byte", "eager_limit")), ("network", "poll", "fixed"),
        *(("network", of, key) for of in ("send", "receive") for key in ("fixed", "per_process", "per_byte")),
        ("node", "speed")]


def finds(target, ranks, *options):
    """Calibrates the target, and compares every number, within 1 %. Returns the file that was written."""
    calibrate("wrote found.toml", "-o", found, "--target", target, "--ranks", ranks, *options)
    run(emu, "target", "--check", found)
    check(picture.read_bytes()[1:4] == b"PNG", "no picture")
    expected, got = (tomllib.loads(path.read_text()) for path in (target, found))
    for keys in KEYS:
        truth = value(expected, *keys)
        check(truth is None or near(value(got, *keys), truth, 0.01),
              f"{target}: {'.'.join(keys)} is {truth}, found was {value(got, *keys)}")
    return found.read_text()


def changed(name, **values):
    """A copy of fast-ethernet-64 in the test's folder, with other lines for keys."""
    text = fast_ethernet.read_text()
    for key, line in values.items():
        text, changes = re.subn(f"^{key} = .*", line, text, flags=re.MULTILINE)
        check(changes, "the target lacks", key)
    return write(name, text)


def wrong_input_is_refused():
    """Nothing is measured or written."""
    calibrate("-o FILE is missing", code=2)
    refused(r"too few numbers: .* \(expected three or more", "--ranks", "2,4")
    refused(r"too few numbers: .* \(expected three or more", "--ranks", "1..3")
    refused("--ranks", "--ranks", "4..2")
    refused('unexpected argument: "stray"', "stray")
    calibrate("/nowhere/x.toml cannot be written", "-o", "/nowhere/x.toml", code=2)
    refused("--measurements: nowhere: not a folder", "--measurements", "nowhere")
    refused("--measurements: the folder's name is empty", "--measurements", "")
    refused("--nodes: invalid number of nodes: 0", "--nodes", 0)
    refused("--longest", "--longest", "1KiB")
    refused("--longest", "--longest", "much")
    refused("no target of that name", "--target", "nowhere")
    refused("65 ranks are more than the 64 slots", "--target", fast_ethernet, "--ranks", "2,4,65")
    refused("ended with exit code", "--mpirun", "-surely-no-option", code=1)
    refused('--slots: invalid number of ranks of a node: "0"', "--slots", 0)
    refused(r'--buffers: unknown kind: "hot" \(expected warm or cold\)', "--buffers", "hot")
    refused(r"--from: . is a directory \(expected a file\)", "--from", ".")
    pathlib.Path("binary").write_bytes(emu.read_bytes()[:100])
    refused(r"--from: binary is not a text file \(expected UTF-8\)", "--from", "binary")
    write("escapes.csv", "half\033[31m_roundtrip,1,1\n")
    refused(r'escapes.csv:1: unknown kind of measurement: "half\\x1b\[31m_roundtrip"', "--from", "escapes.csv")
    refused("--buffers excludes --from", "--from", "x.csv", "--buffers", "cold")
    refused("--slots excludes --from", "--from", "x.csv", "--slots", 2)
    calibrate("", "--help")


def a_network_is_found():
    text = finds(fast_ethernet, "2,8,32")
    check('\ncard = "free"' in text, "the card")
    check("\n# Buffers were warm" in text, "warm buffers are not named")
    finds(config / "fast-ethernet-64-loggps.toml", "2,3,4")
    # A gap longer than the overheads, serial cards, other speeds, another eager limit.
    text = finds(changed("other.toml", gap='gap = "55us"', gap_per_byte='gap_per_byte = "0.9us"', card='card = "serial"',
                         eager_limit='eager_limit = "5000B"\nhandshake_trips = 4', speed="speed = 2.5",
                         latency='latency = "3us"'), "2,4,6")
    check('\ncard = "serial"' in text, "the card is not found")
    network = tomllib.loads(text)["network"]
    check(value(network, "eager_limit") == 5000, "the eager limit:", network["eager_limit"])
    check(value(network, "handshake_trips") == 4, "the trips of a handshake")
    calibrate("", "-o", found, "--target", changed("unlimited.toml", eager_limit='eager_limit = "unlimited"'), "--ranks",
              "2,4,6")
    check('\neager_limit = "unlimited"' in found.read_text(), "no eager limit")


def buffers_are_named():
    """An emulated cluster knows no caches: warm and cold buffers find equal numbers."""
    text = finds(fast_ethernet, "2,4,6", "--buffers", "cold")
    check(re.search("^# Buffers were cold.* With warm ones: send.per_byte 70800 ps, receive.per_byte 72200 ps", text,
                    re.MULTILINE), "cold buffers are not named:", text)


def cards_of_nodes_are_found():
    """Cards that the ranks of a node share, with both directions apart, together, and at a rate of their own."""
    for duplex in ("full", "half", "18MB/s"):
        target = changed("cards.toml", card=f'card = "node"\ncard_bandwidth = "12MB/s"\nduplex = "{duplex}"',
                         count="count = 4", slots="slots = 4")
        calibrate("wrote found.toml", "-o", found, "--target", target, "--ranks", "2,4,8", "--slots", 4)
        cluster = tomllib.loads(found.read_text())
        network = cluster["network"]
        check(network["card"] == "node" and cluster["node"][0]["slots"] == 4, f"cards of duplex {duplex} are not found")
        rate = value(network, "card_bandwidth")
        check(near(rate, 1e6 / 12, 0.015), f"card of duplex {duplex}: {rate} ps")
        if duplex == "18MB/s":
            rate = value(network, "duplex")
            check(near(rate, 1e6 / 18, 0.015), f"both directions: {rate} ps")
        else:
            check(network["duplex"] == duplex, f"duplex {duplex} is not found:", network["duplex"])
    refused(r"on 8 nodes \(expected two nodes with equal numbers", "--target", fast_ethernet, "--ranks", "2,4,8", "--slots", 4,
            code=1)


def invalid_results_are_refused():
    """Nothing is written if the latency is 0, between machines or within one."""
    found.unlink()
    picture.unlink()
    none = {"latency": 'latency = "0us"'}
    for target, reason in ((changed("none.toml", **none), "send and receive overlap"),
                           (changed("one.toml", **none, count="count = 1", slots="slots = 64"), "-hosts a,b")):
        ended = calibrate(f"invalid latency: .*{reason}", "-o", found, "--target", target, "--ranks", "2,4,6", code=1)
        check("Nothing was written" in ended.err and not found.exists() and not picture.exists(), "a refused fit is written")


wrong_input_is_refused()
a_network_is_found()
buffers_are_named()
cards_of_nodes_are_found()
invalid_results_are_refused()
