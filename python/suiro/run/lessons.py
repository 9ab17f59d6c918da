# SPDX-License-Identifier: BSD-3-Clause
"""What jobs of this cluster have shown, for the next one: the store's samples as lessons for rank 0
of a job, and what its trials show as new samples (docs/learning.md)."""

import contextlib
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from suiro.errors import MachineError, SuiroError
from suiro.output import say
from suiro.tune import store
from suiro.tune.candidates import DEFAULT
from suiro.tune.transport import transport_named

_DAYS_MAX = 30  # after which machines, or what else runs on them, may have changed
_FILES_MAX = 1000  # of what was learnt, as every job reads all
_DAYS_UNTIL_AGAIN = 7  # after which the same is worth a file again
_SURELY_FASTER = 1.05
_SLOW_AT_A_GLANCE = 0.5  # a single call may be a late one

# Nodes of ranks, collective, bytes.
_Cell = tuple[tuple[int, ...], str, int]


@dataclass
class _Shown:
    """Of one cell, by candidate: native's time over its own, from how many calls, and when."""

    ratios: dict[str, tuple[float, int, datetime]] = field(default_factory=dict)

    def lesson(self) -> dict[str, Any]:
        best = max(self.ratios, key=lambda candidate: self.ratios[candidate][0])
        ratio, calls, at = self.ratios[best]
        fast = {_name(one) for one, (its, _, _) in self.ratios.items() if its >= 1}
        slow = {
            _name(one)
            for one, (its, calls, _) in self.ratios.items()
            if its < (1 if calls > 1 else _SLOW_AT_A_GLANCE)
        }
        faster = best if ratio >= _SURELY_FASTER else ""
        reason = f"measured on {at:%Y-%m-%d}: {ratio:.2f} times as fast, {calls} calls"
        return {"faster": faster, "reason": reason if faster else "", "slower": sorted(slow - fast)}


class Lessons:
    """Between a store and one `suiro run`. What is wrong with the store stops no job."""

    def __init__(self) -> None:
        self._shown: dict[_Cell, _Shown] = {}
        self._new: defaultdict[str, list[store.Sample]] = defaultdict(list)  # by key, as text
        self._spare: list[Path] = []

    def recall(self, hosts: Iterable[str], asked: dict[str, Any]) -> list[dict[str, Any]]:
        """For a job on these hosts; nothing where the store cannot be read. What a job before it
        has shown, under the same command, is in the store by then."""
        mpi, transport = _circumstances(asked)
        self.keep()
        self._shown.clear()
        oldest = datetime.now(UTC) - timedelta(days=_DAYS_MAX)
        newest = datetime.now(UTC) + timedelta(days=1)  # clocks differ, and may have been wrong
        learnt: list[tuple[Path, store.Record]] = []
        try:
            for path, record in store.read_all(store.cluster_named(hosts)):
                key = record.key
                if key.family == "learnt":
                    learnt.append((path, record))
                if oldest <= record.at <= newest and (key.mpi, key.transport) == (mpi, transport):
                    self._take_in(record)
        except MachineError:
            pass  # no HOME, as in some containers
        except SuiroError as error:
            say(f"{error}; nothing is learnt from it")
        self._spare = list(_spare(learnt, oldest, newest))
        return [
            {"node_of_rank": list(nodes), "collective": collective, "bytes": size} | shown.lesson()
            for (nodes, collective, size), shown in self._shown.items()
        ]

    def _take_in(self, record: store.Record) -> None:
        """Times are compared within a record alone. Of what was tuned, the last round decides."""
        if record.key.family == "native":
            return
        tuned = record.key.family == "suiro"
        for size, samples in store.latest([record]).items():
            cell = (tuple(record.key.node_of_rank), record.key.collective, size)
            counted = [one for one in samples if one.final or not tuned]
            for candidate, seconds, native in _beside_native(counted):
                ratio = statistics.median(native) / statistics.median(seconds)
                shown = self._shown.setdefault(cell, _Shown())
                if candidate not in shown.ratios or shown.ratios[candidate][2] <= record.at:
                    shown.ratios[candidate] = (ratio, len(seconds), record.at)

    def take(self, hosts: Iterable[str], told: dict[str, Any]) -> None:
        """What a trial has shown."""
        mpi, transport = _circumstances(told)
        key = store.Key(
            cluster=store.cluster_named(hosts),
            mpi=mpi,
            transport=transport,
            family="learnt",
            node_of_rank=told["node_of_rank"],
            collective=told["collective"],
            root=0,
        )
        size, candidate = int(told["bytes"]), str(told["candidate"])
        native, own = told["native_s"], told["candidate_s"]
        ratio = statistics.median(native) / statistics.median(own)
        shown = self._shown.get((tuple(key.node_of_rank), key.collective, size), _Shown())
        before, _, at = shown.ratios.get(candidate, (0.0, 0, datetime.min.replace(tzinfo=UTC)))
        is_known = datetime.now(UTC) - at < timedelta(days=_DAYS_UNTIL_AGAIN)
        if is_known and (before >= _SURELY_FASTER) == (ratio >= _SURELY_FASTER):
            return
        self._new[key.model_dump_json()] += [
            store.Sample(bytes=size, candidate=DEFAULT, seconds=native),
            store.Sample(bytes=size, candidate=candidate, seconds=own),
        ]

    def keep(self) -> None:
        """A new file for each collective and placement; a complaint where there is no place. What
        nobody needs goes, if it may be removed: so the store grows no more than it is used."""
        new, self._new = self._new, defaultdict(list)
        spare, self._spare = self._spare, []
        for path in spare if new else ():
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        for key, samples in new.items():
            try:
                store.write(store.Key.model_validate_json(key), samples)
            except MachineError:
                return
            except SuiroError as error:
                say(f"what the job has learnt is lost: {error}")
                return


def _spare(
    learnt: list[tuple[Path, store.Record]], oldest: datetime, newest: datetime
) -> Iterator[Path]:
    """What is too old to be told, what later files tell anew, and the first of too many. Files are
    never put together: another job may be reading them. What is not told yet counts for nothing."""
    told: set[tuple[str, int, str]] = set()
    kept = 0
    for path, record in sorted(learnt, key=lambda one: one[1].at, reverse=True):
        if record.at > newest:
            continue
        key = record.key.model_dump_json()
        cells = {(key, sample.bytes, sample.candidate) for sample in record.samples}
        if record.at < oldest or cells <= told or kept == _FILES_MAX:
            yield path
        else:
            kept += 1
            told |= cells


def _beside_native(
    samples: list[store.Sample],
) -> Iterator[tuple[str, list[float], list[float]]]:
    """Candidate, its times, and native's of the same trial, which stand before it; what was tuned
    has native's once, wherever."""
    native = next((one.seconds for one in samples if one.candidate == DEFAULT), None)
    for one in samples if native else ():
        if one.candidate == DEFAULT:
            native = one.seconds
        elif native:
            yield one.candidate, one.seconds, native


def _circumstances(told: dict[str, Any]) -> tuple[str, str]:
    """The MPI and its transport, as a rank tells them."""
    variables = {str(name): str(value) for name, value in dict(told["variables"]).items()}
    return store.mpi_named(str(told["mpi"])), transport_named(variables)


def _name(candidate: str) -> str:
    return candidate.partition(":")[0]
