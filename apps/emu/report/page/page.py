#!/usr/bin/env python3
"""page.py PAGE SCRIPT...: writes the page as a text in C++, with the scripts in place of its line @SCRIPTS@."""
import pathlib
import sys

page, *scripts = [pathlib.Path(name).read_text().splitlines() for name in sys.argv[1:]]
print("namespace emu::app {\nextern const char page_template[];\nconst char page_template[] =")
for line in page:
    for text in sum(scripts, []) if line == "@SCRIPTS@" else [line]:
        print(f'    R"PAGE({text})PAGE" "\\n"')
print("    ;\n}  // namespace emu::app")
