#!/usr/bin/env python3
"""make_manual.py EMU VERSION FOLDER TARGET...: writes man pages, and completion for bash, zsh and fish, into FOLDER.

All texts are made from the output of `emu --help` and `emu VERB --help`, which Boost.Program_options makes from the
options themselves: so a new option of a verb appears in the pages and in the completion without further changes.
TARGETs are the names to offer for --target.
"""
import os
import re
import subprocess
import sys
from collections import namedtuple

# `names`: as typed, such as ["-o", "--output"]; `value`: the name of its value, such as "FILE", or "".
Option = namedtuple("Option", "names value text")
Verb = namedtuple("Verb", "name purpose usage text options exit_code")


def help_of(emu, *verb):
    return subprocess.run([emu, *verb, "--help"], check=True, capture_output=True, text=True).stdout


def verbs_of(text):
    """[(name, purpose)] of the verbs in the output of `emu --help`."""
    return re.findall(r"^  ([a-z]+) +(.+)$", text.split("Verbs:\n")[1].split("\nOptions:")[0], re.M)


def options_of(block):
    """Options in the output of a verb's help. Boost prints "  -o [ --output ] FILE  text", or the text on the next
    line, and continues it in the same column."""
    found = []
    for line in block.split("\n"):
        start = re.match(r"  (-\w|--[\w-]+)(?: \[ (--[\w-]+) \])?(?: ([A-Z][^ ]*))?(?: +(\S.*)|$)", line)
        if start:
            names = [name for name in start.group(1, 2) if name]
            found.append([names, start[3] or "", start[4] or ""])
        elif line.startswith("   ") and found:
            found[-1][2] += " " + line.strip()
        elif line.strip():
            sys.exit("make_manual.py: no option: " + line)
    return [Option(names, value, " ".join(text.split())) for names, value, text in found]


def verb_of(emu, name, purpose):
    text = help_of(emu, name)
    usage = re.match(r"[Uu]sage: (.*)\n", text)[1]
    before, _, after = text[text.index("\n") + 1:].partition("\nOptions:\n")
    block, _, rest = after.partition("\n\n")
    before, _, early = before.partition("Exit code:")
    exit_code = " ".join((early or rest.partition("Exit code:")[2]).split())
    options = options_of(block)
    if not any("--help" in option.names for option in options):
        options.append(Option(["-h", "--help"], "", "show this help"))
    return Verb(name, purpose, usage, before.strip(), options, exit_code)


# Man pages.

def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def heading(name, version):
    return f'.TH {name.upper()} 1 "" "libemu {version}" "User Commands"\n'


def option_entry(option):
    names = ", ".join(f"\\fB{roff(name)}\\fR" for name in option.names)
    value = f" \\fI{roff(option.value)}\\fR" if option.value else ""
    return f".TP\n{names}{value}\n{roff(option.text)}\n"


def verb_page(verb, version):
    paragraphs = "\n.PP\n".join(roff(" ".join(p.split())) for p in verb.text.split("\n\n"))
    return (heading("emu-" + verb.name, version)
            + f".SH NAME\nemu\\-{verb.name} \\- {roff(verb.purpose)}\n"
            + f".SH SYNOPSIS\n{roff(verb.usage)}\n"
            + f".SH DESCRIPTION\n{paragraphs}\n"
            + ".SH OPTIONS\n" + "".join(option_entry(option) for option in verb.options)
            + (f".SH EXIT STATUS\n{roff(verb.exit_code[:1].upper() + verb.exit_code[1:])}\n" if verb.exit_code else "")
            + ".SH SEE ALSO\n.BR emu (1)\n")


def main_page(verbs, version):
    entries = "".join(f".TP\n.BR emu\\-{v.name} (1)\n{roff(v.purpose)}\n" for v in verbs)
    return (heading("emu", version)
            + ".SH NAME\nemu \\- predicts the time of MPI programs on other clusters\n"
            + ".SH SYNOPSIS\n\\fBemu\\fR \\fIVERB\\fR [\\fIOPTIONS\\fR] ...\n"
            + ".SH DESCRIPTION\nRuns an MPI program that is linked with libemu as if on a cluster that a file describes:\n"
            + "same answers, and the time that it would take there.\n"
            + ".SH VERBS\n" + entries
            + ".SH OPTIONS\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nshow the verbs\n"
            + ".TP\n\\fB\\-\\-version\\fR\nshow the version\n"
            + ".SH SEE ALSO\n" + ",\n".join(f".BR emu\\-{v.name} (1)" for v in verbs) + "\n")


# Completion. The name of a value in the help determines its kind.

def kind(option):
    if "--target" in option.names:
        return "target"
    if option.value in ("DIR", "FOLDER"):
        return "folder"
    if option.value.startswith("FILE"):
        return "file"
    if option.value == "LEVEL":
        return "level"
    return "other" if option.value else ""


def bash(verbs, targets):
    lines = ["# bash completion for emu; made from what emu VERB --help prints.", "_emu() {",
             "  local word=$2 before=$3 verb=${COMP_WORDS[1]} options='' with_value='' program=''",
             "  COMPREPLY=()",
             "  if [ \"$COMP_CWORD\" -eq 1 ]; then",
             f"    COMPREPLY=($(compgen -W '{' '.join(v.name for v in verbs)} --help --version' -- \"$word\"))",
             "    return", "  fi",
             "  case $verb:$before in"]
    values = {"target": f"COMPREPLY=($(compgen -W '{' '.join(targets)}' -- \"$word\") $(compgen -f -- \"$word\"))",
              "folder": "COMPREPLY=($(compgen -d -- \"$word\"))",
              "file": "COMPREPLY=($(compgen -f -- \"$word\"))",
              "level": "COMPREPLY=($(compgen -W 'debug info warn error' -- \"$word\"))",
              "other": ":"}
    for what, action in values.items():
        patterns = [f"{v.name}:{name}" for v in verbs for o in v.options if kind(o) == what for name in o.names]
        if patterns:
            lines.append(f"    {' | '.join(patterns)}) {action}; return ;;")
    lines += ["  esac", "  case $verb in"]
    for v in verbs:
        names = " ".join(name for o in v.options for name in o.names)
        valued = " ".join(name for o in v.options if o.value for name in o.names)
        program = " program=1" if "PROGRAM" in v.usage else ""
        lines.append(f"    {v.name}) options='{names}' with_value=' {valued} '{program} ;;")
    lines += ["  esac",
              "  # Behind the program are its own words.",
              "  local i",
              "  for ((i = 2; i < COMP_CWORD; i++)); do",
              "    case $with_value in *\" ${COMP_WORDS[i]} \"*) ((i++)); continue ;; esac",
              "    case $program${COMP_WORDS[i]} in 1[!-]*) options= ;; esac",
              "  done",
              "  case $word in",
              "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;",
              "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;",
              "  esac", "}", "complete -o filenames -F _emu emu", ""]
    return "\n".join(lines)


def fish(verbs, targets):
    quoted = lambda text: "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    lines = ["# fish completion for emu; made from what emu VERB --help prints.",
             "complete -c emu -n __fish_use_subcommand -f -l help -l version"]
    for v in verbs:
        lines.append(f"complete -c emu -n __fish_use_subcommand -f -a {v.name} -d {quoted(v.purpose)}")
        for o in v.options:
            names = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in o.names)
            value = {"target": f" -r -a '{' '.join(targets)}'", "level": " -x -a 'debug info warn error'",
                     "folder": " -x -a '(__fish_complete_directories)'", "file": " -r", "other": " -x", "": ""}[kind(o)]
            lines.append(f"complete -c emu -n '__fish_seen_subcommand_from {v.name}' {names}{value} -d {quoted(o.text)}")
    return "\n".join(lines) + "\n"


def zsh(verbs, targets):
    clean = lambda text: re.sub(r"([\[\]:'\\])", lambda m: {"'": "’"}.get(m[1], "\\" + m[1]), text)
    lines = ["#compdef emu", "# zsh completion for emu; made from what emu VERB --help prints.", "_emu() {",
             "  if (( CURRENT == 2 )); then", "    local -a verbs=("]
    lines += [f"      '{v.name}:{clean(v.purpose)}'" for v in verbs]
    lines += ["    )", "    _describe verb verbs", "    return", "  fi", "  local verb=$words[2]", "  shift words",
              "  (( CURRENT-- ))", "  case $verb in"]
    for v in verbs:
        lines.append(f"    {v.name}) _arguments -S \\")
        for o in v.options:
            action = {"target": f"_alternative \"targets:target:({' '.join(targets)})\" \"files:file:_files\"",
                      "folder": "_files -/", "file": "_files", "level": "(debug info warn error)", "other": " ", "": ""}[kind(o)]
            value = f":{clean(o.value)}:{action}" if o.value else ""
            for name in o.names:
                lines.append(f"      '{name}[{clean(o.text)}]{value}' \\")
        lines.append("      '*:::file:_files' ;;")
    lines += ["  esac", "}", "_emu \"$@\"", ""]
    return "\n".join(lines)


def main():
    emu, version, folder, *targets = sys.argv[1:]
    verbs = [verb_of(emu, *verb) for verb in verbs_of(help_of(emu))]
    pages = {"emu.1": main_page(verbs, version), "emu": bash(verbs, targets),
             "emu.fish": fish(verbs, targets), "_emu": zsh(verbs, targets)}
    pages |= {f"emu-{v.name}.1": verb_page(v, version) for v in verbs}
    for name, text in pages.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


main()
