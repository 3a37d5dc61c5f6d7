#!/usr/bin/env python3
"""citations_test.py ROOT: every file and function that a document or a comment names exists.

It checks all Markdown files, and the comments of C, C++, JavaScript, Python, shell and Meson files. Names are
  files       dir/file.ext, or file.h alone; scripts/name, apps/name and the like; targets of Markdown links
  functions   name() and Class::name
Names of other things (of another project, say) are listed in citations_allowed.txt with the reason.
"""
import os
import re
import sys

root = sys.argv[1]
here = os.path.dirname(os.path.abspath(__file__))

C_LIKE = (".cc", ".h", ".c", ".js", ".inc", ".map", ".pml")
HASH = (".py", ".sh", ".bash", ".build", ".toml", ".in", ".list")
EXTENSIONS = r"(?:cc|h|c|js|py|sh|bash|md|toml|list|pml|html|inc|sbatch|f90|in)"
# Folders that a path may be relative to, besides the folder of the file that contains it.
BASES = ("", "libemu", "libemu/include", "apps", "apps/emu", "tests", "config", "scripts")

path_with_extension = re.compile(r"(?<![\w./<$}-])((?:\.\./)*(?:[\w-]+/)+[\w.-]*\.%s)\b(?![/(])" % EXTENSIONS)
path_without = re.compile(r"(?<![\w./<$}-])((?:libemu|apps|tests|scripts|config)/[\w-]+(?:/[\w-]+)*)(?![\w./*{<$-])")
path_quoted = re.compile(r"`([a-z_]+(?:/[\w-]+)+)`")
file_alone = re.compile(r"(?<![\w./<$}*-])([A-Za-z0-9][\w-]*\.(?:h|cc|md|py|list))\b(?![/(])")
function = re.compile(r"(?<![\w:.>-])((?:[A-Za-z_]\w*::)*[A-Za-z_]\w*)\(\)")
qualified = re.compile(r"(?<![\w:/])([A-Z]\w*(?:::~?[A-Za-z_]\w*)+)")
link = re.compile(r"\]\(([^)\s]+)\)")


def tree():
    """Files below the root, without built or hidden ones (but with .ci)."""
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith(("build", ".git", "__")) and f != "node_modules"]
        for name in files:
            yield os.path.relpath(os.path.join(folder, name), root)


TOKENS = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)


def split_c(text):
    """(comments as (offset, text), the rest without comments and without what strings hold)"""
    comments, rest, end = [], [], 0
    for m in TOKENS.finditer(text):
        # 1'000'000 is not a character literal.
        if m[0][0] == "'" and m.start() and text[m.start() - 1].isalnum():
            continue
        rest.append(text[end:m.start()])
        end = m.end()
        if m[0].startswith(("//", "/*")):
            comments.append((m.start(), m[0]))
        else:
            rest.append(" " if len(m[0]) > 100 else " " + m[0] + " ")
    rest.append(text[end:])
    return comments, "".join(rest)


def split_hash(text, python):
    comments, rest, offset = [], [], 0
    if python:
        doc = re.match(r'(?:#[^\n]*\n)*\s*"""(.*?)"""', text, re.S)
        if doc:
            comments.append((doc.start(1), doc[1]))
    for line in text.split("\n"):
        m = re.search(r"(?:^|\s)#(?!!)(?=\s|$).*", line)
        if m:
            comments.append((offset + m.start(), m[0]))
            rest.append(line[:m.start()])
        else:
            rest.append(line)
        offset += len(line) + 1
    return comments, "\n".join(rest)


def anchor_of(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower().strip()).replace(" ", "-")


class Project:
    """The contents of the tree: its files, the texts of comments and documents, and the names in the code."""

    def __init__(self):
        self.files = sorted(tree())
        self.known = set(self.files)  # files and folders
        for path in self.files:
            while (path := os.path.dirname(path)):
                self.known.add(path)
        self.names = {os.path.basename(f) for f in self.files}
        self.stems = {os.path.splitext(f)[0] for f in self.files}
        self.layers = {f.split("/")[i] for f in self.files for i in (0, 1) if f.count("/") > i}
        self.prose = []  # (path, offset, comment or document, whole text)
        self.words, self.called, self.system_headers, self.headings = set(), set(), set(), {}
        for path in self.files:
            if not (path.startswith("tests/source/citations_") or "/expected/" in path or "/golden/" in path):
                self.read(path)

    def read(self, path):
        try:
            text = open(os.path.join(root, path), encoding="utf-8").read()
        except UnicodeDecodeError:
            return
        comments = []
        if path.endswith(".md"):
            comments, rest = [(0, text)], ""
            self.headings[path] = {anchor_of(h) for h in re.findall(r"^#+ (.*)$", text, re.M)}
        elif path.endswith(C_LIKE) or path.endswith((".h.in", ".cc.in")):
            comments, rest = split_c(text)
            self.system_headers |= {os.path.basename(h) for h in re.findall(r"#include <([^>]+)>", text)}
        elif path.endswith(HASH) or text.startswith("#!"):
            comments, rest = split_hash(text, path.endswith(".py") or "python" in text.split("\n", 1)[0])
        else:
            rest = text
        self.words |= set(re.findall(r"[A-Za-z_]\w*", rest))
        self.called |= set(re.findall(r"(~?[A-Za-z_]\w*)\s*\(", rest))
        self.prose += [(path, offset, comment, text) for offset, comment in comments]

    def has_file(self, path, name):
        # A name in capitals is a placeholder: VERB/VERB.cc.
        if any(re.fullmatch(r"[A-Z]{4,}", part.split(".")[0]) for part in name.split("/")[:-1]):
            return True
        for base in (os.path.dirname(path),) + BASES:
            full = os.path.normpath(os.path.join(base, name))
            if full in self.known or full in self.stems:
                return True
        return False

    def has_quoted(self, path, name):
        return name.split("/")[0] not in self.layers or self.has_file(path, name)

    def has_file_somewhere(self, _, name):
        return name in self.names or name in self.system_headers

    def has_link(self, path, name):
        if "://" in name:
            return True
        file, _, anchor = name.partition("#")
        full = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        return full in self.known and (not anchor or anchor in self.headings.get(full, ()))

    def has_name(self, _, name):
        return all(part.lstrip("~") in self.words for part in name.split("::"))

    def has_function(self, path, name):
        return name.startswith("std::") or (self.has_name(path, name) and name.split("::")[-1] in self.called)


def read_allowed():
    allowed = {}
    for line in open(os.path.join(here, "citations_allowed.txt"), encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            name, reason = line.strip().split(None, 1)
            allowed[name] = reason
    return allowed


def main():
    project = Project()
    allowed, used = read_allowed(), set()
    checks = [
        (path_with_extension, project.has_file, "no such file"),
        (path_without, project.has_file, "no such file or folder"),
        (path_quoted, project.has_quoted, "no such file"),
        (file_alone, project.has_file_somewhere, "no file of this name"),
        (function, project.has_function, "no such function"),
        (qualified, project.has_name, "no such name in the code"),
    ]
    found, cited = [], 0
    for path, offset, comment, text in project.prose:
        for pattern, is_there, complaint in checks + (
                [(link, project.has_link, "leads nowhere")] if path.endswith(".md") else []):
            for m in pattern.finditer(comment):
                cited += 1
                name = m[1].rstrip(".")
                if is_there(path, name):
                    continue
                if name in allowed:
                    used.add(name)
                    continue
                line = text.count("\n", 0, offset + m.start()) + 1
                found.append(f"{path}:{line}: {name}: {complaint}")
    found += [f"citations_allowed.txt: {name}: is there, or named nowhere" for name in sorted(set(allowed) - used)]
    print("\n".join(found) if found else f"{cited} citations")
    if cited < 100:
        sys.exit("hardly anything was found to look at: is this the root of the project?")
    sys.exit(1 if found else 0)


main()
