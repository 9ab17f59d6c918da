# SPDX-License-Identifier: BSD-3-Clause
"""Runs the programs of the demonstration, each in a lab of its own, without and with suiro in turn,
so that both meet the same moods of the machine."""

import json
import re
import shlex
import subprocess
import sys
from itertools import takewhile
from pathlib import Path
from typing import Any

from suiro import lab, native
from suiro.bench.innocence import Counters, others_reason, others_share, switch_reason
from suiro.bench.launcher import suiro_command
from suiro.demo.chapters import CLUSTER, MPI, Chapter
from suiro.demo.result import SHARE_LEAST, Ran, Shown, factor
from suiro.errors import MachineError, SuiroError
from suiro.lab.spec import load
from suiro.output import say
from suiro.probe.report import NAMES

# The switch's counters since they were last asked for.
_ASK_SWITCH = """
import socket, sys
with socket.socket(socket.AF_UNIX) as asking:
    asking.connect(sys.argv[1])
    asking.sendall(b'{"reset": true}\\n')
    asking.shutdown(socket.SHUT_WR)
    print(asking.makefile().read())
"""
_SECONDS = re.compile(r"([\d.]+) s (?:a step|there and back)")
_PROBE = "probe"
_LOOKS = 4  # half a second each


def compile_program(chapter: Chapter, folder: Path) -> None:
    """An ordinary MPI program, by the MPI's own compiler: suiro is not mentioned."""
    words = shlex.split(chapter.compilation)
    source = str(native.example(f"{chapter.program}.c"))
    words = [source if word.startswith("examples/") else word for word in words]
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise MachineError(f"{words[0]} is not installed: run `./dev setup`") from None
    if done.returncode != 0:
        raise MachineError(
            f"cannot compile {chapter.program}.c: {_first_line(done.stderr)}; run `./dev setup`"
        )


def show(chapter: Chapter, folder: Path, pairs: int) -> Shown:
    """SuiroError if a program fails, or says that its result is wrong."""
    doubts = list(filter(None, [_busy()]))
    for doubt in doubts:
        say(f"{doubt}: end them, or run this again later")
    steps = {f"{name}-{i + 1}": name for i in range(pairs) for name in ("native", "suiro")}
    script = _script(chapter, folder, list(steps), pairs)
    result = lab.run(chapter.lab, ["sh", "-c", script], mpi=MPI)
    if result.exit_code != 0:
        raise SuiroError(f"{chapter.lab}: {_failure(folder, [_PROBE, *steps])}")
    seconds = {step: _seconds(folder, step) for step in steps}
    probe, unclear = _probed(folder) if chapter.probes else ("", "")
    doubts += filter(None, [unclear, switch_reason(_counters(folder, list(steps)))])
    shown = Shown(
        title=chapter.title,
        about=chapter.about,
        lab=chapter.lab,
        network=load(chapter.lab)[1].description,
        native_s=[seconds[step] for step, name in steps.items() if name == "native"],
        suiro_s=[seconds[step] for step, name in steps.items() if name == "suiro"],
        ran=_ran((folder / f"suiro-{pairs}.err").read_text()),
        probe=probe,
        doubts=doubts,
        commands=chapter.commands,
    )
    say(f"{factor(shown.speedup)} times as fast")
    return shown


def _busy() -> str | None:
    """Why the machine is too busy, if it stays so: what ran before may still be ending."""
    reasons = (others_reason(others_share()) for _ in range(_LOOKS))
    told = list(takewhile(bool, reasons))
    return told[-1] if len(told) == _LOOKS else None


def _script(chapter: Chapter, folder: Path, steps: list[str], pairs: int) -> str:
    """For a shell in the lab. Each command leaves what it says in the folder."""
    suiro = shlex.join(suiro_command())
    ask = shlex.join([sys.executable, "-I", "-S", "-c", _ASK_SWITCH])
    control = '"$SUIRO_LAB_CONTROL"'  # a bridge is no switch, and has none
    lines = [
        f"cd {shlex.quote(str(folder))} || exit 1",
        f'suiro() {{ {suiro} "$@"; }}',
        f"ask_switch() {{ [ ! -S {control} ] || {ask} {control}; }}",
        "cluster=",
    ]
    if chapter.probes:
        lines += [
            "echo 'suiro: probing the switch' >&2",
            f"{chapter.probing} --json > {_PROBE}.out 2> {_PROBE}.err || [ -s {_PROBE}.out ] "
            "|| exit 1",
            # It writes none if the answer is not clear.
            f"[ ! -f {CLUSTER} ] || cluster='--cluster {CLUSTER}'",
        ]
    lines.append("ask_switch > /dev/null")
    ours = chapter.with_suiro("--explain=json $cluster")
    for step in steps:
        name, _, number = step.partition("-")
        said, command = ("without", chapter.without_suiro) if name == "native" else ("with", ours)
        lines.append(f"echo 'suiro: {said} suiro, {number} of {pairs}' >&2")
        lines.append(f"{command} > {step}.out 2> {step}.err || exit 1")
        lines.append(f"ask_switch > {step}.switch")
    return "\n".join(lines)


def _seconds(folder: Path, step: str) -> float:
    said = (folder / f"{step}.out").read_text()
    found = _SECONDS.search(said)
    if found is None:
        raise SuiroError(f"{step}: expected a time, got {_first_line(said)!r}")
    return float(found[1])


def _ran(told: str) -> list[Ran]:
    """From what --explain=json prints, after whatever else is said."""
    document: dict[str, Any] = json.loads(told[told.index("{\n") : told.rindex("}") + 1])
    rows = document["collectives"]
    spent = [row["calls"] * row["median_s"] for row in rows]
    return [
        Ran.model_validate(row)
        for row, seconds in zip(rows, spent, strict=True)
        if seconds >= SHARE_LEAST * sum(spent)
    ]


def _counters(folder: Path, steps: list[str]) -> list[Counters]:
    """Of the switch in each run; none where processors are the limit."""
    texts = [(folder / f"{step}.switch").read_text() for step in steps]
    return [json.loads(text) for text in texts if text.strip()]


def _probed(folder: Path) -> tuple[str, str]:
    """What the probe found; and a doubt, if that is not clear."""
    finding = json.loads((folder / f"{_PROBE}.out").read_text())["finding"]
    said = f"the probe found: {NAMES[finding['kind']]}"
    if (folder / CLUSTER).exists():
        return said, ""
    reason = f": {finding['reason']}" if finding["reason"] else ""
    return said, f"the probe's answer is not clear, so suiro ran without it{reason}"


def _failure(folder: Path, steps: list[str]) -> str:
    """Of the last step that began."""
    began = [step for step in steps if (folder / f"{step}.err").exists()]
    if not began:
        return "the lab's shell failed: its message is above"
    texts = [(folder / f"{began[-1]}.{kind}").read_text() for kind in ("out", "err")]
    return f"{began[-1]} failed: {_first_line(''.join(texts))}"


def _first_line(text: str) -> str:
    """That says something: launchers draw lines around theirs."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line.strip("-")), "no message")
