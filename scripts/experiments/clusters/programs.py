"""Foreign programs, built from folders that the user has cloned. No part of them is kept here.

LULESH, CoMD, miniVite and hpl are subfolders of one folder, as git clones them. Compiled files go to the build
folder.
"""
import glob
import os
import re
import subprocess

LIBEMU = "build/libemu"
# Their sources, and the commits with which the stored predictions were made.
SOURCES = {"lulesh": ("LULESH", "github.com/LLNL/LULESH", "3e01c40b3281"),
           "comd": ("CoMD", "github.com/ECP-copa/CoMD", "3d48396b77ca"),
           "minivite": ("miniVite", "github.com/Exa-Graph/miniVite", "2324e20db52e"),
           "hpl": ("hpl", "github.com/icl-utk-edu/hpl", "9edeab5e1713")}


def run(command, what):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"field: {what}: " + (done.stderr.strip().splitlines() or ["no message"])[-1])


def lulesh(source, program):
    files = sorted(glob.glob(os.path.join(source, "lulesh*.cc")))
    run([f"{LIBEMU}/emucxx", "-DUSE_MPI=1", "-O3", "-w", "-o", program, *files], "LULESH")


def comd(source, program):
    source = os.path.join(source, "src-mpi")
    # The program prints its build settings; its Makefile writes these to a header.
    info = os.path.join(os.path.dirname(program), "comd-info")
    os.makedirs(info, exist_ok=True)
    with open(os.path.join(info, "CoMD_info.h"), "w", encoding="utf-8") as file:
        for key in ("VARIANT", "HOSTNAME", "KERNEL_NAME", "KERNEL_RELEASE", "PROCESSOR", "COMPILER", "COMPILER_VERSION",
                    "CFLAGS", "LDFLAGS"):
            file.write(f'#define CoMD_{key} ""\n')
    files = sorted(glob.glob(os.path.join(source, "*.c")))
    run([f"{LIBEMU}/emucc", "-std=gnu99", "-DDOUBLE", "-DDO_MPI", "-O3", "-w", "-I", info, "-o", program, *files,
         "-lm"], "CoMD")


def minivite(source, program):
    run([f"{LIBEMU}/emucxx", "-std=c++11", "-O3", "-w", "-fopenmp", "-DPRINT_DIST_STATS", "-o", program,
         os.path.join(source, "main.cpp")], "miniVite")


def hpl(source, program):
    files = sorted(glob.glob(os.path.join(source, "src", "*", "*.c")) +
                   glob.glob(os.path.join(source, "testing", "*", "*.c")))
    run([f"{LIBEMU}/emucc", "-O3", "-w", "-DHPL_CALL_CBLAS", "-I", os.path.join(source, "include"), "-o", program,
         *files, "-lopenblas", "-lm"], "HPL, which needs OpenBLAS (libopenblas-dev)")


BUILD = {"lulesh": lulesh, "comd": comd, "minivite": minivite, "hpl": hpl}


def build(folder, name, into):
    """The program, or None if its source is not in the folder."""
    source = os.path.join(folder, SOURCES[name][0])
    if not os.path.isdir(source):
        return None
    program = os.path.abspath(os.path.join(into, name))
    BUILD[name](source, program)
    return program


# LULESH prints the elapsed time with two digits, and with eight digits beside its grind time.
PATTERNS = {"lulesh": r"^Grind time .*\(\s*([0-9.eE+-]+) overall\)",
            "minivite": r"Average total time \(in s\), #Processes: ([0-9.eE+-]+)",
            "hpl": r"^W[RC]\S+(?:\s+\d+){4}\s+([0-9.]+)",
            "comd": r"^total\s+\d+:\s*[0-9.]+\s+\d+:\s*[0-9.]+\s+([0-9.]+)"}


def printed_time(name, output):
    """The program's time in seconds, as printed."""
    found = re.findall(PATTERNS[name], output, flags=re.MULTILINE)
    if not found:
        raise SystemExit(f"field: {name} printed no time")
    return float(found[-1])
