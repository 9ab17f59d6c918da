# SPDX-License-Identifier: BSD-3-Clause
"""The user's command: will `suiro run` work with it, and what are its hosts like?"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from suiro.doctor import facts, hosts
from suiro.doctor.facts import Host
from suiro.doctor.finding import Finding, merged, ok, problem, warning
from suiro.errors import SuiroError
from suiro.run import launchers, srun
from suiro.run.command import prepare


def examine(words: Sequence[str], libraries: Sequence[str]) -> list[Finding]:
    """Looks at the command, then starts its launcher with a probe in place of the program."""
    program = _programs(words)
    if program is None:
        text = f"{words[0]} is not a launcher that suiro knows"
        return [problem("command", text, "give the launcher: suiro doctor -- mpirun -np 64 ./app")]
    if "--multi-prog" in words:
        text = "with --multi-prog the hosts are not looked at"
        return [*_command(words), warning("hosts", text, "look at them with one program")]
    findings = _command(words) if program else []
    for name in program:
        findings += _privileged(name)
    try:
        reached = facts.gather(_with_probe(words, facts.probe(libraries)))
    except SuiroError as error:
        return [
            *findings,
            problem("hosts", str(error), "see whether the launcher works without suiro"),
        ]
    return [*findings, *placement(reached), *builds(reached), *_judged(reached)]


def _programs(words: Sequence[str]) -> list[str] | None:
    """None when the first word is no launcher."""
    if Path(words[0]).name == "srun":
        return srun.programs(words[1:])
    launcher = launchers.recognise(words[0]) if launchers.has_launcher_name(words[0]) else None
    return None if launcher is None else list(launchers.programs(launcher, words[1:]))


def _with_probe(words: Sequence[str], probe: Sequence[str]) -> list[str]:
    """The launcher's own options, and another program."""
    launcher = None if Path(words[0]).name == "srun" else launchers.recognise(words[0])
    changed = [words[0]]
    for number, part in enumerate(launchers.contexts(words[1:])):
        index = (
            srun.program_index(part)
            if launcher is None
            else launchers.program_index(launcher.mpi, part)
        )
        changed += [*([":"] if number else []), *part[:index], *probe]
    return changed


def _command(words: Sequence[str]) -> list[Finding]:
    plan = prepare(words, None)
    if plan.obstacle:
        return [
            problem(
                "command",
                plan.obstacle,
                "docs/run.md says what can be done; the job itself runs unchanged",
            )
        ]
    return [ok("command", f"suiro run can bring its library to the ranks of {words[0]}")]


def _privileged(program: str) -> list[Finding]:
    """The dynamic linker ignores LD_PRELOAD for programs that run with more rights."""
    path = Path(shutil.which(program) or program)
    if not path.is_file():
        return []
    status = path.stat()
    capable = _has_capabilities(path)
    if not status.st_mode & 0o6000 and not capable:
        return []
    how = "file capabilities" if capable else "a set-user-ID or set-group-ID bit"
    advice = "take them away from this program: nothing is preloaded into privileged ones"
    return [problem("command", f"{program} has {how}", advice)]


def _has_capabilities(path: Path) -> bool:
    try:
        return "security.capability" in os.listxattr(path)
    except OSError:  # not all file systems have them
        return False


def placement(reached: Sequence[Host]) -> list[Finding]:
    ranks = sum(host.ranks for host in reached)
    findings = [ok("hosts", f"the launcher starts {ranks} ranks on {len(reached)} hosts")]
    if len(reached) == 1:
        text = "all ranks are on one host: suiro leaves such a job to the MPI"
        findings = [warning("hosts", text, "ask for more hosts, or go without suiro")]
    elif max(host.ranks for host in reached) == 1:
        text = (
            f"{ranks} ranks on {ranks} hosts: with one rank per host the MPI's own algorithms run"
        )
        findings = [warning("hosts", text, "start a rank for each core of the hosts")]
    return findings + merged((host.name, _cores(host)) for host in reached)


def _cores(host: Host) -> list[Finding]:
    count = len(host.cpus)
    if not count or host.ranks <= count:
        return []
    text = f"{host.ranks} ranks share {count} cores: waiting ranks hinder working ones"
    advice = f"start at most {count} ranks there, or expect slow small messages"
    return [warning("cores", text, advice)]


def builds(reached: Sequence[Host]) -> list[Finding]:
    """Ranks with different builds would all run native."""
    sums: dict[str, set[str]] = {}
    for host in reached:
        for path, value in host.named("library").items():
            if value.startswith("sum "):
                sums.setdefault(path, set()).add(value)
    return [
        problem("preload", f"{path} is not the same file on all hosts", "copy one to all of them")
        for path, found in sums.items()
        if len(found) > 1
    ]


def _judged(reached: Sequence[Host]) -> list[Finding]:
    """What all hosts have in common is said without their names."""
    findings = merged((host.name, hosts.judge(host)) for host in reached)
    everywhere = len(reached)
    return [
        finding.model_copy(update={"hosts": []}) if len(finding.hosts) == everywhere else finding
        for finding in findings
    ]
