"""Results of the command as objects."""
from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Iterable, Mapping

if TYPE_CHECKING:
    import pandas


def _data_frame(rows: Iterable[Mapping[str, Any]]) -> pandas.DataFrame:
    try:
        import pandas
    except ImportError:
        raise ImportError("to_pandas() needs pandas, which is not installed (Debian: apt install python3-pandas)") from None
    return pandas.DataFrame(list(rows))


def _known(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    names = {each.name for each in fields(cls)}
    return {key: value for key, value in values.items() if key in names}


@dataclass(frozen=True)
class Warning:
    """A condition that makes a prediction doubtful.

    key: one word for it. text: the command's message. ranks: the affected ranks, in a study numbers of ranks; none:
    all.
    """
    key: str
    text: str
    ranks: list[int] = field(default_factory=list)

    @classmethod
    def _from(cls, json: Mapping[str, Any]) -> Warning:
        return cls(json["key"], json["text"], json.get("ranks", json.get("points", [])))


@dataclass(frozen=True)
class Rank:
    """Times of one rank, in seconds of virtual time; the seven intervals add up to its finish."""
    rank: int
    finish_picoseconds: int
    compute_seconds: float
    send_overhead_seconds: float
    receive_overhead_seconds: float
    poll_seconds: float
    handshake_seconds: float
    wait_seconds: float
    node_down_seconds: float
    messages_sent: int
    bytes_sent: int


@dataclass(frozen=True)
class Run:
    """A predicted run (emu run).

    predicted_seconds, predicted_picoseconds: finish of the last rank. host_seconds: time of the run on this machine.
    messages, bytes: sent by all ranks. output, errors: standard output of the program, and error output of the
    program and the command. critical_path: the JSON of that name, in picoseconds.
    """
    program: str
    target: str
    ranks: int
    predicted_seconds: float
    predicted_picoseconds: int
    messages: int
    bytes: int
    host_seconds: float
    per_rank: list[Rank]
    warnings: list[Warning]
    critical_path: dict[str, Any]
    output: str
    errors: str
    raw: dict[str, Any] = field(repr=False)

    @classmethod
    def _from(cls, json: dict[str, Any], output: str, errors: str) -> Run:
        values = _known(cls, json)
        values["per_rank"] = [Rank(**_known(Rank, rank)) for rank in json["per_rank"]]
        values["warnings"] = [Warning._from(each) for each in json.get("warnings", [])]
        values.setdefault("critical_path", {})
        return cls(**values, output=output, errors=errors, raw=json)

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each rank."""
        return _data_frame(self.raw["per_rank"])


@dataclass(frozen=True)
class Point:
    """One point of a study.

    sweep: values of the swept names. predicted_seconds: virtual time, the mean of the repeats; None if the program
    failed, and then `failure` is the reason. interval_seconds: 95 % confidence, if known. efficiency: share of all
    ranks' time in which they compute. metric: the number found by --metric.
    """
    ranks: int
    sweep: dict[str, int | float | str] = field(default_factory=dict)
    predicted_seconds: float | None = None
    interval_seconds: tuple[float, float] | None = None
    efficiency: float | None = None
    master_busy: float | None = None
    metric: float | None = None
    failure: str | None = None

    @classmethod
    def _from(cls, json: Mapping[str, Any]) -> Point:
        values = _known(cls, json)
        if "interval_seconds" in values:
            values["interval_seconds"] = tuple(values["interval_seconds"])
        return cls(**values)


@dataclass(frozen=True)
class Study:
    """Results of emu study on one target.

    points: all points that ran. optimum: the point with the least time; None if all failed. flat_region: the range
    of the numbers of ranks whose time is within 2 % of it. bottleneck, why: the reason why more ranks do not help,
    in words. values: the changed keys of the target (--vary). variations: with --vary the studies of all targets;
    this study is then the best of them. text: the output of the command.
    """
    target: str
    points: list[Point]
    optimum: Point | None
    flat_region: tuple[int, int] | None
    bottleneck: str | None
    why: list[str]
    warnings: list[Warning]
    values: dict[str, str]
    variations: list[Study]
    text: str
    raw: dict[str, Any] = field(repr=False)

    @classmethod
    def _one(cls, json: dict[str, Any], text: str) -> Study:
        points = [Point._from(point) for point in json["points"]]
        at = (json["optimum_ranks"], json.get("optimum_sweep") or {})
        optimum = next((p for p in points if (p.ranks, p.sweep) == at), None)
        flat = json.get("flat_region")
        return cls(target=json["target"], points=points, optimum=optimum, flat_region=tuple(flat) if flat else None,
                   bottleneck=json.get("bottleneck"), why=json.get("bottleneck_why", []),
                   warnings=[Warning._from(each) for each in json.get("warnings", [])], values=json.get("values", {}),
                   variations=[], text=text, raw=json)

    @classmethod
    def _from(cls, json: dict[str, Any], text: str) -> Study:
        if "variations" not in json:
            return cls._one(json, text)
        variations = [cls._one(each, text) for each in json["variations"]]
        good = [each for each in variations if each.optimum]
        best = min(good, key=lambda each: each.optimum.predicted_seconds) if good else variations[0]
        values = {each.name: getattr(best, each.name) for each in fields(cls)}
        return cls(**{**values, "variations": variations, "raw": json})

    def point(self, ranks: int, **sweep: int | float | str) -> Point:
        """The point with this number of ranks and these values of swept names. KeyError if it did not run."""
        for point in self.points:
            if point.ranks == ranks and point.sweep == sweep:
                return point
        raise KeyError((ranks, sweep))

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each point, of all variations: ranks, a column for each swept name and each key of --vary, and
        the other values."""
        return _data_frame({**study.values, **{k: v for k, v in point.items() if k != "sweep"}, **point.get("sweep", {})}
                           for study in self.variations or [self] for point in study.raw["points"])


@dataclass(frozen=True)
class FarmPoint:
    """One way to run a farm: ranks, masters among them, tasks of a chunk, the rule for its size, chunks that a slave
    has at a time. predicted_seconds: virtual time; None if the farm was not completed."""
    ranks: int
    chunk: int
    rule: str
    masters: int
    prefetch: int
    predicted_picoseconds: int | None = None
    predicted_seconds: float | None = None
    efficiency: float | None = None
    master_busy: float | None = None


@dataclass(frozen=True)
class Farm:
    """Results of emu farm. task_seconds: the mean cost of a task on the reference CPU. saturation_ranks: the number
    of ranks from which on the master alone takes longer than the slaves alone; None: there is no such number."""
    target: str
    tasks: int
    task_seconds: float
    points: list[FarmPoint]
    optimum: FarmPoint | None
    bottleneck: str | None
    saturation_ranks: int | None
    text: str
    raw: dict[str, Any] = field(repr=False)

    @classmethod
    def _from(cls, json: dict[str, Any], text: str) -> Farm:
        points = [FarmPoint(**_known(FarmPoint, point)) for point in json["points"]]
        good = [point for point in points if point.predicted_seconds is not None]
        keys = ["ranks", "chunk", "rule", "masters", "prefetch"]
        optimum = next((p for p in good if all(getattr(p, key) == json.get("optimum_" + key) for key in keys)), None)
        return cls(target=json["target"], tasks=json["tasks"], task_seconds=json["task_seconds"], points=points,
                   optimum=optimum, bottleneck=json.get("bottleneck"), saturation_ranks=json.get("saturation_ranks"),
                   text=text, raw=json)

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each point."""
        return _data_frame(self.raw["points"])


@dataclass(frozen=True)
class Scatter:
    """Results of emu scatter. By rank: counts, displacements: items; begin_seconds, received_seconds,
    finish_seconds: first item arrives, all items have arrived, all are processed. makespan_seconds: the end of all
    work; lower_bound_seconds: no order of this root can be faster."""
    target: str
    items: int
    method: str
    root: int
    order: list[int]
    counts: list[int]
    displacements: list[int]
    begin_seconds: list[float]
    received_seconds: list[float]
    finish_seconds: list[float]
    makespan_seconds: float
    lower_bound_seconds: float
    raw: dict[str, Any] = field(repr=False)

    @classmethod
    def _from(cls, json: dict[str, Any]) -> Scatter:
        return cls(**_known(cls, json), raw=json)

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each rank."""
        columns = ["counts", "displacements", "begin_seconds", "received_seconds", "finish_seconds"]
        return _data_frame({"rank": rank, **{column: self.raw[column][rank] for column in columns}}
                           for rank in range(len(self.counts)))
