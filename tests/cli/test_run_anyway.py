# SPDX-License-Identifier: BSD-3-Clause
"""Nothing of suiro's own stops a command that would run, or takes its exit code."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest
from test_output import shell

from suiro.run import job

NO_RANK = "suiro: no rank reported: "


@pytest.mark.parametrize("error", ["> /dev/full", "2>&-", "2> >(exec true)", "2>&1 | :"])
def test_nobody_takes_messages(error: str) -> None:
    error = error if error[0] == "2" else f"2{error}"
    line = f"suiro run --explain -- sh -c 'sleep 0.2; exit 7' {error}"
    assert shell(f"{line}; exit ${{PIPESTATUS[0]}}").returncode == 7


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("export HOME=/etc/passwd;", NO_RANK),
        ("unset HOME XDG_RUNTIME_DIR;", NO_RANK),
        ("export XDG_CONFIG_HOME=/etc/passwd/x XDG_RUNTIME_DIR=/none;", NO_RANK),
        ("mkdir gone; cd gone; rmdir ../gone;", ""),
        ("ulimit -n 64;", NO_RANK),
        ("export LC_ALL=C ODD=$'\\xff';", NO_RANK),
    ],
)
def test_strange_surroundings(before: str, said: str, tmp_path: Path) -> None:
    done = shell(f"cd {tmp_path}; {before} suiro run --explain -- sh -c 'ulimit -n; exit 6'")
    assert done.returncode == 6
    assert "Traceback" not in done.stderr and said in done.stderr
    assert "ulimit" not in before or done.stdout == "64\n"


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("run -- sh -c 'exit 6'", 6, "cannot be read: Permission denied; the file is left aside"),
        ("report --store", 2, "store cannot be read: Permission denied; SUIRO_STORE names another"),
        ("tune bcast --budget 1s -- mpirun -np 2", 1, "store: Permission denied; SUIRO_STORE"),
    ],
)
def test_a_home_that_this_user_may_not_read(
    command: str, code: int, said: str, tmp_path: Path
) -> None:
    """In a user namespace root is like others."""
    if subprocess.run(["unshare", "-U", "true"], check=False).returncode != 0:
        pytest.skip("user namespaces are not allowed here")
    tmp_path.chmod(0)
    line = f"unset XDG_DATA_HOME SUIRO_STORE; unshare -U suiro {command}"
    done = shell(line, HOME=str(tmp_path))
    tmp_path.chmod(0o700)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert said in done.stderr


def test_descriptors_and_ignored_signals_are_handed_on(tmp_path: Path) -> None:
    script = "echo three >&3; kill -HUP $$; kill -INT $$; exit 4"
    line = f"trap '' HUP INT; suiro run -- sh -c '{script}' 3> {tmp_path}/three"
    assert shell(line).returncode == 4
    assert (tmp_path / "three").read_text() == "three\n"


def test_scripts_that_do_not_say_whose_they_are(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text('exit "$1"\n')
    script.chmod(0o755)
    assert shell(f"suiro run -- {script} 5").returncode == 5


@pytest.mark.parametrize(
    "script",
    [
        'env -i PATH="$PATH" mpirun --version',
        "suiro run -- sh -c 'mpirun --version'",
        "PYTHONHOME=/none mpirun --version",
        'mkdir "${PATH%%:*}/called"; mpirun --version',
    ],
)
def test_launchers_run_whatever_a_script_has_done(script: str) -> None:
    done = shell(f"suiro run -- sh -c {shlex.quote(script)}")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert "Open MPI" in done.stdout


def test_launchers_of_a_script_ignore_no_signal(tmp_path: Path) -> None:
    launcher = tmp_path / "mpirun"
    launcher.write_text("#!/bin/sh\ngrep SigIgn /proc/self/status\n")
    launcher.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    alone, under = shell("mpirun; suiro run -- sh -c mpirun", PATH=path).stdout.splitlines()
    assert under == alone


def test_variables_of_a_cluster_that_are_too_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    long = {"SUIRO_SITES": "x" * (1 << 20)}
    monkeypatch.setenv("SUIRO_SITES", "")  # to be as before in the end
    monkeypatch.setattr(job.Options, "variables", lambda _: long)
    assert job.run(["sh", "-c", "exit 5"], job.Options()) == 5
    assert "; the command runs unchanged\n" in capsys.readouterr().err


def _fails(*_: object) -> None:
    raise OSError(2, "No usable temporary directory found")


def _breaks(*_: object) -> None:
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize(
    ("place", "failure", "said"),
    [
        ("make_stand_ins", _fails, "No usable temporary directory found"),
        ("Service", _breaks, 'suiro failed: RuntimeError("can\'t start new thread")'),
        ("prepare", _breaks, 'suiro failed: RuntimeError("can\'t start new thread")'),
    ],
)
def test_what_suiro_lacks_the_command_may_not_need(
    place: str,
    failure: object,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(job, place, failure)
    words = ["sh", "-c", 'exit "${SUIRO_JOB:+1}3"']
    assert job.run(words, job.Options()) == 3
    assert capsys.readouterr().err == f"suiro: {said}; the command runs unchanged\n"
    assert job.run(words, job.Options(strict=True)) == 3
    assert capsys.readouterr().err == f"suiro: {said}\n"


def test_what_breaks_afterwards_takes_no_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(job, "_tell", _breaks)
    for code in (0, 5):
        assert job.run(["sh", "-c", f"exit {code}"], job.Options()) == code
    assert "what the ranks reported is lost: suiro failed" in capsys.readouterr().err


def test_a_command_that_becomes_too_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(job, "make_stand_ins", lambda folder: {"TOO_LONG": "x" * (1 << 20)})
    assert job.run(["sh", "-c", "exit 5"], job.Options()) == 5
    said = "suiro: Argument list too long with what suiro adds; the command runs unchanged\n"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("where", [{"HOME": "/etc/passwd"}, {"HOME": ""}])
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("report", "there is no "),
        ("tune bcast --native --sizes 1K -- mpirun -np 2", ""),
        ("top", "no process of yours"),
        ("probe --switch --write-cluster /none/x --lab 4x4-hol", "/none/x: there is no folder"),
    ],
)
def test_commands_without_a_home_say_what_they_lack(
    where: dict[str, str], command: str, said: str
) -> None:
    """One line at most, before anything is measured. `top` may find the jobs of other tests."""
    done = shell(f"suiro {command}", **where, SUIRO_STORE="", XDG_DATA_HOME="")
    if command == "top" and done.returncode == 0:
        assert done.stderr == ""
        return
    assert done.returncode in (1, 2, 3)
    assert done.stderr.count("\n") == 1 and done.stderr.startswith(f"suiro: {said}")
