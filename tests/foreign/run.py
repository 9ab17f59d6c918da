# SPDX-License-Identifier: BSD-3-Clause
"""Runs test suites that were not written here, natively and with suiro, and tells what fails with
suiro only. docs/foreign-suites.md says where to get them.

    ./dev run .venv/bin/python tests/foreign/run.py --mpich-tests FOLDER

The exit code is 1 if anything fails with suiro that does not fail natively.
"""

import argparse
import contextlib
import os
import signal
import sys
from pathlib import Path

import applications
import hpcc
import hpcg
import mpi4py_tests
import mpich_tests
from jobs import TOOLS, Job, Runner, kill_all
from settings import MODES, chosen_settings
from sweep import Plan, Sweep

from report import print_json, print_tables
from suiro.errors import SuiroError, UsageError

_MPIS = ("openmpi", "mpich")


def parsed() -> argparse.Namespace:
    summary = (__doc__ or "").split("\n\n")[0]
    parser = argparse.ArgumentParser(description=summary, allow_abbrev=False)
    _add_suites(parser)
    _add_what(parser)
    _add_how(parser)
    options = parser.parse_args()
    given = (options.mpich_tests, options.mpi4py_source, options.hpcc, options.hpcg)
    if not (any(given) or options.applications):
        raise UsageError(
            "no suite: give --mpich-tests, --mpi4py-source, --hpcc, --hpcg or --applications"
        )
    return options


def _add_suites(parser: argparse.ArgumentParser) -> None:
    suites = parser.add_argument_group("suites, at least one")
    suites.add_argument("--mpich-tests", type=Path, metavar="FOLDER", help="MPICH's sources")
    suites.add_argument("--mpi4py-source", type=Path, metavar="FOLDER", help="mpi4py's sources")
    suites.add_argument(
        "--hpcc",
        nargs="?",
        const="hpcc",
        action="append",
        metavar="PROGRAM",
        help="hpcc of PATH, or this one; once for each MPI that it was built for",
    )
    suites.add_argument("--hpcg", type=Path, metavar="FOLDER", help="HPCG's sources")
    suites.add_argument(
        "--applications",
        nargs="+",
        metavar="NAME",
        help=f"that are installed: all, or any of {', '.join(applications.NAMES)}",
    )


def _add_what(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("what to run; everything if not said")
    what.add_argument("--mpi", choices=_MPIS, action="append", help="may be given twice")
    what.add_argument(
        "--only", metavar="PATTERN", action="append", help="programs, such as 'allred*'"
    )
    what.add_argument(
        "--round",
        type=int,
        metavar="NUMBER",
        action="append",
        default=[],
        help="force only the algorithms whose turn it is then; 0 forces nothing",
    )
    what.add_argument(
        "--collective",
        metavar="NAME",
        action="append",
        default=[],
        help="force only in this, one algorithm at a time",
    )
    what.add_argument(
        "--algorithm",
        metavar="NAME",
        action="append",
        default=[],
        help="force only this: a pattern, or NAME:PARAMETER=NUMBER; 'defaults' forces nothing",
    )
    what.add_argument(
        "--mode",
        choices=list(MODES),
        action="append",
        help="run so: plain if not said, with --check, over --transport suiro; may be repeated",
    )


def _add_how(parser: argparse.ArgumentParser) -> None:
    how = parser.add_argument_group("how")
    how.add_argument("--limit", type=float, default=120, help="seconds for a program (%(default)s)")
    how.add_argument("--jobs", type=int, default=cores(), help="at a time (%(default)s)")
    how.add_argument("--memory", type=float, default=4, help="gigabytes of a test (%(default)s)")
    how.add_argument(
        "--ranks",
        type=int,
        default=0,
        metavar="NUMBER",
        help="of each program, not those that its suite gives it; what takes no other number than "
        "its own (hpcc, applications) is left out",
    )
    how.add_argument("--nodes", type=int, default=0, help="as many, not as many as fit the ranks")
    how.add_argument("--two-sites", action="store_true", help="nodes pretend to be at two sites")
    how.add_argument("--work", type=Path, default=cache(), help="what is built (%(default)s)")
    how.add_argument("--again", action="store_true", help="run natively what was run before, too")
    how.add_argument("--json", action="store_true", help="one document instead of tables")


def cores() -> int:
    return len(os.sched_getaffinity(0))


def cache() -> Path:
    """Outside the repository: nothing of a suite belongs into it."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "suiro-foreign"


def collect(options: argparse.Namespace) -> Plan:
    """Builds the suites for each MPI."""
    modes = options.mode or ["plain"]
    plan = Plan(chosen_settings(options.collective, options.algorithm, options.round, modes))
    mpich = mpich_tests.find(options.mpich_tests) if options.mpich_tests else None
    mpi4py = mpi4py_tests.find(options.mpi4py_source) if options.mpi4py_source else None
    programs = [hpcc.find(program) for program in options.hpcc or []]
    hpcg_source = hpcg.find(options.hpcg) if options.hpcg else None
    wanted = applications.find(options.applications or [])
    for mpi in options.mpi or _MPIS:
        jobs: list[Job] = []
        if mpich:
            print(f"building MPICH's tests for {TOOLS[mpi].compiler}", file=sys.stderr)
            most = mpich_tests.Limits(options.memory, options.limit)
            found = mpich_tests.suite(mpich, mpi, options.work, options.jobs, most, options.ranks)
            jobs += found.jobs
            plan.left_out |= {(mpi, name): why for name, why in found.left_out.items()}
        if mpi4py:
            print(f"building mpi4py for {TOOLS[mpi].compiler}", file=sys.stderr)
            jobs += mpi4py_tests.jobs(mpi4py, mpi, options.work, options.ranks)
        for program in programs:
            jobs += hpcc.jobs(program, mpi)
        if hpcg_source:
            print(f"building HPCG for {TOOLS[mpi].compiler}", file=sys.stderr)
            jobs.append(hpcg.job(hpcg_source, mpi, options.work, options.ranks))
        for application in wanted:
            if mpi in application.programs:
                why = applications.missing(application, mpi)
                if why:
                    plan.left_out[mpi, application.name] = why
                else:
                    jobs.append(applications.job(application, mpi))
        plan.take(jobs, options.ranks)
    if options.only:
        plan.keep_only(options.only)
    if not plan.jobs:
        raise UsageError(_nothing(plan))
    return plan


def _nothing(plan: Plan) -> str:
    """Why there is no program, in one line."""
    if plan.left_out:
        why = "; ".join(f"{name}: {why}" for (_, name), why in plan.left_out.items())
        return f"nothing to run: {why}"
    return "nothing to run: no program fits --only, --mpi and what --hpcc was built for"


def _runner(options: argparse.Namespace) -> Runner:
    return Runner(options.work, options.limit, options.two_sites, options.nodes)


def main() -> int:
    """1: something fails with suiro that does not fail natively."""
    # SIGINT too, which what runs in the background ignores otherwise.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        options = parsed()
        sweep = Sweep(collect(options), _runner(options), options.work)
        with contextlib.ExitStack() as at_the_end:
            at_the_end.callback(kill_all)
            sweep.run(options.jobs, options.again)
    except SuiroError as error:
        print(f"{Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("interrupted: what was running is ended, nothing is told of it", file=sys.stderr)
        return 130
    (print_json if options.json else print_tables)(sweep)
    return 1 if sweep.failures() else 0


if __name__ == "__main__":
    sys.exit(main())
