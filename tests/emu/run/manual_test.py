#!/usr/bin/env python3
"""manual_test.py EMU FOLDER: the man page and the completion of each verb contain every option; the page that
describes the verbs contains all of them."""
import os
import re
import subprocess
import sys

emu, folder = sys.argv[1:]
wrong = []


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def read(name):
    return open(f"{folder}/{name}", encoding="utf-8").read()


def offered(*words):
    """bash's completions for the last of `words`."""
    script = f'source {folder}/emu; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); ' \
        '_emu emu "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; printf "%s\\n" "${COMPREPLY[@]}"'
    return set(output("bash", "-c", script, "bash", *words).split())


def expect(what, is_there):
    if not is_there:
        wrong.append(what)


readme = open(os.path.join(os.path.dirname(__file__), "../../../apps/emu/README.md"), encoding="utf-8").read()
verbs = re.findall(r"^  (\w+) ", output(emu, "--help"), re.M)
expect("no verb found in emu --help", len(verbs) >= 8)
expect("bash: verbs", offered("emu", "") == {*verbs, "--help", "--version"})
for verb in verbs:
    help_text = output(emu, verb, "--help")
    names = {name for line in help_text.split("\n") if re.match("  -", line)
             for name in re.findall(r"(?:^  |\[ )(--?[a-zA-Z][\w-]*)", line)} | {"-h", "--help"}
    page = read(f"emu-{verb}.1").replace("\\-", "-")
    entries = set(re.findall(r"\\fB(-[\w-]+)\\fR", page))
    expect(f"emu-{verb}.1: {sorted(entries ^ names)}", entries == names)
    expect(f"bash: emu {verb}: {sorted(offered('emu', verb, '-') ^ names)}", offered("emu", verb, "-") == names)
    expect(f"emu.1 names no emu-{verb}", f"emu\\-{verb}" in read("emu.1"))
    expect(f"apps/emu/README.md: no row or no section of {verb}",
           f"\n| [`{verb}`](#emu-{verb}) | " in readme and f"\n## emu {verb}\n" in readme)
    for option in names:
        name = option.lstrip("-")
        flag = "-l" if option.startswith("--") else "-s"
        expect(f"fish: emu {verb} {option}",
               re.search(rf"seen_subcommand_from {verb}'.* {flag} {name} ", read("emu.fish")))
        block = read("_emu").split(f"    {verb}) _arguments")[1].split(";;")[0]
        expect(f"zsh: emu {verb} {option}", f"'{option}[" in block)

expect("bash: no target is offered", "fast-ethernet-64" in offered("emu", "run", "--target", "fast"))
expect("bash: levels", offered("emu", "run", "--log-level", "") == {"debug", "info", "warn", "error"})
expect("bash: options of emu for the program", "--json" not in offered("emu", "run", "-n", "2", "./app", "--j"))
expect("bash: none behind a trace", "--json" in offered("emu", "report", "t", "--j"))
print("\n".join(wrong) if wrong else f"{len(verbs)} verbs")
sys.exit(1 if wrong else 0)
