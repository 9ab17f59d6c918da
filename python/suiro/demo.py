# SPDX-License-Identifier: BSD-3-Clause
"""The demonstration: what suiro does, in three networks, to a program that knows nothing of it."""

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from rich.console import Console

from suiro import lab, native
from suiro.bench.launcher import suiro_command
from suiro.bench.result import Result
from suiro.bench.table import print_result
from suiro.errors import MachineError, SuiroError
from suiro.output import check_place, reason_of, write_file
from suiro.quantities import time_text
from suiro.report.page import ProgramRun, Section, render
from suiro.report.verdict import conclusion, network_sentence, title, verdict

LABS = ("4x4-hol", "4x4-pause", "4x4-shared")
_ALGORITHMS = "native,ring,two_level_ring,two_level_pairwise"
# The paper's figures of single steps are about these two, in a switch that blocks.
_STEPS_LAB, _STEPS_ALGORITHMS = "4x4-hol", ("ring", "two_level_ring")
# 16 ranks of a 1024 x 1024 transform exchange blocks of 64 KiB: enough for the network to matter.
_TRANSFORM_SIZE, _TRANSFORM_REPETITIONS = 1024, 3
_TRANSFORM_RUNS = 2
_SECONDS = re.compile(r"([\d.]+) s there and back")
_CHOSEN = re.compile(r'"algorithm": "([^"]+)"')


def run_demo(folder: Path, sizes: str, repeat: int) -> None:
    """Three labs, one after the other, then the page."""
    out = Console(width=None if sys.stdout.isatty() else 100)
    page = folder / "index.html"
    _make_folder(folder)  # before measuring
    check_place(page)
    sections = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the scratch folder goes, too
    with TemporaryDirectory(prefix="suiro-demo-") as scratch:
        program = _compile(Path(scratch))
        for name in LABS:
            sections.append(_show_lab(name, program, sizes, repeat, out))
    out.print("\nIn short", style="bold")
    for sentence in conclusion([section.result for section in sections]):
        out.print(sentence)
    write_file(page, render("What suiro does to all-to-all on Ethernet", sections))
    out.print(f"\nreport: {page}", soft_wrap=True)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = reason_of(error)
        raise SuiroError(f"cannot make {folder}: {reason}; try --report FOLDER") from None


def _show_lab(name: str, program: Path, sizes: str, repeat: int, out: Console) -> Section:
    out.print(f"\n{name}", style="bold")
    out.print("measuring all-to-all ...", style="dim")
    result = _bench(name, sizes, repeat)
    out.print(network_sentence(result.machine.model))
    print_result(result, out)
    out.print("running an unmodified FFTW transform ...", style="dim")
    transform = _transform(name, program)
    chosen = " and ".join(map(title, transform.algorithms))
    out.print(
        f"unmodified FFTW transform: {time_text(transform.native_s)} alone, "
        f"{time_text(transform.suiro_s)} with suiro, which chose {chosen} "
        f"({transform.native_s / transform.suiro_s:.2f}x); its result is verified"
    )
    for sentence in verdict(result):
        out.print(sentence)
    return Section(result, transform)


def _bench(name: str, sizes: str, repeat: int) -> Result:
    arguments = ["--algorithms", _ALGORITHMS, "--sizes", sizes, "--repeat", str(repeat)]
    arguments += ["--mpi", "openmpi", *(["--steps"] if name == _STEPS_LAB else [])]
    bench = suiro_command("bench", "alltoall", *arguments, "--lab", name, "--json")
    done = subprocess.run(bench, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise SuiroError(f"the bench in {name} failed: its message is above")
    result = Result.model_validate_json(done.stdout)
    result.steps = [steps for steps in result.steps if steps.algorithm in _STEPS_ALGORITHMS]
    return result


def _transform(name: str, program: Path) -> ProgramRun:
    """Without and with suiro in turn, so that both meet the same moods of the machine."""
    launch = (
        f"$SUIRO_LAB_MPIRUN {shlex.quote(str(program))} {_TRANSFORM_SIZE} {_TRANSFORM_REPETITIONS}"
    )
    suiro = shlex.join(suiro_command("run", "--no-store", "--explain=json", "--"))
    script = "\n".join([f"{launch} && {suiro} {launch} || exit 1"] * _TRANSFORM_RUNS)
    done = lab.run(name, ["sh", "-c", script], mpi="openmpi", capture=True)
    times = [float(match) for match in _SECONDS.findall(done.stdout)]
    chosen = tuple(dict.fromkeys(_CHOSEN.findall(done.stderr)))
    if done.exit_code != 0 or len(times) != 2 * _TRANSFORM_RUNS or not chosen:
        reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise SuiroError(f"the transform in {name} failed: {reason}")
    shown = (
        f"suiro run -- mpirun -np 16 ./fftw_transform {_TRANSFORM_SIZE} {_TRANSFORM_REPETITIONS}"
    )
    return ProgramRun(shown, median(times[0::2]), median(times[1::2]), chosen)


def _compile(folder: Path) -> Path:
    """An ordinary MPI program, compiled by the MPI's own compiler: suiro is not mentioned."""
    source = native.example("fftw_transform.c")
    program = folder / "fftw_transform"
    command = ["mpicc.openmpi", "-O2", str(source), "-o", str(program)]
    try:
        libraries = ["-lfftw3_mpi", "-lfftw3", "-lm"]
        done = subprocess.run([*command, *libraries], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise MachineError(f"{command[0]} is not installed: run `./dev setup`") from None
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no message"])[0]
        raise MachineError(f"cannot compile the example: {reason}; run `./dev setup`")
    return program
