# SPDX-License-Identifier: BSD-3-Clause
"""The user's command: will `suiro run` work with it, and what are its hosts like?"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from suiro.doctor import facts, hosts
from suiro.doctor.facts import Host
from suiro.doctor.finding import Finding, Status, merged, ok, problem, warning
from suiro.errors import SuiroError
from suiro.run import context_file, launchers, srun, transport, wrappers
from suiro.run.command import Plan, absence, prepare
from suiro.run.instead import with_program
from suiro.run.launchers import Launcher

_LAUNCHER = "give the launcher: suiro doctor -- mpirun -np 64 ./app"


def examine(words: Sequence[str], libraries: Sequence[str]) -> list[Finding]:
    """Looks at the command, then starts its launcher as `suiro run` would, with a probe in place of
    the program."""
    if shutil.which(words[0]) is None:
        text, _, near = absence(words[0]).partition("; ")
        return [problem("command", text, near or _LAUNCHER)]
    launcher = launchers.recognise(words[0]) if launchers.has_launcher_name(words[0]) else None
    if launcher is None and Path(words[0]).name != "srun":
        text = f"{words[0]} is not a launcher that suiro knows"
        return [problem("command", text, _LAUNCHER)]
    if launcher is None:
        commands = srun.commands(words[1:])
        in_file = "--multi-prog" in words
    else:
        commands = list(launchers.commands(launcher, words[1:]))
        file = context_file.find(launcher, words[1:], os.environ)
        in_file = file is not None and file.option != ""
    plan = prepare(words, None)
    findings = _transport(launcher)
    for program in map(wrappers.program, commands):
        findings += _privileged(program)
    if in_file:
        text = "where a file names the programs, the hosts are not looked at"
        findings.append(warning("hosts", text, "look at them with one program"))
    else:
        findings += _reached(launcher, words, plan, libraries)
    stopped = any(one.check == "command" and one.status is Status.PROBLEM for one in findings)
    if plan.obstacle or ((commands or in_file) and not stopped):
        findings.insert(0, _command(words, plan))
    return findings


def _reached(
    launcher: Launcher | None, words: Sequence[str], plan: Plan, libraries: Sequence[str]
) -> list[Finding]:
    """The hosts, and whether what `suiro run` hands to ranks gets there."""
    findings = []
    try:
        reached = facts.gather(
            with_probe(launcher, plan.words, libraries), plan.variables, plan.files
        )
    except SuiroError as error:
        try:
            reached = facts.gather(with_probe(launcher, words, libraries), {})
        except SuiroError as without_suiro:
            text = str(without_suiro)
            return [problem("hosts", text, "see whether the launcher works without suiro")]
        text = f"this works without suiro only: {error}"
        findings.append(problem("command", text, "start the job without suiro, and report this"))
    if not plan.obstacle and not findings:
        findings += handed(reached, plan.preload)
    return [
        *findings,
        *placement(reached),
        *_programs(reached),
        *builds(reached),
        *_judged(reached),
    ]


def _programs(reached: Sequence[Host]) -> list[Finding]:
    advice = "copy it there, or give the path that it has there"
    return merged(
        (
            host.name,
            [
                problem("command", f"there is no program {name}", advice)
                for name, path in host.named("program").items()
                if path == "missing"
            ],
        )
        for host in reached
    )


def with_probe(
    launcher: Launcher | None, words: Sequence[str], libraries: Sequence[str]
) -> list[str]:
    """The launcher's own options, and another program, which looks for that of the command."""
    return with_program(launcher, words, lambda name: facts.probe(libraries, name))


def _command(words: Sequence[str], plan: Plan) -> Finding:
    if plan.obstacle:
        advice = "docs/run.md says what can be done; the job itself runs unchanged"
        return problem("command", plan.obstacle, advice)
    return ok("command", f"suiro run can bring its library to the ranks of {words[0]}")


def _transport(launcher: Launcher | None) -> list[Finding]:
    told = transport.wrong_offsets(launcher)
    return [warning("transport", told, transport.OTHER_MPI)] if told else []


def handed(reached: Sequence[Host], preload: str) -> list[Finding]:
    """Whether all processes had suiro's library in LD_PRELOAD."""
    return [
        problem(
            "command",
            f"on {host.name} the launcher does not hand on LD_PRELOAD",
            "see which option, file or setting of the launcher limits the variables of ranks",
        )
        for host in reached
        if preload not in host.values.get("preload", preload)
    ]


def _privileged(program: str) -> list[Finding]:
    """The dynamic linker ignores LD_PRELOAD for programs that run with more rights."""
    path = Path(shutil.which(program) or program)
    try:
        mode = path.stat().st_mode if path.is_file() else 0
    except OSError:  # the probe tells that there is none
        mode = 0
    capable = _has_capabilities(path)
    if not mode & 0o6000 and not capable:
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
