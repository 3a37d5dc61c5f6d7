"""The verbs of the command as functions."""
from __future__ import annotations

import json
import os
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Iterable, Mapping, Sequence

from emu._command import call
from emu._results import Farm, Run, Scatter, Study
from emu._target import Target

TargetLike = Target | str | os.PathLike[str]
Ranks = int | str | Iterable[int]


def _target(stack: ExitStack, target: TargetLike) -> list[str]:
    return ["--target", stack.enter_context(target.file()) if isinstance(target, Target) else os.fspath(target)]


def _ranks(ranks: Ranks) -> str:
    if isinstance(ranks, (int, str)):
        return str(ranks)
    return ",".join(str(number) for number in ranks)


def _list(values: object) -> str:
    if isinstance(values, (str, int, float)):
        return str(values)
    return ",".join(str(value) for value in values)  # type: ignore[attr-defined]


def _read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8", errors="replace"))


def run(program: str | os.PathLike[str], *arguments: object, ranks: int, target: TargetLike, cores: int | None = None,
        preload: bool = False, trace: str | os.PathLike[str] | None = None, report: str | os.PathLike[str] | None = None,
        options: Sequence[str] = (), environment: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None, timeout: float | None = None) -> Run:
    """Predicts one run of an MPI program.

    program, arguments: as on a command line; arguments may be numbers. target: a Target, a file, or the name of one
    of libemu's targets. cores: cores of this machine for the ranks. preload: the program is not linked with libemu.
    trace, report: a folder and a page to write. options: further options of emu run. environment: variables for the
    program in addition to this process's. timeout: seconds on this machine. Raises EmuError if the program fails.
    """
    with ExitStack() as stack:
        file = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "run.json"
        words = ["run", "-n", str(ranks), *_target(stack, target), "--json", str(file)]
        words += ["--cores", str(cores)] if cores else []
        words += ["--preload"] if preload else []
        for name, value in (("--trace", trace), ("--report", report)):
            words += [name, os.fspath(value)] if value else []
        done = call([*words, *options, os.fspath(program), *map(str, arguments)], environment=environment, cwd=cwd,
                    timeout=timeout)
        return Run._from(_read(file), done.stdout, done.stderr)


def study(program: str | os.PathLike[str], *arguments: object, target: TargetLike, ranks: Ranks | None = None,
          sweep: Mapping[str, object] | None = None, vary: Mapping[str, object] | None = None, search: bool = False,
          metric: str | None = None, repeat: int | None = None, jobs: int | None = None, reuse: bool = False,
          preload: bool = False, progress: bool = False, picture: str | os.PathLike[str] | None = None, options: Sequence[str] = (),
          environment: Mapping[str, str] | None = None, cwd: str | os.PathLike[str] | None = None,
          timeout: float | None = None) -> Study:
    """Predicts a program's time for many numbers of ranks, and finds the best number and its reason.

    ranks: a number, several, or text as for --ranks ("2..64"); all slots of the target if not given. `{P}` in the
    arguments is the number of ranks. sweep: values of names in braces in the arguments and the environment, {"T":
    [1, 2, 4]} or {"T": "1..64*2"}. vary: values of keys of the target, {"network.latency": ["10us", "50us"]}.
    search: run only the points that the optimum needs. metric: a regular expression for a number in the output.
    repeat: runs of each point. jobs: concurrent runs. reuse: also use the kept runs of an earlier study. progress:
    the command's progress is written to standard error. The result contains points at which the program failed; the
    other arguments are as in run().
    """
    with ExitStack() as stack:
        file = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "study.json"
        words = ["study", *_target(stack, target), "--json", str(file)]
        words += ["--ranks", _ranks(ranks)] if ranks is not None else []
        for name, values in (sweep or {}).items():
            words += ["--sweep", f"{name}={_list(values)}"]
        for name, values in (vary or {}).items():
            words += ["--vary", f"{name}={_list(values)}"]
        for name, number in (("--repeat", repeat), ("--jobs", jobs)):
            words += [name, str(number)] if number is not None else []
        words += [f"--{name}" for name, given in (("search", search), ("reuse", reuse), ("preload", preload)) if given]
        words += ["--metric", metric] if metric is not None else []
        words += ["--picture", os.fspath(picture)] if picture else []
        # 1: the program failed at some points.
        done = call([*words, *options, os.fspath(program), *map(str, arguments)], accepted=(0, 1), environment=environment,
                    cwd=cwd, timeout=timeout, progress=progress)
        return Study._from(_read(file), done.stdout)


def farm(*, target: TargetLike, tasks: int | None = None, task_seconds: str | float | None = None, ranks: Ranks | None = None,
         chunk: object = None, rule: object = None, masters: object = None, prefetch: object = None, task_bytes: int | None = None,
         result_bytes: int | None = None, search: bool = False, options: Sequence[str] = (),
         timeout: float | None = None) -> Farm:
    """Predicts masters and slaves without a program.

    tasks: number of tasks. task_seconds: cost of a task on the reference CPU: seconds, a text with a unit, or a
    distribution ("exponential:2ms"). chunk, rule, masters, prefetch: one or several. task_bytes, result_bytes: sizes
    of messages. options: further options of emu farm.
    """
    with ExitStack() as stack:
        file = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "farm.json"
        words = ["farm", *_target(stack, target), "--json", str(file)]
        words += ["--ranks", _ranks(ranks)] if ranks is not None else []
        for name, value in (("tasks", tasks), ("task-seconds", task_seconds), ("chunk", chunk), ("rule", rule),
                            ("masters", masters), ("prefetch", prefetch), ("task-bytes", task_bytes),
                            ("result-bytes", result_bytes)):
            words += [f"--{name}", _list(value)] if value is not None else []
        done = call([*words, *(["--search"] if search else []), *options], accepted=(0, 1), timeout=timeout)
        return Farm._from(_read(file), done.stdout)


def scatter(*, target: TargetLike, items: int, item_bytes: int | str, item_seconds: float | str | None = None,
            ranks: int | None = None, root: int | str | None = None, order: str | None = None, method: str | None = None,
            options: Sequence[str] = (), timeout: float | None = None) -> Scatter:
    """Finds the number of items of each rank in a scatter.

    item_bytes: size of an item. item_seconds: cost of an item on the reference CPU. root: the rank that deals them,
    or "best". order: "given" or "bandwidth". method: "exact", "heuristic", "closed" or "uniform". options: further
    options of emu scatter.
    """
    with ExitStack() as stack:
        words = ["scatter", *_target(stack, target), "--json", "-"]
        for name, value in (("-n", ranks), ("--items", items), ("--item-bytes", item_bytes), ("--item-seconds", item_seconds),
                            ("--root", root), ("--order", order), ("--method", method)):
            words += [name, str(value)] if value is not None else []
        return Scatter._from(json.loads(call([*words, *options], timeout=timeout).stdout))
