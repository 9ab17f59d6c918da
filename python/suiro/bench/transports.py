# SPDX-License-Identifier: BSD-3-Clause
"""Compares what carries an MPI's messages: one kernel, one job per transport, in turns, so that a
repetition shares the machine's mood; ratios come with their intervals."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel

from suiro.bench.launcher import suiro_command
from suiro.bench.statistics import Interval, median_with_interval, ratio_with_interval
from suiro.errors import SuiroError, UsageError
from suiro.native import tool

NPB = ("is", "ft", "cg", "halo", "sweep", "grid", "wave")
KERNELS = ("pingpong", "stream", "receive", "send", "resume", *NPB)
OURS = "suiro"
_OB1 = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader,tcp"}
_OB1_5 = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,sm,tcp"}
_MTL = {"OMPI_MCA_pml": "cm", "OMPI_MCA_mtl": "ofi"}
_CH4 = {"MPIR_CVAR_CH4_NETMOD": "ofi"}
# What each transport is to its MPI: variables that choose it, and nothing else.
TRANSPORTS: dict[str, dict[str, dict[str, str]]] = {
    "openmpi": {
        OURS: {},
        "tcp": _OB1,
        "tcp-thread": _OB1 | {"OMPI_MCA_btl_tcp_progress_thread": "1"},
        "libfabric-tcp": _MTL
        | {"OMPI_MCA_mtl_ofi_provider_include": "tcp;ofi_rxm", "FI_PROVIDER": "tcp;ofi_rxm"},
    },
    "openmpi5": {
        OURS: {},
        "tcp": _OB1_5,
        "tcp-thread": _OB1_5 | {"OMPI_MCA_btl_tcp_progress_thread": "1"},
        "libfabric-tcp": _MTL
        | {"OMPI_MCA_opal_common_ofi_provider_include": "tcp", "FI_PROVIDER": "tcp"},
    },
    "mpich5": {
        OURS: {},
        "libfabric-tcp": _CH4 | {"FI_PROVIDER": "tcp"},
        "libfabric-thread": _CH4 | {"FI_PROVIDER": "tcp", "MPIR_CVAR_ASYNC_PROGRESS": "1"},
        "ucx": {"MPIR_CVAR_CH4_NETMOD": "ucx", "UCX_TLS": "self,sm,tcp"},
    },
}
PROGRAMS = {"openmpi": "openmpi", "openmpi5": "openmpi", "mpich5": "mpich"}


@dataclass(frozen=True)
class Transport:
    """One to compare, perhaps with variables that differ: `suiro:SUIRO_NET_RAILS=static`."""

    label: str
    name: str
    variables: dict[str, str]


class Row(BaseModel):
    """One transport: the time and, over all ranks, the processor time of a call."""

    transport: str
    seconds: float
    seconds_interval: Interval
    processor_s: float
    ratio: float | None = None  # its time over the first one's
    ratio_interval: Interval | None = None


class Comparison(BaseModel):
    """All transports with one kernel."""

    kernel: str
    bytes: int
    mpi: str
    jobs: int
    calls: int
    command: str
    rows: list[Row]


@dataclass
class _Samples:
    """One job is one sample: the median of its calls."""

    seconds: list[float]
    processor_s: list[float]


def parse_transports(mpi: str, labels: list[str]) -> list[Transport]:
    """NAME or NAME:VARIABLE=VALUE:...; a `+` in a value stands for a comma. Unknown names are
    refused before anything starts."""
    known = TRANSPORTS[mpi]
    parsed = []
    for label in labels:
        name, *settings = label.split(":")
        if name not in known:
            raise UsageError(f'--transports "{label}": for {mpi} there are {", ".join(known)}')
        pairs = [setting.partition("=") for setting in settings]
        if not all(variable and equals for variable, equals, _ in pairs):
            raise UsageError(f'--transports "{label}": expected {name}:VARIABLE=VALUE')
        variables = {variable: value.replace("+", ",") for variable, _, value in pairs}
        parsed.append(Transport(label, name, variables))
    if len({transport.label for transport in parsed}) < len(parsed):
        raise UsageError("--transports names one of them twice")
    return parsed


def compare(
    kernel: str,
    size: int,
    *,
    mpi: str,
    prefix: list[str],
    transports: list[Transport],
    jobs: int,
    calls: int,
    command: str,
) -> Comparison:
    """Runs `jobs` jobs of `calls` calls for each transport; in every round another one begins."""
    samples = {transport.label: _Samples([], []) for transport in transports}
    for turn in range(jobs):
        first = turn % len(transports)
        for transport in transports[first:] + transports[:first]:
            seconds, processor_s = _job(kernel, size, calls, mpi, prefix, transport)
            samples[transport.label].seconds.append(seconds)
            samples[transport.label].processor_s.append(processor_s)
            _say_progress(kernel, size, turn, jobs, transport.label)
    return Comparison(
        kernel=kernel,
        bytes=size,
        mpi=mpi,
        jobs=jobs,
        calls=calls,
        command=command,
        rows=list(_rows(samples)),
    )


def _rows(samples: dict[str, _Samples]) -> Iterator[Row]:
    first = next(iter(samples))
    for label, own in samples.items():
        seconds, interval = median_with_interval(own.seconds)
        row = Row(
            transport=label,
            seconds=seconds,
            seconds_interval=interval,
            processor_s=median_with_interval(own.processor_s)[0],
        )
        if label != first:
            row.ratio, row.ratio_interval = ratio_with_interval(own.seconds, samples[first].seconds)
        yield row


def _job(
    kernel: str, size: int, calls: int, mpi: str, prefix: list[str], transport: Transport
) -> tuple[float, float]:
    command = [*prefix, str(tool(f"suiro-kernels-{PROGRAMS[mpi]}")), kernel, str(size), str(calls)]
    environment = os.environ | TRANSPORTS[mpi][transport.name]
    if transport.name == OURS:
        command = suiro_command("run", "--transport", "suiro", "--", *command)
        environment = {k: v for k, v in environment.items() if k not in _OB1}
    environment |= transport.variables
    done = subprocess.run(command, stdout=subprocess.PIPE, env=environment, text=True, check=False)
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"bench"')]
    calls_made = [event for event in events if event["bench"] == "kernel"]
    if done.returncode != 0 or not events or events[-1]["bench"] != "end":
        raise SuiroError(
            f"{kernel} over {transport.label} ended with exit code {done.returncode} after "
            f"{len(calls_made)} of {calls} calls: its messages are above"
        )
    seconds = median_with_interval([event["seconds"] for event in calls_made])[0]
    return seconds, median_with_interval([event["processor_s"] for event in calls_made])[0]


def _say_progress(kernel: str, size: int, turn: int, jobs: int, label: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{kernel} {size} B: {turn + 1} of {jobs}, {label}\033[K")
        sys.stderr.flush()
