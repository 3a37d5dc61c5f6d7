#!/usr/bin/env python3
"""No folder uses a layer above its own: the #include lines of libemu/ and apps/, and the symbols of the linked files.

    layers_test.py ROOT EMU LIBEMU

ROOT: the source tree. EMU, LIBEMU: the command and the shared library as they were built.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# By folder: the layers that it may include besides itself. A library's layer is given by its name; a neighbouring
# folder ends in "/".
BELOW_PROCESS = "base model record clock match wire rank target scatter advice emu"
BELOW_MPI = BELOW_PROCESS + " process"
SEEN_BY_EMU = "base model target scatter record wire analysis/"
# The folders that the verbs share, with the folders that these use.
OF_VERBS = SEEN_BY_EMU + " ./ common/ program/ prediction/ launch/"
ALLOWED = {
    "libemu/include/emu": "",
    "libemu/base": "",
    "libemu/model": "base",
    "libemu/target": "base model record",
    "libemu/scatter": "base model target emu",
    "libemu/advice": "base model emu",
    "libemu/record": "base model",
    "libemu/clock": "base model record",
    "libemu/match": "base model record clock",
    "libemu/contention": "base model record",
    "libemu/wire": "base model record clock match contention",
    "libemu/rank": "base model record clock match",
    "libemu/fiber": "base model record clock match wire contention",
    # One process of the job. It does not use <mpi.h>.
    "libemu/process": BELOW_PROCESS,
    # The folders around the entry points: each uses the layers below, `mpi`, and the folders in its row.
    "libemu/mpi": BELOW_MPI + " p2p comm rma io",
    "libemu/p2p": BELOW_MPI + " mpi",
    "libemu/comm": BELOW_MPI + " mpi collective p2p",
    "libemu/collective": BELOW_MPI + " mpi p2p",
    "libemu/rma": BELOW_MPI + " mpi comm p2p",
    "libemu/io": BELOW_MPI + " mpi comm p2p",
    # The command: main.cc, the common parts of the verbs, and the verbs that use other verbs or parts of programs.
    # All may include verbs.h. A verb without a row here may use the common parts: OF_VERBS.
    "apps/emu": "common/",
    "apps/emu/analysis": "base model record",
    "apps/emu/common": SEEN_BY_EMU + " ./",
    "apps/emu/program": SEEN_BY_EMU + " ./ common/",
    "apps/emu/prediction": SEEN_BY_EMU + " clock ./ common/",
    "apps/emu/launch": SEEN_BY_EMU + " ./ common/ program/ prediction/ schedule/",
    "apps/emu/fibers": SEEN_BY_EMU + " match rank fiber",
    "apps/emu/replay": SEEN_BY_EMU + " rank fibers/",
    "apps/emu/trace": OF_VERBS + " replay/",
    "apps/emu/schedule": SEEN_BY_EMU + " clock match rank ./ common/ fibers/ replay/ skeleton/play/ skeleton/program/ ../goal/",
    "apps/emu/run": OF_VERBS + " report/ schedule/",
    "apps/emu/study": OF_VERBS + " report/ schedule/",
    "apps/emu/farm": OF_VERBS + " clock advice emu report/ study/ ../loops/ ../strategies/",
    "apps/emu/calibrate": OF_VERBS + " ../calibrate/",
    # The parts of a skeleton, for the verb skeleton.
    "apps/emu/skeleton": OF_VERBS + " skeleton/recording/ skeleton/fold/ skeleton/program/ skeleton/generate/ "
                         "skeleton/play/ skeleton/extrapolate/ schedule/",
    "apps/emu/skeleton/recording": "base",
    "apps/emu/skeleton/recorder": "base emu skeleton/recording/",
    "apps/emu/skeleton/fold": "base skeleton/recording/ skeleton/program/",
    "apps/emu/skeleton/program": "base skeleton/recording/ skeleton/fold/",
    "apps/emu/skeleton/generate": "base skeleton/recording/ skeleton/fold/ skeleton/program/",
    "apps/emu/skeleton/play": "base model target record match rank fibers/ skeleton/recording/ skeleton/fold/ skeleton/program/ "
                              "skeleton/generate/",
    "apps/emu/skeleton/extrapolate": "base skeleton/fold/ skeleton/program/",
    # The other programs: the public interface; expected failures and units for their command lines.
    "apps/calibrate": "emu",
    "apps/command_line": "base",
    "apps/field": "base emu command_line/",
    "apps/goal": "base emu command_line/",
    "apps/kernels": "emu command_line/",
    "apps/loops": "base advice emu command_line/",
    "apps/mase": "base emu command_line/ picture/ strategies/",
    "apps/picture": "",
    "apps/raytrace": "emu command_line/",
    "apps/reduce": "base emu command_line/",
    "apps/roms": "base emu command_line/ strategies/",
    "apps/strategies": "base emu command_line/",
    "apps/stealing": "base emu command_line/",
}
# In libemu/ and apps/emu/ only these may include <mpi.h>. No other folder there may include these, so that it does not
# include <mpi.h> indirectly. The other programs are MPI programs.
MAY_INCLUDE_MPI = ("libemu/mpi", "libemu/p2p", "libemu/collective", "libemu/comm", "libemu/rma", "libemu/io",
                   "apps/emu/skeleton/recorder")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def folder_of(path):
    """The folder of the table, or of a verb, that contains `path`, relative to the root; None: none."""
    folder = next((str(p) for p in path.parents if str(p) in ALLOWED), None)
    return "/".join(path.parts[:3]) if folder == "apps/emu" and len(path.parts) > 3 else folder


def allowed_folders(folder, allowed=ALLOWED):
    def full(name):
        if name.endswith("/"):
            base = pathlib.PurePath("apps/emu" if folder.startswith("apps/emu") else "apps")
            return str(base) if name == "./" else os.path.normpath(base / name)
        return "libemu/include/emu" if name == "emu" else "libemu/" + name

    return {folder} | {full(name) for name in allowed.get(folder, OF_VERBS).split()}


def of_library_or_emu(folder):
    return folder.startswith(("libemu/", "apps/emu"))


def wrong_rows(allowed=ALLOWED):
    for folder in allowed:
        if of_library_or_emu(folder) and folder not in MAY_INCLUDE_MPI:
            for other in sorted(allowed_folders(folder, allowed).intersection(MAY_INCLUDE_MPI)):
                yield f"the row of {folder} has {other}, so that its files may include <mpi.h> indirectly"


def found(root, file, name):
    """The files that `name` in quotes may refer to in `file`, relative to the root."""
    places = [file.parent, root / "libemu", root / "libemu/include"]
    places += [root / "apps/emu"] if (root / "apps/emu") in file.parents else [root / "apps", root]
    # A generated header counts as its template, which is in the folder that it is generated for.
    template = (place / pathlib.PurePath(name).parent / "functions" / (pathlib.PurePath(name).name + ".in") for place in places)
    files = {path.resolve() for path in [*(place / name for place in places), *template] if path.is_file()}
    return sorted(f.relative_to(root) for f in files)


def complaints_of(root, file):
    path = file.relative_to(root)
    folder = folder_of(path)
    if folder is None:
        yield f"{path}: is in no folder that the table of layers_test.py knows"
        return
    for bracket, name in INCLUDE.findall(file.read_text(errors="replace")):
        if name == "mpi.h":
            if of_library_or_emu(folder) and folder not in MAY_INCLUDE_MPI:
                yield f"{path}: includes <mpi.h>; only {' and '.join(MAY_INCLUDE_MPI)} may"
            continue
        files = found(root, file, name)
        if bracket == "<":
            if files and folder_of(files[0]) != "libemu/include/emu":
                yield f"{path}: includes <{name}>, which is {files[0]}: to be in quotes"
        elif not files:
            yield f'{path}: includes "{name}", which is not a file of the project: write angle brackets'
        elif len(files) > 1:
            yield f'{path}: includes "{name}", which may be {" or ".join(map(str, files))}'
        elif folder_of(files[0]) not in allowed_folders(folder):
            yield f'{path}: includes "{name}", which {folder} may not: it may include {ALLOWED.get(folder, OF_VERBS) or "nothing"}'


def complaints(root):
    root = root.resolve()
    return [complaint for top in ("libemu", "apps") for file in sorted((root / top).rglob("*"))
            if file.suffix in (".h", ".cc", ".c") for complaint in complaints_of(root, file)]


def check_itself():
    """Checks that wrong includes are found: one of each kind in a small tree."""
    files = {
        "libemu/base/time.h": "",
        "libemu/model/network.h": '#include "base/time.h"\n',
        "libemu/rank/rank.h": '#include <mpi.h>\n#include "model/network.h"\n',
        "libemu/model/speed.h": '#include "rank/rank.h"\n',
        "libemu/process/process.h": '#include <mpi.h>\n#include "rank/rank.h"\n#include "mpi/entry.h"\n',
        "libemu/mpi/entry.h": '#include <mpi.h>\n#include "process/process.h"\n#include "../apps/emu/analysis/tasks.h"\n',
        "apps/emu/analysis/tasks.h": "#include <base/time.h>\n",
        "libemu/target/table.h": "",
        "libemu/new/new.h": "",
        "apps/emu/verbs.h": "",
        "apps/emu/target/table.h": '#include "verbs.h"\n#include "target/table.h"\n',
        "apps/emu/trace/trace.cc": '#include "report/report.h"\n#include "mpi/entry.h"\n#include "missing.h"\n',
        "apps/emu/report/report.h": '#include "analysis/tasks.h"\n',
        "apps/mase/main.cc": '#include <mpi.h>\n#include "emu/verbs.h"\n',
    }
    wrong = [("libemu/rank/rank.h", "mpi.h"), ("libemu/model/speed.h", "rank/rank.h"),
             ("libemu/process/process.h", "<mpi.h>"), ("libemu/process/process.h", "mpi/entry.h"),
             ("libemu/mpi/entry.h", "../apps/emu/analysis/tasks.h"), ("apps/emu/analysis/tasks.h", "base/time.h"),
             ("libemu/new/new.h", "no folder"), ("apps/emu/target/table.h", "target/table.h"),
             ("apps/emu/trace/trace.cc", "report/report.h"), ("apps/emu/trace/trace.cc", "mpi/entry.h"),
             ("apps/emu/trace/trace.cc", "missing.h"), ("apps/mase/main.cc", "emu/verbs.h")]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            file = pathlib.Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        said = complaints(pathlib.Path(folder))
    for path, word in wrong:
        if not any(c.startswith(path + ":") and word in c for c in said):
            sys.exit(f"the test itself is wrong: it does not see {word} in {path}; it says {said}")
    if len(said) != len(wrong):
        sys.exit(f"the test itself is wrong: it says {said}")
    rows = {"libemu/process": "rank mpi", "libemu/p2p": "mpi", "apps/mase": "mpi"}
    if [row.split()[3] for row in wrong_rows(rows)] != ["libemu/process"]:
        sys.exit(f"the test itself is wrong: of these rows it names {list(wrong_rows(rows))}")


def names_in(file):
    """The symbols of a linked file, with the library's namespaces in words."""
    text = subprocess.run(["nm", "-C", file], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\bemu::(\w+)::", text))


def wrongly_linked(emu, libemu):
    # A stripped file contains no names to find.
    for file, there, not_there in ((emu, "analysis", "mpi"), (libemu, "mpi", "analysis")):
        names = names_in(file)
        if there not in names:
            yield f"{file}: has no symbol of emu::{there}, so that it cannot be seen what is in it"
        if not_there in names:
            yield f"{file}: holds emu::{not_there}"
    dynamic = subprocess.run(["readelf", "-d", emu], capture_output=True, text=True, check=True).stdout
    for library in re.findall(r"NEEDED.*\[(lib(?:emu|mpi)\w*\.so[^\]]*)\]", dynamic):
        yield f"{emu}: is linked with {library}"


def main():
    root, emu, libemu = sys.argv[1:]
    check_itself()
    said = list(wrong_rows()) + complaints(pathlib.Path(root)) + list(wrongly_linked(emu, libemu))
    print("\n".join(said))
    sys.exit(1 if said else 0)


main()
