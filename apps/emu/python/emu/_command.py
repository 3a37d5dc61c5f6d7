"""The command `emu`: its location, and its calls."""
from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Mapping, Sequence

_chosen: Path | None = None


class EmuError(RuntimeError):
    """The command failed.

    code: its exit code: 2 for wrong input, when nothing was run; otherwise as the verb defines.
    message: its error messages.
    """

    def __init__(self, message: str, code: int):
        super().__init__(message)
        self.message = message
        self.code = code


def set_command(path: str | os.PathLike[str] | None) -> None:
    """Chooses the command `emu`; None: the command that is found."""
    global _chosen
    _chosen = None if path is None else Path(path)


def _candidates() -> list[Path]:
    here = Path(__file__).resolve()
    # The module is in an installation, PREFIX/lib/python3/dist-packages/emu, or in a source tree, apps/emu/python/emu.
    installed = [parent / "bin" / "emu" for parent in here.parents]
    return [here.parents[4] / "build" / "apps" / "emu" / "emu", *installed] if len(here.parents) > 4 else installed


def command() -> Path:
    """The path of the command. Raises EmuError if there is none."""
    if _chosen is not None:
        return _chosen
    if given := os.environ.get("EMU_COMMAND"):
        return Path(given)
    for path in _candidates():
        if path.is_file() and os.access(path, os.X_OK):
            return path
    if found := shutil.which("emu"):
        return Path(found)
    raise EmuError("emu was not found (expected it along PATH, or set EMU_COMMAND or emu.set_command)", 2)


def target_folders() -> list[Path]:
    """The folders of libemu's targets."""
    path = command().resolve()
    return [path.parents[2] / "config", path.parents[1] / "share" / "libemu"] if len(path.parents) > 2 else []


def call(words: Sequence[str], accepted: Sequence[int] = (0,), environment: Mapping[str, str] | None = None,
         cwd: str | os.PathLike[str] | None = None, timeout: float | None = None,
         progress: bool = False) -> subprocess.CompletedProcess[str]:
    """Runs `emu WORDS`. Raises EmuError unless its exit code is among `accepted`. progress: its error output is not
    captured."""
    line = [str(command().absolute()), *words]
    with subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=None if progress else subprocess.PIPE, text=True, errors="replace",
                          env={**os.environ, **(environment or {})}, cwd=cwd) as process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except BaseException:  # also an interruption: if the command were killed, its temporary files would remain
            process.terminate()
            process.communicate()
            raise
    done = subprocess.CompletedProcess(line, process.returncode, output, errors)
    if done.returncode not in accepted:
        raise EmuError((done.stderr or "").strip() or f"emu {words[0]} ended with exit code {done.returncode}", done.returncode)
    return done
