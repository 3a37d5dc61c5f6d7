"""Messages that share links, emulated and under SimGrid SMPI: one program on equal links."""
import itertools
import json
import os
import re
import subprocess

import experiment
from experiment import EMU, die, write

TEXT = """\
Compares predictions of messages that share links with those of SimGrid SMPI: the same program
(scripts/smpi/contention.c), the same links and routes, and max-min fair sharing. SMPI's model is CM02 without cross
traffic and without TCP's window. A message of k bytes occupies a link for k - 1 bytes here and for k + 16 bytes there,
so messages are one byte longer here and 16 bytes shorter there. The script compares all finish times of all ranks; a
difference of more than 1e-6 is a failure.
"""
LIMIT = 1e-6
MORE_HERE, MORE_THERE = 1, -16  # bytes of each message
GIGA = 1e9  # bytes per second


class Network:
    """Links with bytes per second, and the links of each route."""

    def __init__(self, nodes, links, route):
        self.nodes, self.links = nodes, links
        self.routes = {pair: route(*pair) for pair in itertools.permutations(range(nodes), 2)}

    def target(self):
        text = f"""name = "links"
compute = "declared"
[network]
latency = "0.000001us"
gap_per_byte = "0us"
eager_limit = "unlimited"
[network.send]
fixed = "0us"
[network.receive]
fixed = "0us"
[[node]]
count = {self.nodes}
[topology]
kind = "links"
"""
        for name, rate in self.links.items():
            text += f'[[topology.link]]\nname = "{name}"\nbandwidth = "{rate / GIGA:.12g}GB/s"\n'
        for (source, to), via in self.routes.items():
            text += f'[[topology.route]]\nfrom = {source}\nto = {to}\nvia = {json.dumps(via)}\noneway = true\n'
        return text

    def platform(self):
        lines = ["<?xml version='1.0'?>", '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
                 '<platform version="4.1">', '<zone id="cluster" routing="Full">']
        lines += [f'<host id="node{node}" speed="1Gf"/>' for node in range(self.nodes)]
        lines += [f'<link id="{name}" bandwidth="{rate:.15g}Bps" latency="0s"/>' for name, rate in self.links.items()]
        lines += [f'<route src="node{source}" dst="node{to}" symmetrical="NO">' +
                  "".join(f'<link_ctn id="{name}"/>' for name in via) + "</route>"
                  for (source, to), via in self.routes.items()]
        return "\n".join(lines + ["</zone>", "</platform>", ""])


def star(nodes):
    """Each node has a link out and a link in."""
    links = {f"{way}{node}": GIGA for node in range(nodes) for way in ("out", "in")}
    return Network(nodes, links, lambda a, b: [f"out{a}", f"in{b}"])


def one_line(nodes):
    return Network(nodes, {"line": GIGA}, lambda a, b: ["line"])


def chain(nodes):
    """A row of switches with a link from each to the next, and back."""
    links = {f"{way}{i}": GIGA for i in range(nodes - 1) for way in ("right", "left")}
    return Network(nodes, links, lambda a, b: [f"right{i}" for i in range(a, b)] if a < b else
                   [f"left{i}" for i in range(a - 1, b - 1, -1)])


def tree(nodes, leaf, taper):
    """Leaf switches of `leaf` nodes, whose links up and down have 1 / taper of the nodes' rates together."""
    links = {f"{way}{node}": GIGA for node in range(nodes) for way in ("out", "in")}
    links |= {f"{way}{i}": leaf * GIGA / taper for i in range(nodes // leaf) for way in ("up", "down")}
    return Network(nodes, links, lambda a, b: [f"out{a}", f"in{b}"] if a // leaf == b // leaf else
                   [f"out{a}", f"up{a // leaf}", f"down{b // leaf}", f"in{b}"])


CASES = [("incast of 8", star(9), ["incast", 4_000_000]),
         ("two flows on a line", one_line(4), ["flows", 4_000_000, 0.001]),
         ("parking lot of 6", chain(6), ["parking", 4_000_000]),
         ("alltoall, tapered 2:1", tree(16, 4, 2), ["alltoall", 400_000]),
         ("alltoall, tapered 3:1", tree(12, 4, 3), ["alltoall", 400_000]),
         ("stencil on a ring, 20 steps", tree(16, 4, 3), ["stencil", 400_000, 20])]


def times(command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode != 0:
        die(f"{' '.join(command[:2])} failed:\n{done.stdout}{done.stderr}")
    return {int(rank): float(seconds) for rank, seconds in re.findall(r"^(\d+): ([0-9.]+)$", done.stdout, re.MULTILINE)}


def simulated(out, network, shape, size, *more):
    write(f"{out}/platform.xml", network.platform())
    write(f"{out}/hosts", "".join(f"node{node}\n" for node in range(network.nodes)))
    settings = ["network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0", "network/weight-S:0",
                "network/latency-factor:1", "network/bandwidth-factor:1", "smpi/simulate-computation:no",
                "smpi/host-speed:1Gf",
                "smpi/async-small-thresh:100000000", "smpi/send-is-detached-thresh:100000000", "smpi/os:0:0:0",
                "smpi/or:0:0:0",
                "smpi/ois:0:0:0"]
    return times(["smpirun", "-np", str(network.nodes), "-platform", f"{out}/platform.xml", "-hostfile", f"{out}/hosts",
                  *("--cfg=" + setting for setting in settings), f"{out}/contention-smpi", shape, str(size),
                  str(MORE_THERE), *map(str, more)])


def emulated(out, network, shape, size, *more):
    write(f"{out}/target.toml", network.target())
    return times([EMU, "run", "--cores", "1", "-n", str(network.nodes), "--target", f"{out}/target.toml",
                  f"{out}/contention", shape, str(size), str(MORE_HERE), *map(str, more)])


def build(out):
    """Builds the program twice; `emucc` links libemu."""
    source = "scripts/smpi/contention.c"
    for command in (["build/libemu/emucc", "-O2", "-Ilibemu/include", source, "-o", f"{out}/contention"],
                    ["smpicc", "-O2", "-Ilibemu/include", source, "scripts/smpi/emu_compute.c", "-o",
                     f"{out}/contention-smpi"]):
        if subprocess.run(command).returncode != 0:
            die("scripts/smpi/contention.c could not be built")


def main():
    experiment.options_of("contention", TEXT)
    out = experiment.prepare("contention", "--bench", targets=("libemu/libemu.so", "apps/emu/emu"))
    build(out)
    print(f"{'':30} {'ranks':>6} {'emulated':>16} {'SMPI':>16} {'largest difference':>20}")
    worst = 0
    for name, network, program in CASES:
        here, there = emulated(out, network, *program), simulated(out, network, *program)
        if set(here) != set(range(network.nodes)) or set(there) != set(here):
            die(f"{name}: the end of a rank is missing")
        off = max(abs(here[rank] - there[rank]) / max(there[rank], 1e-9) for rank in here
                  if max(here[rank], there[rank]) > 1e-9)
        worst = max(worst, off)
        print(f"{name:30} {network.nodes:6} {max(here.values()):14.9f} s {max(there.values()):14.9f} s {off:20.2g}",
              flush=True)
    print(f"largest difference: {worst:.2g} (limit {LIMIT:g})")
    raise SystemExit(0 if worst <= LIMIT else 1)


main()
