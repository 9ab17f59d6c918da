# SPDX-License-Identifier: BSD-3-Clause
"""What was read, as one table: times of algorithms by size, in groups that may be compared."""

import re
from collections.abc import Iterable
from math import exp, log
from statistics import median
from typing import Literal

from pydantic import BaseModel, ConfigDict

from suiro.bench.catalog import collectives
from suiro.bench.cells import SMALL_BYTES
from suiro.bench.result import Cell, Result
from suiro.bench.statistics import Interval, median_with_interval, ratio_with_interval
from suiro.report.sources import Kind, Sources, Trace
from suiro.tune import search
from suiro.tune.candidates import DEFAULT
from suiro.tune.store import Key, Record, Sample, latest
from suiro.tune.tuner import known_verdict

NATIVE = "native"
AUTO = "auto"  # what suiro chooses by itself
_NUMBERS_MAX = 8


class Setting(BaseModel):
    """Under which circumstances: times are compared only where all of this is the same. `place`: a
    lab, a cluster, or the file of a trace."""

    model_config = ConfigDict(frozen=True)
    source: Literal["tune", "run", "bench", "trace"]
    place: str
    mpi: str
    transport: str = ""  # the MPI's settings of it, outside labs, which have their own
    # Whose algorithms were compared with the MPI's own choice, or suiro's by applications.
    family: Literal["suiro", "native", "learnt"]
    collective: str
    ranks: int
    nodes: int | None
    node_of_rank: tuple[int, ...] | None = None  # where it is known
    root: int | None = None
    spread_percent: int = 0

    @property
    def where(self) -> str:
        """Such as "8x4-shared, 8 nodes, 32 ranks"; more of it where the order or the numbers of
        ranks are not what one expects."""
        nodes = f", {self.nodes} nodes" if self.nodes is not None else ""
        return f"{self.place}{nodes}, {self.ranks} ranks{self._placement}"

    @property
    def _placement(self) -> str:
        placed = list(self.node_of_rank or ())
        counts = [placed.count(node) for node in sorted(set(placed))]
        if placed != sorted(placed):
            return f" on nodes {_few(placed)}"
        return f" ({_few(counts)})" if len(set(counts)) > 1 else ""

    @property
    def how(self) -> str:
        """Such as "Open MPI 4.1.4, its own algorithms; suiro tune"."""
        whose = ", its own algorithms" if self.family == "native" else ""
        varied = f", blocks differ by {self.spread_percent} %" if self.spread_percent else ""
        by = {"trace": "a traced program"}.get(self.source, f"suiro {self.source}")
        over = f", {self.transport}" if self.transport else ""
        return f"{self.mpi}{whose}{varied}{over}; {by}" if self.mpi else by


def _few(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:_NUMBERS_MAX]))
    return shown + (" ..." if len(numbers) > _NUMBERS_MAX else "")


class Row(BaseModel):
    """One algorithm at one size, or from `bytes` to `bytes_to`; seconds. `gain`: the time of the
    MPI's own choice over this one's. `spent_s`: of a trace, in all, for each rank; its calls differ
    by themselves, so there is no interval."""

    bytes: int | None
    bytes_to: int | None
    algorithm: str
    ran: str | None = None  # what "auto" chose
    control: bool = False  # the MPI's own algorithm, run by suiro
    median_s: float
    ci95_s: Interval | None
    calls: int
    gain: float | None = None
    gain_ci95: Interval | None = None
    void_reason: str | None = None
    predicted_s: float | None = None
    spent_s: float | None = None

    @property
    def faster(self) -> bool:
        """Than the MPI's own choice, by more than chance."""
        return self.decided and self.gain_ci95 is not None and self.gain_ci95[0] > 1

    @property
    def decided(self) -> bool:
        """Whether the interval of the gain leaves 1 out, and comes from calls enough."""
        if self.gain_ci95 is None or self.calls < search.PAIRS_MIN:
            return False
        low, high = self.gain_ci95
        return low > 1 or high < 1


class Choice(BaseModel):
    """At one size, what is fastest by more than chance; neighbours that differ by chance alone have
    one choice."""

    bytes: int
    algorithm: str
    gain: float
    gain_ci95: Interval
    calls: int

    @property
    def faster(self) -> bool:
        """Than the MPI's own choice, by more than chance."""
        return self.gain_ci95[0] > 1


class Group(BaseModel):
    """Rows by size, then as they were compared; choices by size."""

    setting: Setting
    rows: list[Row]
    choices: list[Choice] = []

    @property
    def sizes(self) -> list[int]:
        return sorted({row.bytes for row in self.rows if row.bytes is not None})

    def row(self, size: int, algorithm: str) -> Row | None:
        same = (row for row in self.rows if (row.bytes, row.algorithm) == (size, algorithm))
        return next(same, None)

    @property
    def headlines(self) -> list[Choice]:
        """No mean and no headline is made of small messages (docs/measuring.md)."""
        return [choice for choice in self.choices if choice.bytes >= SMALL_BYTES]

    @property
    def mean_gain(self) -> float | None:
        """The geometric mean of what may be in one."""
        gains = [choice.gain for choice in self.headlines]
        return exp(sum(map(log, gains)) / len(gains)) if gains else None

    @property
    def crossovers(self) -> list[Choice]:
        """The choices that differ from the one before."""
        before: str | None = None
        kept = []
        for choice in self.choices:
            if choice.algorithm != before:
                kept.append(choice)
            before = choice.algorithm
        return kept


def groups_of(sources: Sources) -> list[Group]:
    """Of the store, then of benches, then of traces; each by collective."""
    tuned = sorted(_of_store(sources.records), key=lambda group: group.setting.collective)
    benched = sorted(_of_benches(sources.results), key=lambda group: group.setting.collective)
    return [*tuned, *benched, *(group for trace in sources.traces for group in _of_trace(trace))]


def _mpi(said: str) -> str:
    """As people say it: "Open MPI 4.1.4"."""
    return re.sub(r"\s+(Version:\s*|v(?=\d))", " ", said)


def _of_store(records: Iterable[Record]) -> list[Group]:
    of_key: dict[str, list[Record]] = {}
    for record in sorted(records, key=lambda record: record.at):
        of_key.setdefault(record.key.model_dump_json(), []).append(record)
    return [_of_key(same[0].key, same) for same in of_key.values()]


def _of_key(key: Key, records: list[Record]) -> Group:
    setting = Setting(
        source="run" if key.family == "learnt" else "tune",
        place=key.cluster.removeprefix("lab-"),
        mpi=_mpi(key.mpi),
        transport="" if key.cluster.startswith("lab-") else key.transport,
        family=key.family,
        collective=key.collective,
        ranks=len(key.node_of_rank),
        nodes=len(set(key.node_of_rank)),
        node_of_rank=tuple(key.node_of_rank),
        root=_root(key),
    )
    group = Group(setting=setting, rows=[])
    verdicts = []
    for size, samples in sorted(latest(records).items()):
        group.rows += _rows_of_size(size, samples)
        verdict = known_verdict(size, samples)
        if verdict is not None:
            verdicts.append(verdict)
    for verdict, name in search.merged(verdicts):
        group.choices.append(_choice(group, verdict.size, NATIVE if name == DEFAULT else name))
    return group


def _root(key: Key) -> int | None:
    """The store has 0 where there is none."""
    known = collectives().get(key.collective)
    return key.root if known is None or known.rooted else None


def _rows_of_size(size: int, samples: list[Sample]) -> list[Row]:
    """Each candidate's times of the last round that it came to, beside the default's of that."""
    rows: dict[str, Row] = {}
    for among in sorted(_rounds(samples), key=lambda among: next(iter(among.values())).final):
        against = among.get(DEFAULT)
        for candidate, sample in among.items():
            rows[candidate] = _row(size, sample, against)
    return list(rows.values())


def _rounds(samples: list[Sample]) -> list[dict[str, Sample]]:
    """A round has every candidate once, and either decides or does not."""
    rounds: list[dict[str, Sample]] = []
    for sample in samples:
        last = rounds[-1] if rounds else {}
        if not last or sample.candidate in last or sample.final != next(iter(last.values())).final:
            rounds.append({})
        rounds[-1][sample.candidate] = sample
    return rounds


def _row(size: int, sample: Sample, against: Sample | None) -> Row:
    median_s, interval = median_with_interval(sample.seconds)
    row = Row(
        bytes=size,
        bytes_to=size,
        algorithm=NATIVE if sample.candidate == DEFAULT else sample.candidate,
        median_s=median_s,
        ci95_s=interval,
        calls=len(sample.seconds),
    )
    if against is not None and against is not sample:
        row.gain, row.gain_ci95 = ratio_with_interval(against.seconds, sample.seconds)
    return row


def _choice(group: Group, size: int, algorithm: str) -> Choice:
    row = group.row(size, algorithm)
    gain, interval, calls = 1.0, (1.0, 1.0), row.calls if row else 0
    if row is not None and row.gain is not None and row.gain_ci95 is not None:
        gain, interval = row.gain, row.gain_ci95
    return Choice(bytes=size, algorithm=algorithm, gain=gain, gain_ci95=interval, calls=calls)


def _of_benches(results: Iterable[Result]) -> list[Group]:
    """Of a cell that was measured again the last counts."""
    of_setting: dict[Setting, dict[tuple[int, str], Cell]] = {}
    for result in sorted(results, key=lambda result: result.measured_at):
        for cell in result.cells:
            cells = of_setting.setdefault(_setting_of_cell(result, cell), {})
            cells[cell.bytes, cell.algorithm] = cell
    return [_of_cells(setting, list(cells.values())) for setting, cells in of_setting.items()]


def _setting_of_cell(result: Result, cell: Cell) -> Setting:
    return Setting(
        source="bench",
        place=result.machine.lab or "your network",
        mpi=_mpi(result.machine.mpi),
        family="suiro",
        collective=cell.collective,
        ranks=cell.ranks,
        nodes=cell.nodes,
        root=cell.root,
        spread_percent=cell.spread_percent,
    )


def _of_cells(setting: Setting, cells: list[Cell]) -> Group:
    rows = [
        Row(
            bytes=cell.bytes,
            bytes_to=cell.bytes,
            algorithm=cell.algorithm,
            ran=cell.ran,
            control=cell.is_control,
            median_s=cell.median_s,
            ci95_s=cell.ci95_s,
            calls=cell.repetitions,
            # Of native over itself the bench says 1.
            gain=cell.speedup_over_native if cell.algorithm != NATIVE else None,
            gain_ci95=cell.speedup_over_native_ci95 if cell.algorithm != NATIVE else None,
            void_reason=cell.void_reason,
        )
        for cell in sorted(cells, key=lambda cell: cell.bytes)
    ]
    group = Group(setting=setting, rows=rows)
    for size in group.sizes:
        name = _fastest(group, size, group.choices[-1].algorithm if group.choices else None)
        if name is not None:
            group.choices.append(_choice(group, size, name))
    return group


def _fastest(group: Group, size: int, before: str | None) -> str | None:
    """The choice before where it is as fast but for chance. None where nothing can be said."""
    rows = [row for row in group.rows if row.bytes == size and not (row.void_reason or row.control)]
    native = [row for row in rows if row.algorithm == NATIVE]
    if not native or all(row.gain is None for row in rows):
        return None
    best = min(rows, key=lambda row: row.median_s)
    if not best.faster:
        return NATIVE
    known = group.row(size, before) if before not in (None, NATIVE) else None
    as_fast = known is not None and known.faster and _overlap(known.ci95_s, best.ci95_s)
    return before if as_fast else best.algorithm


def _overlap(one: Interval | None, other: Interval | None) -> bool:
    return one is not None and other is not None and one[0] <= other[1] and other[0] <= one[1]


def _of_trace(trace: Trace) -> list[Group]:
    """A group for each collective and number of ranks, the longest first."""
    groups: dict[tuple[int, str], Group] = {}
    for kind, seconds in trace.seconds.items():
        ranks, collective, _, _ = kind
        group = groups.setdefault((ranks, collective), _group_of_trace(trace, kind))
        group.rows.append(_row_of_trace(kind, seconds))
    for group in groups.values():
        group.rows.sort(key=lambda row: (-1 if row.bytes is None else row.bytes, row.algorithm))
    return sorted(groups.values(), key=spent_s, reverse=True)


def spent_s(group: Group) -> float:
    """By a traced program, for each rank."""
    return sum(row.spent_s or 0 for row in group.rows)


def _group_of_trace(trace: Trace, kind: Kind) -> Group:
    setting = Setting(
        source="trace", place=str(trace.path), mpi="", family="suiro", collective=kind[1],
        ranks=kind[0], nodes=None,
    )  # fmt: skip
    return Group(setting=setting, rows=[])


def _row_of_trace(kind: Kind, seconds: list[float]) -> Row:
    ranks, _, size_class, algorithm = kind
    low = high = None
    if size_class is not None:
        low, high = (0, 0) if size_class == 0 else (1 << (size_class - 1), (1 << size_class) - 1)
    return Row(
        bytes=low,
        bytes_to=high,
        algorithm=algorithm,
        median_s=median(seconds),
        ci95_s=None,
        calls=-(-len(seconds) // ranks),
        spent_s=sum(seconds) / ranks,
    )
