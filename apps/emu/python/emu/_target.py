"""Target files: reading, changing, writing."""
from __future__ import annotations

import copy
import json
import os
import re
import tempfile
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator, Mapping

from emu import _command

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STEP = re.compile(r"([A-Za-z0-9_-]+)(?:\[(\d+)\])?")


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    raise TypeError(f"a target has no value of type {type(value).__name__}")


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)


def _lines(table: Mapping[str, Any], path: str) -> Iterator[str]:
    for name, value in table.items():
        if not isinstance(value, Mapping) and not _is_tables(value):
            yield f"{_key(name)} = {_value(value)}"
    for name, value in table.items():
        inner = f"{path}.{_key(name)}" if path else _key(name)
        if isinstance(value, Mapping):
            yield from ("", f"[{inner}]", *_lines(value, inner))
        elif _is_tables(value):
            for each in value:
                yield from ("", f"[[{inner}]]", *_lines(each, inner))


class Target:
    """A described cluster: the keys of config/README.md.

    Values are as in the file: times and rates are text with a unit ("50us", "100Mbit/s"), counts and speeds are
    numbers. `target["network.latency"]` reads and writes a key; `target["node[0].speed"]` that of the first group of
    nodes, and `target["node.speed"] = 2` writes it in all groups. `values` is the whole file as nested dicts and
    lists.
    """

    def __init__(self, values: Mapping[str, Any], folder: str | os.PathLike[str] | None = None):
        self.values: dict[str, Any] = copy.deepcopy(dict(values))
        self._folder = Path(folder) if folder else None  # base of relative file names

    @classmethod
    def load(cls, name: str | os.PathLike[str]) -> Target:
        """The target in a file, or the target of libemu with that name."""
        path = Path(name)
        if not path.is_file():
            for folder in _command.target_folders():
                for candidate in (folder / path, folder / f"{path}.toml"):
                    if candidate.is_file():
                        path = candidate
                        break
        try:
            with open(path, "rb") as file:
                return cls(tomllib.load(file), path.resolve().parent)
        except FileNotFoundError:
            raise _command.EmuError(f"target: there is no file \"{name}\", and no target of that name comes with libemu",
                                    2) from None
        except tomllib.TOMLDecodeError as error:
            raise _command.EmuError(f"{path}: is no valid TOML: {error}", 2) from None

    @classmethod
    def parse(cls, text: str) -> Target:
        """The target described by the text of a target file."""
        return cls(tomllib.loads(text))

    def _tables(self, key: str, make: bool) -> tuple[list[dict[str, Any]], str]:
        *steps, last = key.split(".")
        at = [self.values]
        for step in steps:
            match = _STEP.fullmatch(step)
            if not match:
                raise KeyError(key)
            name, index = match.groups()
            below: list[dict[str, Any]] = []
            for table in at:
                value = table.setdefault(name, {}) if make else table[name]
                if isinstance(value, Mapping):
                    below.append(value)  # type: ignore[arg-type]
                elif _is_tables(value):
                    below += [value[int(index)]] if index is not None else value
                else:
                    raise KeyError(key)
            at = below
        return at, last

    def __getitem__(self, key: str) -> Any:
        tables, last = self._tables(key, False)
        values = [table[last] for table in tables]
        return values[0] if all(value == values[0] for value in values) else values

    def __setitem__(self, key: str, value: Any) -> None:
        tables, last = self._tables(key, True)
        for table in tables:
            table[last] = value

    def __contains__(self, key: str) -> bool:
        try:
            self[key]
        except (KeyError, IndexError):
            return False
        return True

    def copy(self) -> Target:
        """Another target with the same values."""
        return Target(self.values, self._folder)

    def changed(self, values: Mapping[str, Any]) -> Target:
        """A copy with other values of some keys: `target.changed({"network.latency": "10us"})`."""
        other = self.copy()
        for key, value in values.items():
            other[key] = value
        return other

    def text(self) -> str:
        """The file's text, without comments."""
        return "\n".join(_lines(self.values, "")).lstrip("\n") + "\n"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the file. Names of other files in it remain relative to its folder."""
        Path(path).write_text(self.text(), encoding="utf-8")

    @contextmanager
    def file(self) -> Iterator[str]:
        """The path of a file with this target, valid within the `with` block. A target loaded from a folder gets a
        file in that folder if it can be written, so that the files named in the target are found."""
        folder = self._folder if self._folder and os.access(self._folder, os.W_OK) else None
        with tempfile.NamedTemporaryFile("w", prefix=".emu-", suffix=".toml", dir=folder, encoding="utf-8") as file:
            file.write(self.text())
            file.flush()
            yield file.name

    def check(self) -> None:
        """Raises EmuError with the mistakes, unless the target is valid."""
        with self.file() as path:
            _command.call(["target", "--check", path])
