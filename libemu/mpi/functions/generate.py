#!/usr/bin/env python3
"""generate.py functions.list TEMPLATE OUTPUT: generates code from the list of the MPI functions.

A template looks like its output. The lines between `//* each WORD...` and `//* end` are repeated for each function that
has all these words, one of those written `WORD|WORD`, and none written `!WORD`. ${...} in them is an attribute of the
class Function below. ${and_...} is a comma and the attribute, or nothing if it is empty. functions.list explains the
words.
"""
import re
import string
import sys

WIDTH = 110  # of a line of code


class Malformed(Exception):
    pass


def known(table, key, what):
    if key not in table:
        raise Malformed(f"unknown {what}: {key} (expected one of {', '.join(table)})")
    return table[key]


def words_of(text):
    """"buffered hand(X,IX)" as {"buffered": None, "hand": ["X", "IX"]}: the forms of each word (None: all)"""
    return {word: forms.split(",") if forms else None for word, forms in re.findall(r"(\w+)(?:\(([^)]*)\))?", text)}


class Parameter:
    """`[out|inout|returns] ROLE [NAME]`, or a declaration as in C, which has its type as its role."""

    def __init__(self, text, roles):
        self.direction, rest = re.fullmatch(r"(?:(out|inout|returns) )?(.*)", text).groups("")
        words = rest.split()
        if words[0] in roles and len(words) <= 2:
            self.role, name, types = words[0], words[-1], roles[words[0]]
        elif rest == "...":
            self.role, name, types = rest, "", [rest]
        elif declared := re.fullmatch(r"(.*?[\s*])(\w+(?:\[\d*\])*)", rest):
            self.role, name, types = declared[1].strip(), declared[2], [declared[1].strip()]
        else:
            raise Malformed(f"no role, and no declaration: {text}")
        self.name, array = re.fullmatch(r"(\w*)(.*)", name).groups()
        if self.direction and not array:
            types = [t + "*" for t in types]
        self.types = dict(zip(("narrow", "large", "operation"), (t + array for t in types + types[-1:] * 2)))

    def declared(self, types):
        base, array = re.fullmatch(r"(.*?)((?:\[\d*\])*)", self.types[types]).groups()
        return f"{base} {self.name}{array}".rstrip()


class Function:
    """A function of MPI, with the properties that templates use."""

    def __init__(self, name, line, way, words, parameters, large):
        self.name, self.line, self.way, self.list = name, line, way, parameters
        self.counts = "large" if large else "narrow"
        self.words = words | {line.group, line.kind, line.family, way, self.counts}
        if line.group != "passed":
            self.words.add("shimmed")
        # The object of the operation: a file, a window, or else a communicator.
        roles = {p.role for p in parameters if p.direction in ("", "inout")}
        self.words |= {"on_file"} if "file" in roles else {"on_window"} if "win" in roles else set()

    def __getitem__(self, field):
        text = getattr(self, field.removeprefix("and_"))
        return ", " + text if text and field.startswith("and_") else text

    group = property(lambda self: self.line.group)
    kind = property(lambda self: self.line.kind)
    why = property(lambda self: self.line.why)
    result = property(lambda self: self.line.result)
    variant = property(lambda self: self.line.variant)
    # The operation's function, shared by all forms: neighbor_allgather for MPI_Neighbor_allgather.
    operation = property(lambda self: re.sub("MPIX?_", "", self.line.name).lower())
    parameters = property(lambda self: ", ".join(p.declared(self.counts) for p in self.list))
    arguments = property(lambda self: ", ".join(p.name for p in self.list if p.name))

    def object(self, role, none):
        """The handle of the operation's object; `none` if there is no such parameter, or a null pointer to it."""
        found = next((p for p in self.list if p.role == role and p.direction in ("", "inout")), None)
        return none if not found else f"{found.name} ? *{found.name} : {none}" if found.direction else found.name

    comm = property(lambda self: self.object("comm", "MPI_COMM_WORLD"))
    file = property(lambda self: self.object("file", "MPI_FILE_NULL"))
    win = property(lambda self: self.object("win", "MPI_WIN_NULL"))
    request = property(lambda self: ", ".join(p.name for p in self.list if p.role == "request"))

    # Arguments and result of the operation, in the families call and answer.
    def for_operation(self):
        return [p for p in self.list if p.direction != "returns" and (p.role not in ("file", "win") or p.direction)]

    given = property(lambda self: ", ".join(p.name for p in self.for_operation()))
    declared_given = property(lambda self: ", ".join(p.declared("operation") for p in self.for_operation()))

    def returning(self):
        return next((p for p in self.list if p.direction == "returns"), None)

    returned = property(lambda self: p.types["operation"].rstrip("*") if (p := self.returning()) else "void")
    assigned = property(lambda self: f"present({p.name}) = " if (p := self.returning()) else "")

    # Arguments of a collective besides the communicator and the request.
    def for_collective(self):
        return [p for p in self.list if p.role not in ("comm", "info", "request")]

    inputs = property(lambda self: ", ".join(p.name for p in self.for_collective()))
    declared_inputs = property(lambda self: ", ".join(p.declared("operation") for p in self.for_collective()))

    @property
    def parts(self):
        """The parts of a message and their peers: memory, count and datatype in braces, without displacements."""
        rest = [p for p in self.list if p.role not in ("status", "request", "op", "displacements")]
        roles = " ".join(p.role for p in rest)
        found, i = [], 0
        while i < len(rest):
            is_part = re.match(r"(data|buffer) counts? datatype\b", " ".join(roles.split()[i:]))
            if is_part:
                found.append("{" + ", ".join(p.name for p in rest[i:i + 3]) + "}")
            elif rest[i].role not in ("data", "buffer"):
                found.append(rest[i].name)
            i += 3 if is_part else 1
        return ", ".join(found)


class Line:
    """A line of the list: one function, or all forms of one operation."""

    def __init__(self, text, table):
        head = re.fullmatch(r"(MPIX?_\w+) (\w+)([^:]*?)(?: -> (\w+))?(?::(.*))?", text)
        if not head:
            raise Malformed(f"no function: {text}")
        self.name, self.group, rest, self.result, parameters = head.groups()
        self.result = self.result or "int"
        self.kind, self.family, self.variant, self.why, self.words = "", "single", "", "", {}
        if self.group == "refused":
            self.why = known(table.reasons, rest.strip(), "reason")
        elif self.group == "emulated":
            said = re.fullmatch(r" (\w+) (\w+)(?:\[(.*)\])?(.*)", rest)
            if not said:
                raise Malformed(f"no kind and family: {text}")
            self.kind, self.family, self.variant, words = said.groups("")
            self.words = words_of(words)
            known(table.families, self.family, "family")
        elif self.group != "passed":
            raise Malformed(f"invalid class: {self.group} (expected emulated, passed or refused)")
        self.parameters = [Parameter(p.strip(), table.roles) for p in (parameters or "").split(", ") if p.strip()]
        self.table = table

    def functions(self):
        for pattern, way, changes in self.table.families[self.family]:
            parameters = [p for p in self.parameters if f"-{p.role}" not in changes]
            parameters += [Parameter(c[1:].replace("_", " "), self.table.roles) for c in changes if c[0] == "+"]
            for large in (False, True):
                if large and all(p.types["narrow"] == p.types["large"] for p in parameters):
                    continue
                has = {word for word, forms in self.words.items() if not forms or (pattern in forms and not large)}
                yield Function(self.form(pattern) + "_c" * large, self, way, has, parameters, large)

    def form(self, pattern):
        """The name: form IX of MPI_Bcast is MPI_Ibcast, form X_begin of MPI_File_read is MPI_File_read_begin."""
        group, name = re.fullmatch(r"(MPIX?_(?:File_)?)(\w+)", self.name).groups()
        before, after = pattern.split("X")
        return group + before + (name[0].lower() + name[1:] if before else name) + after


class Table:
    def __init__(self, path):
        self.reasons, self.roles, self.families = {}, {}, {"single": [("X", "plain", [])]}
        self.lines = []
        # An indented line continues the preceding one.
        text = re.sub(r"\n +", " ", "\n".join(l.rstrip() for l in open(path) if not l.startswith("#")))
        for line in filter(None, text.split("\n")):
            word, *rest = line.split(maxsplit=2)
            if word == "reason":
                self.reasons[rest[0]] = rest[1]
            elif word == "role":
                self.roles[rest[0]] = [t.strip() for t in rest[1].split("|")]
            elif word == "form":
                pattern, way, *changes = rest[1].split()
                self.families.setdefault(rest[0], []).append((pattern, way, changes))
            else:
                try:
                    self.lines.append(Line(line, self))
                except Malformed as error:
                    raise Malformed(f"{word}: {error}") from None
        self.functions = [f for line in self.lines for f in line.functions()]

    def having(self, words):
        def fits(word, function):
            return word[1:] not in function.words if word[0] == "!" else function.words & set(word.split("|"))
        return [f for f in self.functions if all(fits(word, f) for word in words)]


def wrapped(line):
    """Breaks a line at commas, aligned behind the open parenthesis."""
    while len(line) > WIDTH and not line.startswith("//"):
        ends = [m.start() for m in re.finditer(", ", line[:WIDTH]) if line.count('"', 0, m.start()) % 2 == 0]
        if not ends:
            break
        column, depth = ends[-1], 0
        while column >= 0 and depth >= 0:
            column -= 1
            depth += {")": 1, "(": -1}.get(line[column], 0) if column >= 0 else 0
        yield line[:ends[-1] + 1]
        indent = column + 1 if column >= 0 else len(line) - len(line.lstrip())
        line = " " * indent + line[ends[-1] + 2:]
    yield line


def written(template, table):
    block, words = [], None
    for line in open(template).read().splitlines():
        if line.startswith("//* each"):
            block, words = [], line.split()[2:]
        elif line == "//* end":
            for function in table.having(words):
                yield from string.Template("\n".join(block)).substitute(function).split("\n")
            words = None
        elif words is None:
            yield line
        else:
            block.append(line)


if __name__ == "__main__":
    path, template, output = sys.argv[1:]
    try:
        lines = [part for line in written(template, Table(path)) for part in wrapped(line)]
    except Malformed as error:
        sys.exit(f"{path}: {error}")
    with open(output, "w") as file:
        file.write("\n".join(lines) + "\n")
