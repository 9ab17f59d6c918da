# SPDX-License-Identifier: BSD-3-Clause
"""Puts together what the ranks report: the table of --explain, the file of --trace, and the
differences that --check found."""

import json
import statistics
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from suiro.cluster.of_job import ClusterFile
from suiro.output import Lines, say
from suiro.quantities import size_text, time_text

if TYPE_CHECKING:
    from suiro.run.lessons import Lessons  # whose imports take time that not every job has to spend


@dataclass(frozen=True, order=True)
class Kind:
    """What one row of the table is about."""

    collective: str
    shape: str
    size_class: int  # -1: a size is not known; k: from 2^(k-1) to 2^k - 1 bytes
    algorithm: str
    reason: str


@dataclass
class Sums:
    """Over the calls; one entry per rank in the lists."""

    calls: int = 0  # of the rank that made most
    means_s: list[float] = field(default_factory=list)
    native_means_s: list[float] = field(default_factory=list)
    wire_bytes: float = 0.0  # per call, that the busiest link must carry for one communicator
    node_bytes: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))

    def link_bytes(self) -> float:
        """Per call, that the busiest link must carry for all communicators at once."""
        return max(self.wire_bytes, max(self.node_bytes.values(), default=0.0) / self.calls)

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

    def explain(self, row: dict[str, Any]) -> None:
        kind = Kind(
            str(row["collective"]),
            str(row["shape"]),
            int(row["size_class"]),
            str(row["algorithm"]),
            str(row["reason"]),
        )
        calls, native_calls = int(row["calls"]), int(row["native_calls"])
        if calls < 1:
            raise ValueError("a row without calls")
        sums = self._rows[kind]
        sums.calls = max(sums.calls, calls)
        sums.means_s.append(float(row["seconds"]) / calls)
        sums.wire_bytes = max(sums.wire_bytes, float(row["wire_bytes"]) / calls)
        for node, its_bytes in row["node_bytes"]:
            sums.node_bytes[int(node)] += float(its_bytes)
        if native_calls:
            sums.native_means_s.append(float(row["native_seconds"]) / native_calls)

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

    def lessons(self, hosts: set[str], mpi: str) -> list[dict[str, Any]] | None:
        if not self._learns:
            return None
        from suiro.run.lessons import Lessons

        self._lessons = self._lessons or Lessons()
        return self._lessons.recall(hosts, mpi)

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

    def unnamed(self, host: str) -> None:
        if self._cluster:
            say(self._cluster.mismatch(host))
        else:
            say(f"SUIRO_SITES does not name {host}, where this job runs: addresses tell the sites")

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


def print_json(rows: list[dict[str, Any]], sites: list[dict[str, Any]], stream: TextIO) -> None:
    """One document."""
    json.dump({"collectives": rows, "sites": sites}, stream, indent=1)
    stream.write("\n")


def print_table(rows: list[dict[str, Any]], sites: list[dict[str, Any]], stream: TextIO) -> None:
    """One line per kind of call, then why; and who told the sites."""
    from rich.console import Console
    from rich.table import Table

    console = Console(file=stream, width=None if stream.isatty() else 160)
    table = Table(title="suiro: what ran", title_justify="left")
    for heading in ("collective", "shape", "bytes", "algorithm"):
        table.add_column(heading, overflow="fold")
    for heading in ("calls", "median", "max", "native", "over bound"):
        table.add_column(heading, justify="right")
    table.add_column("why", overflow="fold", min_width=24)
    for row in rows:
        table.add_row(*_cells(row))
    console.print(table)
    for told in sites:
        line = f"sites: {told['count']}, told by {told['told_by']}"
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _cells(row: dict[str, Any]) -> list[str]:
    native = time_text(row["native_s"]) if row["native_s"] is not None else "not measured"
    bound = _over_bound(row["median_s"] / row["bound_s"]) if row["bound_s"] else "-"
    sizes = "-" if row["bytes"] is None else _sizes(*row["bytes"])
    shared = row["link_shared_by"]
    shape = row["shape"] + (f", link shared by {shared} communicators" if shared > 1 else "")
    times = [time_text(row["median_s"]), time_text(row["max_s"]), native, bound]
    return [
        row["collective"],
        shape,
        sizes,
        row["algorithm"],
        str(row["calls"]),
        *times,
        row["reason"].replace(f"{_current_folder()}/", ""),  # a rule file as the user would name it
    ]


def _current_folder() -> str:
    """Empty, if it was removed."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def _over_bound(ratio: float) -> str:
    """Of a few bytes the way takes all the time, and the bound knows bytes only."""
    return f"{ratio:.2f}x" if ratio < 100 else "> 100x"


def _sizes(low: int, high: int) -> str:
    if low == high:
        return size_text(low)
    return f"{size_text(low) if low else '0 B'} .. < {size_text(high + 1)}"
