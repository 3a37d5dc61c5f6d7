"""Packages of libemu: for Debian, and an archive that works from any folder without root."""
import argparse
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TEXT = """\
Builds, and writes build/package/libemu_VERSION_ARCHITECTURE.deb and build/package/libemu-VERSION-linux-MACHINE.tar.gz.
They contain the library, the command, the compiler wrappers, the headers, the targets, the example programs, manual
pages, completion, and the Python module. The archive also contains the shared libraries that the command needs, except
those of C, C++ and MPI: a user needs MPICH, and g++ for linking programs.
"""
ROOT = pathlib.Path(__file__).resolve().parents[2]
# Libraries that every system has, or that must be the program's own.
NOT_BUNDLED = re.compile(r"(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|ld-linux.*|libmpich.*|libemu.*)\.so")
DESCRIPTION = """\
Runs an MPI program as if on another cluster
 A program that is linked with libemu, or has it preloaded, runs on this
 machine with the answers, the choices and the times that it would have on
 another cluster, which a file describes.
"""


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def settings(build):
    return {option["name"]: option["value"]
            for option in json.loads(output("meson", "introspect", "--buildoptions", build))}


def install(build, place):
    """The files of an installation, below `place`/usr, with Python modules where Debian has them."""
    known = settings(build)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet"], check=True,
                       env=os.environ | {"DESTDIR": folder})
        shutil.copytree(folder + known["prefix"], place / "usr", symlinks=True)
    for module in (place / "usr").glob("lib/python3*/*-packages/emu"):
        target = place / "usr/lib/python3/dist-packages/emu"
        target.parent.mkdir(parents=True, exist_ok=True)
        module.rename(target)
        for folder in (module.parent, module.parent.parent):
            if not any(folder.iterdir()):
                folder.rmdir()
    documents = place / "usr/share/doc/libemu"
    documents.mkdir(parents=True)
    shutil.copy(ROOT / "LICENSE", documents / "copyright")
    with open(ROOT / "CHANGELOG.md", "rb") as log, gzip.GzipFile(documents / "changelog.gz", "wb", mtime=0) as to:
        shutil.copyfileobj(log, to)
    return known["libdir"]


def programs(place):
    """ELF files."""
    for path in sorted(place.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def strip(place):
    for path in programs(place):
        subprocess.run(["strip", "--strip-unneeded", path], check=True)


def dependencies(place, libdir):
    """The packages of the ELF files' libraries, according to dpkg."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "debian").mkdir()
        (pathlib.Path(folder) / "debian/control").write_text("Source: libemu\n\nPackage: libemu\nArchitecture: any\n")
        found = output("dpkg-shlibdeps", "-O", "--ignore-missing-info", f"-l{place}/usr/{libdir}",
                       *(f"-e{path}" for path in programs(place)), cwd=folder, stderr=subprocess.DEVNULL)
    return found.removeprefix("shlibs:Depends=").strip()


def debian(place, libdir, version, to):
    size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file() and not path.is_symlink()) // 1024
    control = {"Package": "libemu", "Version": version, "Architecture": output("dpkg", "--print-architecture").strip(),
               "Maintainer": "the authors of libemu <libemu@localhost>", "Installed-Size": str(size),
               "Section": "science",
               "Priority": "optional", "Depends": dependencies(place, libdir) + ", mpich, libmpich-dev",
               "Recommends": "g++, gnuplot-nox, python3", "Description": DESCRIPTION.rstrip("\n")}
    (place / "DEBIAN").mkdir()
    (place / "DEBIAN/control").write_text("".join(f"{key}: {value}\n" for key, value in control.items()))
    (place / "DEBIAN/triggers").write_text("activate-noawait ldconfig\n")
    before_removal = place / "DEBIAN/prerm"  # Python leaves compiled modules in the folder of the module
    before_removal.write_text("#!/bin/sh\nset -e\nrm -rf /usr/lib/python3/dist-packages/emu/__pycache__\n")
    before_removal.chmod(0o755)
    file = to / f"libemu_{version}_{control['Architecture']}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", place, file], check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(place / "DEBIAN")
    return file


def bundle(place, libdir):
    """Copies the shared libraries that not every system has beside the library, where its files look for them."""
    folder = place / "usr" / libdir / "libemu-needs"
    folder.mkdir()
    for path in programs(place):
        for line in output("ldd", path, env=os.environ | {"LD_LIBRARY_PATH": str(place / "usr" / libdir)}).splitlines():
            match = re.match(r"\s*(\S+) => (/\S+)", line)
            if match and not NOT_BUNDLED.match(match[1]) and not match[2].startswith(str(place)) and not of_mpi(match[2]):
                shutil.copy(match[2], folder / match[1])


def of_mpi(library, known={}):  # noqa: B006: a cache
    """True if the library belongs to the MPI library, whose libraries come with it."""
    if not known:
        pending = [line.split("=> ")[1].split()[0] for line in
                   output("ldd", shutil.which("mpirun.mpich") or shutil.which("mpirun")).splitlines() if "=> /" in line]
        mpi = next(iter(pathlib.Path("/usr/lib").glob("*/libmpich.so.12")), None)
        if mpi:
            pending += re.findall(r"=> (/\S+)", output("ldd", mpi))
        known.update(dict.fromkeys(pending, True))
    return library in known


def archive(place, libdir, version, to):
    bundle(place, libdir)
    name = f"libemu-{version}-linux-{os.uname().machine}"
    (place / "usr").rename(place / name)
    for document in ("README.md", "LICENSE", "CHANGELOG.md"):
        shutil.copy(ROOT / document, place / name)
    file = to / f"{name}.tar.gz"
    subprocess.run(["tar", "-C", place, "--owner=0", "--group=0", "--numeric-owner", "-czf", file, name], check=True)
    return file


def main():
    parser = argparse.ArgumentParser(prog="scripts/package", description=TEXT, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", metavar="FOLDER", default=str(ROOT / "build"), help="the build tree (build)")
    parser.add_argument("--output", metavar="FOLDER", help="where the packages go (FOLDER/package of the build tree)")
    options = parser.parse_args()
    for command in ("dpkg-deb", "dpkg-shlibdeps", "strip", "ldd", "tar"):
        if not shutil.which(command):
            sys.exit(f"package: {command} is missing (Debian: apt install dpkg-dev binutils)")
    if "EMU_IS_BUILT" not in os.environ:
        subprocess.run([ROOT / "scripts/build"], check=True)
    build = os.path.abspath(options.build)
    to = pathlib.Path(options.output or build + "/package").absolute()
    to.mkdir(parents=True, exist_ok=True)
    version = json.loads(output("meson", "introspect", "--projectinfo", build))["version"]
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "root"
        libdir = install(build, place)
        strip(place)
        os.chmod(place, 0o755)
        for file in (debian(place, libdir, version, to), archive(place, libdir, version, to)):
            print(f"{file} ({file.stat().st_size / 1e6:.1f} MB)")


main()
