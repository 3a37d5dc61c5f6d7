#!/usr/bin/env python3
"""The sources of each target compile as one file, as Meson's unity builds compile them: no names clash."""
import json
import os
import re
import subprocess
import sys

build, = sys.argv[1:]
os.chdir(build)
included = re.compile(r"^#include\s*<(.*)>$", re.M)


def parts_of(source):
    """In a unity build folder Meson has made some of a target's sources: files that include the others."""
    if not re.search(r"-unity\d+\.cpp$", source):
        return [source]
    with open(source, encoding="utf-8") as file:
        return included.findall(file.read())


def units_of(targets):
    """(name, compiler and options, sources) of each target and set of options with several sources in C++."""
    for target in targets:
        for group in target["target_sources"]:
            if group.get("language") != "cpp":
                continue
            sources = [part for source in group["sources"] + group["generated_sources"] + group.get("unity_sources", [])
                       for part in parts_of(source) if part.endswith((".cc", ".cpp"))]
            sources = list(dict.fromkeys(os.path.normpath(os.path.join(build, source)) for source in sources))
            if len(sources) > 1:
                options = [option for option in group["parameters"]
                           if not option.startswith(("-O", "-flto", "-ffat-lto", "-fdiagnostics"))]
                yield target["name"], [*group["compiler"], *options, "-w", "-fsyntax-only", "-x", "c++", "-"], sources


with open("meson-info/intro-targets.json", encoding="utf-8") as file:
    units = list(units_of(json.load(file)))
wrong = 0
for name, command, sources in units:
    text = "".join(f'#include "{source}"\n' for source in sources)
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    if done.returncode != 0:
        wrong += 1
        print(f"{name}: {len(sources)} sources do not compile as one file:\n{done.stderr}")
print(f"{len(units)} targets, {wrong} of them wrong")
if not units:
    sys.exit("no target with several sources")
sys.exit(1 if wrong else 0)
