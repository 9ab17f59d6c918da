# SPDX-License-Identifier: BSD-3-Clause
"""Puts together what the ranks report: the rows of --explain, the file of --trace, and the
differences that --check found."""

import json
import statistics
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suiro.cluster.of_job import ClusterFile
from suiro.output import Lines, say

if TYPE_CHECKING:
    from suiro.run.lessons import Lessons  # whose imports take time that not every job has to spend


_NATIVE = "native"


@dataclass(frozen=True, order=True)
class Kind:
    """What one row of the table is about."""

    collective: str
    shape: str
    size_class: int  # -1: a size is not known; k: from 2^(k-1) to 2^k - 1 bytes
    algorithm: str
    reason: str


@dataclass(frozen=True)
class Told:
    """What one rank has told of a row, all in all: later words replace earlier ones."""

    calls: int
    seconds: float
    native_calls: int
    native_seconds: float
    wire_bytes: float  # that the busiest link must carry for one communicator, over all calls
    node_bytes: list[tuple[int, float]]  # by node, this rank's part of what its links must carry


@dataclass
class Sums:
    """One row, by rank."""

    told: dict[object, Told] = field(default_factory=dict)

    @property
    def calls(self) -> int:
        """Of the rank that made most."""
        return max(one.calls for one in self.told.values())

    @property
    def means_s(self) -> list[float]:
        """Of a call, of each rank."""
        return [one.seconds / one.calls for one in self.told.values()]

    @property
    def native_means_s(self) -> list[float]:
        ranks = self.told.values()
        return [one.native_seconds / one.native_calls for one in ranks if one.native_calls]

    @property
    def wire_bytes(self) -> float:
        """Per call, that the busiest link must carry for one communicator."""
        return max(one.wire_bytes / one.calls for one in self.told.values())

    def link_bytes(self) -> float:
        """Per call, that the busiest link must carry for all communicators at once."""
        node_bytes: defaultdict[int, float] = defaultdict(float)
        for one in self.told.values():
            for node, its_bytes in one.node_bytes:
                node_bytes[node] += its_bytes
        return max(self.wire_bytes, max(node_bytes.values(), default=0.0) / self.calls)

    def sharing(self) -> int:
        """How many communicators that is."""
        return round(self.link_bytes() / self.wire_bytes) if self.wire_bytes else 1


class Reports:
    """Everything that ranks reported."""

    def __init__(
        self, trace: Path | None, cluster: ClusterFile | None = None, *, learns: bool = False
    ) -> None:
        self._rows: defaultdict[Kind, Sums] = defaultdict(Sums)
        self._trace = Lines(trace, "--trace") if trace else None
        self._cluster = cluster
        self._learns = learns
        self._lessons: Lessons | None = None
        self.differences = 0  # between suiro and native, by --check
        self.roundings = 0  # that may be rounding, for all that suiro knows
        self.cut_off_ranks = 0
        self.sites_told: list[dict[str, Any]] = []  # of each job that told: how many, and by what

    def explain(self, rank: object, row: dict[str, Any]) -> None:
        kind = Kind(
            str(row["collective"]),
            str(row["shape"]),
            int(row["size_class"]),
            str(row["algorithm"]),
            str(row["reason"]),
        )
        told = Told(
            calls=int(row["calls"]),
            seconds=float(row["seconds"]),
            native_calls=int(row["native_calls"]),
            native_seconds=float(row["native_seconds"]),
            wire_bytes=float(row["wire_bytes"]),
            node_bytes=[(int(node), float(its_bytes)) for node, its_bytes in row["node_bytes"]],
        )
        if told.calls < 1:
            raise ValueError("a row without calls")
        self._rows[kind].told[rank] = told

    def trace(self, calls: list[Any]) -> None:
        if self._trace is not None:
            self._trace.write("".join(json.dumps(call) + "\n" for call in calls))

    def difference(self, found: dict[str, Any]) -> None:
        where = (
            f"check: {found['collective']} by {found['algorithm']} on {found['shape']}: rank "
            f"{found['rank']}, block {found['block']}, byte {found['offset']} is not what native "
            "delivers"
        )
        if "may_be_rounding" in found:
            self.roundings += 1
            if self.roundings == 1:
                share = found["may_be_rounding"]
                apart = f" ({share:.1e} of the operands' magnitudes)" if share else ""
                say(
                    f"{where}{apart}; no failure, as an operation of the program's own may round: "
                    "--check-tolerance sets a limit"
                )
            return
        self.differences += 1
        if self.differences == 1:
            say(where)

    def compared(self) -> str:
        """What --check has held against native without finding a difference."""
        calls: defaultdict[str, int] = defaultdict(int)
        for kind, sums in sorted(self._rows.items()):
            if kind.algorithm != _NATIVE:
                calls[kind.collective] += max(one.native_calls for one in sums.told.values())
        found = [f"{count} of {name}" for name, count in calls.items() if count]
        if not found:
            return "nothing was compared, as no algorithm of suiro's ran"
        alike = "alike, but for what may be rounding" if self.roundings else "alike"
        return (
            f"{sum(calls.values())} calls ({', '.join(found)}) were compared with native's: {alike}"
        )

    def lessons(self, hosts: set[str], asked: dict[str, Any]) -> list[dict[str, Any]] | None:
        if not self._learns:
            return None
        from suiro.run.lessons import Lessons

        self._lessons = self._lessons or Lessons()
        return self._lessons.recall(hosts, asked)

    def learnt(self, hosts: set[str], told: dict[str, Any]) -> None:
        if self._lessons is not None:
            self._lessons.take(hosts, told)

    def offsets(self, host: str) -> None:
        self.differences += 1
        say(
            f"check: MPI_Send_init on {host} sends a datatype with an offset from the wrong place: "
            "go without --transport suiro, or use Open MPI 4.1.6 or later"
        )

    def sites(self, told: dict[str, Any]) -> None:
        by = {
            "names": str(self._cluster) if self._cluster else "SUIRO_SITES",
            "setting": "SUIRO_SITES",
            "addresses": "addresses",
            "nothing": "nothing: no node has an address that tells",
        }[told["told_by"]]
        by += ", though the addresses tell others" if told.get("contradicted") else ""
        found = {"count": int(told["count"]), "told_by": by}
        if found not in self.sites_told:
            self.sites_told.append(found)

    def unnamed(self, host: str, *, one_node: bool) -> None:
        if self._cluster is None:
            say(f"SUIRO_SITES does not name {host}, where this job runs: addresses tell the sites")
        elif not one_node:  # a file may be of other nodes than one where sites do not matter
            say(self._cluster.mismatch(host))

    def cut_off(self) -> None:
        self.cut_off_ranks += 1

    def close(self) -> None:
        """Keeps what was learnt. Ends the trace file; WriteError if it is not whole."""
        if self._lessons is not None:
            self._lessons.keep()
        if self._trace is not None:
            self._trace.close()

    def rows(self, rate_bps: float | None) -> list[dict[str, Any]]:
        """The table, as JSON would hold it; times per call, median and largest over ranks."""
        return [_row(kind, sums, rate_bps) for kind, sums in sorted(self._rows.items())]


def _row(kind: Kind, sums: Sums, rate_bps: float | None) -> dict[str, Any]:
    bound = sums.link_bytes() * 8 / rate_bps if rate_bps and sums.wire_bytes else None
    return {
        "collective": kind.collective,
        "shape": kind.shape,
        "link_shared_by": sums.sharing(),
        "bytes": _size_range(kind.size_class),
        "calls": sums.calls,
        "algorithm": kind.algorithm,
        "reason": kind.reason,
        "median_s": statistics.median(sums.means_s),
        "max_s": max(sums.means_s),
        "native_s": statistics.median(sums.native_means_s) if sums.native_means_s else None,
        "bound_s": bound,
    }


def _size_range(size_class: int) -> list[int] | None:
    if size_class < 0:
        return None
    return [0, 0] if size_class == 0 else [1 << (size_class - 1), (1 << size_class) - 1]
