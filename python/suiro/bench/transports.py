# SPDX-License-Identifier: BSD-3-Clause
"""Compares what carries an MPI's messages: one workload, one job per transport, in turns, so that a
repetition shares the machine's mood; ratios come with their intervals."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from pydantic import BaseModel

from suiro import variables
from suiro.bench.launcher import launcher_of, suiro_command
from suiro.bench.statistics import Interval, median_with_interval, ratio_with_interval
from suiro.bench.workloads import Ended, Sample, Workload
from suiro.errors import SuiroError, UsageError
from suiro.provenance import Provenance

OURS = "suiro"
_OB1 = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader,tcp"}
_OB1_5 = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,sm,tcp"}
_MTL = {"OMPI_MCA_pml": "cm", "OMPI_MCA_mtl": "ofi"}
_CH4 = {"MPIR_CVAR_CH4_NETMOD": "ofi"}
# What each transport is to its MPI: variables that choose it, and nothing else.
TRANSPORTS: dict[str, dict[str, dict[str, str]]] = {
    "openmpi": {
        OURS: {"SUIRO_WRONG_OFFSETS": "accept"},  # to measure; docs/transport.md names the risk
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


@dataclass(frozen=True)
class Transport:
    """One to compare, perhaps with variables that differ: `suiro:SUIRO_NET_RAILS=static`."""

    label: str
    name: str
    variables: dict[str, str]


class Row(BaseModel):
    """One transport: the time and, over all ranks, the processor time of a call or a program."""

    transport: str
    seconds: float
    seconds_interval: Interval
    processor_s: float | None  # programs are not asked
    ratio: float | None = None  # its time over the first one's
    ratio_interval: Interval | None = None


class Comparison(BaseModel):
    """All transports with one kernel, or with one program, which has no size."""

    kernel: str
    bytes: int | None
    jobs: int
    calls: int
    rows: list[Row]


class Comparisons(Provenance):
    """What `suiro bench-transport --json` prints."""

    comparisons: list[Comparison]


def generation_of(prefix: list[str], mpi: str | None) -> str:
    """The key of TRANSPORTS for this launcher. UsageError if it is of an MPI whose transports
    suiro does not know, or of another one than `mpi` says."""
    try:
        launcher = launcher_of(prefix)
    except UsageError:
        if mpi is None:
            raise
        return mpi  # srun, or a script of the user's
    if launcher.major == 0 and mpi is not None and mpi.startswith(launcher.mpi):
        return mpi  # it does not tell its version
    found = f"{launcher.mpi}5" if launcher.major in (5, 6) else launcher.mpi
    whose = f"{prefix[0]} is of {launcher.full_name}"
    if found not in TRANSPORTS or launcher.product == "Intel MPI":
        raise UsageError(f"{whose}: give one of Open MPI, or of MPICH 5")
    if mpi not in (None, found):
        raise UsageError(f"--mpi {mpi}, but {whose}: put the other first on the PATH")
    return found


def name_of(prefix: list[str], generation: str) -> str:
    """The MPI with its version, as its launcher says, or else the key of TRANSPORTS."""
    try:
        return launcher_of(prefix).full_name
    except UsageError:
        return generation


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
        chosen = {variable: value.replace("+", ",") for variable, _, value in pairs}
        _check_variables(label, chosen)
        parsed.append(Transport(label, name, chosen))
    if len({transport.label for transport in parsed}) < len(parsed):
        raise UsageError("--transports names one of them twice")
    return parsed


def _check_variables(label: str, chosen: dict[str, str]) -> None:
    """Those of suiro's; what others take, they know."""
    for line in variables.unknown(chosen).values():
        raise UsageError(f'--transports "{label}": {line}')
    for name in chosen.keys() & variables.table().keys():
        variables.table()[name].parse(chosen[name])


def compare(
    workload: Workload,
    *,
    mpi: str,
    prefix: list[str],
    transports: list[Transport],
    jobs: int,
) -> Comparison:
    """Runs `jobs` jobs over each transport; in every round another one begins."""
    samples: dict[str, list[Sample]] = {transport.label: [] for transport in transports}
    for turn in range(jobs):
        first = turn % len(transports)
        for transport in transports[first:] + transports[:first]:
            ended = _job(workload, mpi, prefix, transport)
            try:
                samples[transport.label].append(workload.sample(ended))
            except SuiroError as error:
                raise SuiroError(f"{workload.name} over {transport.label} {error}") from None
            _say_progress(workload, turn, jobs, transport.label)
    return Comparison(
        kernel=workload.name,
        bytes=workload.bytes,
        jobs=jobs,
        calls=workload.calls,
        rows=list(_rows(samples)),
    )


def _rows(samples: dict[str, list[Sample]]) -> Iterator[Row]:
    """One job is one sample."""
    times = {label: [sample.seconds for sample in own] for label, own in samples.items()}
    first = next(iter(times))
    for label, own in times.items():
        seconds, interval = median_with_interval(own)
        processor = [s.processor_s for s in samples[label] if s.processor_s is not None]
        row = Row(
            transport=label,
            seconds=seconds,
            seconds_interval=interval,
            processor_s=median_with_interval(processor)[0] if processor else None,
        )
        if label != first:
            row.ratio, row.ratio_interval = ratio_with_interval(own, times[first])
        yield row


def _job(workload: Workload, mpi: str, prefix: list[str], transport: Transport) -> Ended:
    command, variables = workload.start(prefix, mpi)
    environment = os.environ | TRANSPORTS[mpi][transport.name] | variables
    if transport.name == OURS:
        command = suiro_command("run", "--no-store", "--transport", "suiro", "--", *command)
        environment = {k: v for k, v in environment.items() if k not in _OB1}
    environment |= transport.variables
    begin = time.monotonic()
    code, out = _run(command, environment)
    if code != 0:
        sys.stderr.write(out)
    return Ended(code, out, time.monotonic() - begin)


def _run(command: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """The exit code and what was printed. A job that is interrupted ends before this does."""
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, env=environment, text=True, errors="replace"
        )
    except OSError as error:
        raise UsageError(f'launcher "{command[0]}": {str(error.strerror).lower()}') from None
    with process:
        try:
            out, _ = process.communicate()
        except KeyboardInterrupt:
            # A terminal tells the launcher, too. It ends its ranks, which it could not if killed.
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=3)
            process.terminate()
            process.wait()
            raise
    return process.returncode, out


def _say_progress(workload: Workload, turn: int, jobs: int, label: str) -> None:
    if sys.stderr.isatty():
        size = "" if workload.bytes is None else f" {workload.bytes} B"
        sys.stderr.write(f"\r{workload.name}{size}: {turn + 1} of {jobs}, {label}\033[K")
        sys.stderr.flush()
