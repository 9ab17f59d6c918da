# SPDX-License-Identifier: BSD-3-Clause
"""What came of a sweep, as tables for a person or as one document."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from jobs import Job, Result, Setting
from sweep import Sweep, version


def print_tables(sweep: Sweep) -> None:
    """Failures last, where they are seen."""
    left_out = defaultdict(list)
    for (mpi, name), why in sweep.plan.left_out.items():
        left_out[mpi, why].append(name)
    _table(
        "Left out",
        ("MPI", "tests", "why"),
        ((mpi, ", ".join(names), why) for (mpi, why), names in left_out.items()),
    )
    _table(
        "Wrong natively",
        ("MPI", "suite", "test", "what is seen", "right with suiro"),
        (
            (job.mpi, job.suite, job.name, sweep.native[job].wrong, _right_with_suiro(sweep, job))
            for job in sweep.wrong_natively()
        ),
    )
    _table(
        "What they call",
        ("MPI", "suite", "test", "seconds natively", "results", "calls between nodes"),
        (tuple(row.values()) for row in _learnt_rows(sweep)),
    )
    _table(
        "With suiro",
        ("forced", "MPI", "tests", "wrong"),
        (tuple(row.values()) for row in _rows(sweep)),
    )
    _table(
        "What was forced",
        ("algorithm", "MPI", "tests", "it ran in", "its calls"),
        (tuple(row.values()) for row in _forced_rows(sweep)),
    )
    _table(
        "Wrong with suiro, right natively",
        ("forced", "MPI", "suite", "test", "what is seen", "log"),
        (
            (f.setting.name, f.job.mpi, f.job.suite, f.job.name, f.wrong, str(f.log))
            for f in sweep.failures()
        ),
    )
    print("\n" + _verdict(sweep))


def print_json(sweep: Sweep) -> None:
    mpis = sorted({job.mpi for job in sweep.plan.jobs})
    document = {
        "versions": {mpi: version(mpi) for mpi in mpis},
        "left_out": [
            {"mpi": mpi, "test": name, "why": why}
            for (mpi, name), why in sweep.plan.left_out.items()
        ],
        "native": [
            {
                "mpi": job.mpi,
                "suite": job.suite,
                "test": job.name,
                "seconds": round(result.seconds, 2),
                "wrong": result.wrong,
                "right_with_suiro": _right_with_suiro(sweep, job),
            }
            for job in sweep.plan.jobs
            if (result := sweep.native[job])
        ],
        "calls": list(_learnt_rows(sweep)),
        "suiro": list(_rows(sweep)),
        "forced": list(_forced_rows(sweep)),
        "failures": [
            {
                "forced": f.setting.name,
                "mpi": f.job.mpi,
                "suite": f.job.suite,
                "test": f.job.name,
                "wrong": f.wrong,
                "log": str(f.log),
            }
            for f in sweep.failures()
        ],
    }
    print(json.dumps(document, indent=1))


def _rows(sweep: Sweep) -> Iterator[dict[str, Any]]:
    """One for each setting and MPI."""
    for setting, mpi, results in _by_setting(sweep):
        yield {
            "forced": setting.name,
            "mpi": mpi,
            "tests": len(results),
            "wrong": sum(bool(result.wrong) for result in results.values()),
        }


def _learnt_rows(sweep: Sweep) -> Iterator[dict[str, Any]]:
    """One for each program of which suiro told what it calls."""
    for job, calls in sweep.learnt.items():
        native = sweep.native[job]
        numbers = sum(map(len, native.readings.values()))
        yield {
            "mpi": job.mpi,
            "suite": job.suite,
            "test": job.name,
            "seconds": round(native.seconds, 1),
            "results": f"{numbers} numbers, {'always the same' if native.exact else 'not always'}",
            "calls": ", ".join(f"{name} {calls[name]}" for name in sorted(calls)),
        }


def _forced_rows(sweep: Sweep) -> Iterator[dict[str, Any]]:
    """One for each algorithm and MPI with tests that call its collectives. `ran_in` counts those
    in which it ran at least once: right results of others say nothing of it."""
    for setting, mpi, results in _by_setting(sweep):
        for one in setting.forced:
            calls = [
                result.forced_calls.get(one.name, 0)
                for job, result in results.items()
                if sweep.touches(job, one.collectives)
            ]
            if not calls:
                continue
            yield {
                "algorithm": one.name,
                "mpi": mpi,
                "tests": len(calls),
                "ran_in": sum(number > 0 for number in calls),
                "calls": sum(calls),
            }


def _by_setting(sweep: Sweep) -> Iterator[tuple[Setting, str, dict[Job, Result]]]:
    for setting in sweep.plan.settings:
        for mpi in sorted({job.mpi for job in sweep.plan.jobs}):
            results = {
                job: result
                for (job, tried), result in sweep.results.items()
                if job.mpi == mpi and tried == setting
            }
            if results:
                yield setting, mpi, results


def _right_with_suiro(sweep: Sweep, job: Job) -> str:
    results = [result for (other, _), result in sweep.results.items() if other is job]
    return f"{sum(not result.wrong for result in results)} of {len(results)}"


def _verdict(sweep: Sweep) -> str:
    versions = ", ".join(f"{m} {version(m)}" for m in sorted({job.mpi for job in sweep.plan.jobs}))
    return (
        f"{versions}: {len(sweep.plan.jobs)} tests, {len(sweep.wrong_natively())} of them wrong"
        f" natively; {len(sweep.results)} runs with suiro, {len(sweep.failures())} wrong"
    )


def _table(title: str, heads: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> None:
    """As a page of documentation has it. Nothing if there is no row."""
    lines = [
        "| " + " | ".join("" if cell is None else _plain(cell) for cell in row) + " |"
        for row in rows
    ]
    if lines:
        print(f"\n{title}\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
        print("\n".join(lines))


def _plain(cell: object) -> str:
    return str(cell).replace("|", "\\|")
