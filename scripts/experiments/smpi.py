"""SimGrid SMPI on the same cluster: its programs, platform file and command."""
import os
import subprocess

import experiment
from experiment import die, write


def build_round_trips(out):
    """The same source, built with SMPI."""
    for command in (["smpicc", "-O3", "-c", "scripts/smpi/emu_compute.c", "-o", f"{out}/emu_compute.o"],
                    ["smpicxx", "-std=c++20", "-O3", "-Ilibemu/include", "tests/host/scale/round_trips.cc",
                     f"{out}/emu_compute.o",
                     "-o", f"{out}/round-trips-smpi"]):
        if subprocess.run(command).returncode != 0:
            die("round_trips could not be built with SMPI")


def build_smpi(out):
    """Builds a program with SMPI from the same source."""
    folders = ["apps/mase", "apps/strategies", "apps/picture", "apps/command_line", "scripts/smpi"]
    binary = f"{out}/mase-smpi"
    files = [f"{folder}/{name}" for folder in folders + ["libemu/base", "libemu/include/emu"]
             for name in os.listdir(folder)]
    if os.path.exists(binary) and all(os.path.getmtime(file) <= os.path.getmtime(binary) for file in files):
        return
    print("Building mase with smpicxx", flush=True)
    sources = [file for file in files if file.endswith(".cc") and file.startswith("apps/")] + ["libemu/base/units.cc"]
    for command in (["smpicc", "-O3", "-c", "scripts/smpi/emu_compute.c", "-o", f"{out}/emu_compute.o"],
                    ["smpicxx", "-std=c++20", "-O3", "-Ilibemu", "-Ilibemu/include", "-Iapps", *sources,
                     f"{out}/emu_compute.o", "-o", binary, "-lboost_program_options", "-lpng"]):
        if subprocess.run(command).returncode != 0:
            die("mase could not be built with SMPI")


def platform(out, target, ranks):
    """The cluster as a platform file; a route has two links, so each has half the latency. Links are FATPIPE: no
    contention, as with card = "free"."""
    us = experiment.microseconds
    write(f"{out}/platform.xml", f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node" suffix="" radical="0-{ranks - 1}" speed="1Gf" sharing_policy="FATPIPE"
           bw="{1e6 / us(target["network"]["gap_per_byte"]):.15g}Bps"
           lat="{us(target["network"]["latency"]) / 2:.15g}us"/>
</platform>
""")
    write(f"{out}/hosts", "".join(f"node{rank}\n" for rank in range(ranks)))


def smpi(out, target, ranks, binary, *words):
    """Runs a program under SMPI. The overheads are os and or; the network model is the cheapest that keeps L and G."""
    eager = 65536

    def overhead(side):
        fixed = experiment.overhead_us(target, side, ranks, 0) * 1e-6
        return f"0:{fixed:.15g}:{experiment.microseconds(target['network'][side]['per_byte']) * 1e-6:.15g}"

    settings = ["network/model:CM02", "network/crosstraffic:0", "smpi/simulate-computation:no", "smpi/host-speed:1Gf",
                f"smpi/async-small-thresh:{eager}", f"smpi/send-is-detached-thresh:{eager}", "smpi/display-timing:yes",
                "smpi/os:" + overhead("send"), "smpi/or:" + overhead("receive")]
    return ["smpirun", "-np", str(ranks), "-platform", f"{out}/platform.xml", "-hostfile", f"{out}/hosts",
            *("--cfg=" + setting for setting in settings), f"{out}/{binary}", *words]
