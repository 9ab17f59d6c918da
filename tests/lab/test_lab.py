# SPDX-License-Identifier: BSD-3-Clause
"""Labs that really run: they do what a cluster does, and leave nothing behind."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lab_command import SUIRO, Suiro, children_of, family, run_as_nobody, wait_until

from suiro import native
from suiro.lab import state

pytestmark = pytest.mark.lab

CONNECT = """
import socket, subprocess, sys
server = "import socket; s = socket.create_server(('', 7000)); print('up', flush=True); s.accept()"
remote = subprocess.Popen(["suiro-lab-rsh", "host3", f'/usr/bin/python3 -c "{server}"'],
                          stdout=subprocess.PIPE)
remote.stdout.readline()
print(socket.create_connection(("host3", 7000), 5).getpeername()[0])
"""


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """No mount and no TAP device is left; the processes are checked where they are known."""
    before = Path("/proc/self/mounts").read_text(), sorted(Path("/sys/class/net").iterdir())
    yield
    after = Path("/proc/self/mounts").read_text(), sorted(Path("/sys/class/net").iterdir())
    assert after == before


@pytest.fixture
def sleeping() -> Iterator["tuple[subprocess.Popen[bytes], str]"]:
    """A lab whose command is up and sleeps."""
    name = f"sleeping-{os.getpid()}"
    command = ["lab", "run", "2x1-voq", "--name", name, "--", "sh", "-c", "echo up; exec sleep 60"]
    process = subprocess.Popen([*SUIRO, *command], stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    yield process, name
    if process.poll() is None:
        process.kill()
    process.wait()


def test_exit_code_folder_streams_and_counters(suiro: Suiro, tmp_path: Path) -> None:
    script = "cat; pwd; hostname; echo $SUIRO_LAB_HOSTS $MINE; echo wrong >&2; exit 7"
    counters = tmp_path / "counters.json"
    result = suiro(
        *("lab", "run", "4x4-hol", "--counters", str(counters), "--", "sh", "-c", script),
        input="typed\n",
        cwd=tmp_path,
        env=os.environ | {"MINE": "kept"},
    )
    assert result.returncode == 7
    assert result.stdout.split("\n") == ["typed", str(tmp_path), "host0", "4 kept", ""]
    assert result.stderr == "wrong\n"
    assert len(json.loads(counters.read_text())["ports"]) == 4


def test_hosts_reach_each_other(suiro: Suiro) -> None:
    result = suiro("lab", "run", "4x4-hol", "--", "/usr/bin/python3", "-c", CONNECT)
    assert (result.stdout, result.stderr) == ("10.77.0.4\n", "")


def test_remote_shell_is_like_ssh(suiro: Suiro) -> None:
    leak = "ssh -x -o A=b me@host1 'hostname; echo [$LEAK]'"
    script = f"{leak}; ssh host9 true; echo $?; ssh host2 exit 3"
    result = suiro(
        *("lab", "run", "4x4-hol", "--", "sh", "-c", script), env=os.environ | {"LEAK": "yes"}
    )
    assert result.stdout == "host1\n[]\n255\n"
    assert result.returncode == 3
    assert "no host 'host9' in this lab" in result.stderr


def test_open_mpi_runs_unchanged(suiro: Suiro, hello: Callable[[str], Path]) -> None:
    program = hello("openmpi")
    script = f"$SUIRO_LAB_MPIRUN {program}"
    result = suiro("lab", "run", "4x4-hol", "--mpi", "openmpi", "--", "sh", "-c", script)
    expected = {f"rank {rank} on host{rank // 4}" for rank in range(16)}
    assert (set(result.stdout.splitlines()), result.stderr) == (expected, "")
    assert result.returncode == 0


def test_hydra_starts_a_process_per_slot(suiro: Suiro) -> None:
    # Hydra 4.0.2 dies of SIGPIPE now and then when what it starts ends at once (4 of 260 runs).
    script = "$SUIRO_LAB_MPIRUN sh -c 'hostname; sleep 0.2'"
    result = suiro("lab", "run", "4x4-hol", "--mpi", "mpich", "--", "sh", "-c", script)
    assert sorted(result.stdout.split()) == [f"host{rank // 4}" for rank in range(16)]
    assert (result.returncode, result.stderr) == (0, "")


def test_mpich_runs_unchanged(suiro: Suiro, hello: Callable[[str], Path]) -> None:
    """Several times, since without the lab's help some runs end and most hang."""
    times = 4
    script = (
        f"for i in $(seq {times}); do timeout 30 $SUIRO_LAB_MPIRUN {hello('mpich')} || exit; done"
    )
    command = ("lab", "run", "4x4-hol", "--mpi", "mpich", "--", "sh", "-c", script)
    result = suiro(*command, timeout=150)
    expected = sorted(times * [f"rank {rank} on host{rank // 4}" for rank in range(16)])
    assert (sorted(result.stdout.splitlines()), result.stderr) == (expected, "")
    assert result.returncode == 0


def test_mpich_keeps_what_the_caller_preloads(suiro: Suiro) -> None:
    script = "echo ${LD_PRELOAD##*/lib/}"
    environment = os.environ | {"LD_PRELOAD": "libm.so.6"}
    arguments = ("lab", "run", "4x4-hol", "--mpi", "mpich", "--", "sh", "-c", script)
    result = suiro(*arguments, env=environment)
    assert (result.stdout, result.stderr) == ("libsuiro-lab-mpich.so:libm.so.6\n", "")


def test_two_labs_at_once(suiro: Suiro, sleeping: "tuple[subprocess.Popen[bytes], str]") -> None:
    result = suiro("lab", "run", "4x4-hol", "--", "hostname")
    assert (result.returncode, result.stdout) == (0, "host0\n")
    assert sleeping[0].poll() is None
    again = suiro("lab", "run", "2x1-voq", "--name", sleeping[1], "--", "true")
    assert again.returncode == 2
    assert "is up: choose another name" in again.stderr


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_front_end_leaves_nothing(
    sleeping: "tuple[subprocess.Popen[bytes], str]", how: signal.Signals
) -> None:
    process, name = sleeping
    members = [(pid, state.start_time(pid)) for pid in family(process.pid)]
    assert len(members) > 4
    process.send_signal(how)
    process.wait()
    wait_until(lambda: not any(state.alive(pid, start) for pid, start in members))
    wait_until(lambda: not (state.root() / name).exists())


def test_a_killed_keeper_leaves_nothing(
    suiro: Suiro, sleeping: "tuple[subprocess.Popen[bytes], str]"
) -> None:
    process, name = sleeping
    keeper = children_of(process.pid)[0]
    members = [(pid, state.start_time(pid)) for pid in family(keeper)]
    os.kill(keeper, signal.SIGKILL)
    assert process.wait(10) == 1
    wait_until(lambda: not any(state.alive(pid, start) for pid, start in members))
    assert name not in suiro("lab", "list").stdout
    assert not (state.root() / name).exists()


def test_interrupt(sleeping: "tuple[subprocess.Popen[bytes], str]") -> None:
    process, name = sleeping
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(14) == 130  # by itself: the lab ends it after 15 s
    assert not (state.root() / name).exists()


def test_up_exec_status_list_down(suiro: Suiro) -> None:
    name = f"stays-{os.getpid()}"
    started = suiro("lab", "up", "2x1-voq", "--name", name)
    assert (started.stdout, started.stderr) == (f"{name}\n", "")
    try:
        here = suiro("lab", "exec", name, "--host", "host1", "--", "sh", "-c", "hostname; exit 5")
        assert (here.returncode, here.stdout) == (5, "host1\n")
        assert (
            "expected one of host0, host1"
            in suiro("lab", "exec", name, "--host", "x", "--", "true").stderr
        )
        assert len(json.loads(suiro("lab", "status", name, "--json").stdout)["ports"]) == 2
        assert suiro("lab", "status", name).returncode == 0
        for share, code in (("0.1", 0), ("1", 0), ("0", 2), ("1.5", 2), ("half", 2), ("nan", 2)):
            assert suiro("lab", "throttle", name, share).returncode == code
        labs = json.loads(suiro("lab", "list", "--json").stdout)
        assert [lab["spec"] for lab in labs if lab["name"] == name] == ["2x1-voq"]
    finally:
        down = suiro("lab", "down", name)
    assert down.returncode == 0
    assert not (state.root() / name).exists()
    gone = suiro("lab", "down", name)
    assert (gone.returncode, gone.stdout) == (2, "")
    assert f"no lab named {name} is up" in gone.stderr


@pytest.mark.parametrize(
    ("arguments", "env", "exit_code", "message"),
    [
        (["nonsense", "--", "true"], {}, 2, "no lab spec nonsense"),
        (["4x4-hol", "--mpi", "lam", "--", "true"], {}, 2, "expected openmpi or mpich"),
        (["4x4-hol", "--name", "a/b", "--", "true"], {}, 2, "without slashes"),
        (["4x4-hol", "--counters", "/no/where", "--", "true"], {}, 2, "there is no folder"),
        (["4x4-hol", "--", "true"], {"SUIRO_NATIVE_DIR": "/none"}, 3, "run `./dev build`"),
        (["4x4-hol", "--", "no-such-program"], {}, 127, "cannot be run in the lab"),
    ],
)
def test_wrong_use(
    suiro: Suiro, arguments: list[str], env: dict[str, str], exit_code: int, message: str
) -> None:
    result = suiro("lab", "run", *arguments, env=os.environ | env)
    assert result.returncode == exit_code
    assert message in result.stderr
    assert result.stderr.startswith("suiro: ")
    assert result.stderr.count("\n") == 1


def test_a_switch_that_fails(suiro: Suiro, tmp_path: Path) -> None:
    switch = tmp_path / "bin" / "suiro-switch"
    switch.parent.mkdir()
    switch.write_text("#!/bin/sh\necho the ports are rusty >&2\nexit 1\n")
    switch.chmod(0o755)
    (tmp_path / "lib").symlink_to(native.library("libsuiro-lab-openmpi.so").parent)
    env = os.environ | {"SUIRO_NATIVE_DIR": str(tmp_path)}
    result = suiro("lab", "run", "4x4-hol", "--", "true", env=env)
    message = "suiro: the switch did not start: the ports are rusty\n"
    assert (result.returncode, result.stderr) == (3, message)


def test_no_permission(needs_root: None, tmp_path: Path) -> None:
    result = run_as_nobody(tmp_path / "tun", 0o600, "lab", "run", "2x1-voq", "--", "true")
    assert result.returncode == 3
    assert result.stderr.startswith("suiro: /dev/net/tun may not be opened by this user: run as")


def test_without_root(needs_root: None, tmp_path: Path) -> None:
    """With a TAP device that is open to all, as most distributions have it."""
    command = ("lab", "run", "2x1-voq", "--", "ssh", "host1", "hostname")
    result = run_as_nobody(tmp_path / "tun", 0o666, *command)
    assert (result.returncode, result.stdout, result.stderr) == (0, "host1\n", "")


def test_a_switch_of_users_has_memory_for_traffic(needs_root: None, tmp_path: Path) -> None:
    """They may lock 8 MiB as a rule, less than frames need on their way.

    What the probe finds is not looked at: users have no priority, so a busy machine makes it 1.
    """
    command = ("probe", "--switch", "--lab", "4x4-hol")
    result = run_as_nobody(tmp_path / "tun", 0o666, *command)
    assert result.returncode in (0, 1), result.stderr
    assert result.stdout.startswith("switch     ")


def test_two_hosts_on_wires(suiro: Suiro, tmp_path: Path) -> None:
    """Two cables, no switch: both hosts reach each other over each, and there are no counters."""
    spec = tmp_path / "wires.toml"
    spec.write_text(
        '[hosts]\ncount = 2\nranks = 1\n[link]\nrate = ["1G", "1G"]\n[switch]\nmodel = "wire"\n'
    )
    look = "ip route get 10.77.0.2; ip route get 10.78.0.2; suiro-lab-rsh host1 'ip -br address'"
    result = suiro("lab", "run", str(spec), "--", "sh", "-c", look)
    assert result.returncode == 0, result.stderr
    for expected in ("dev eth0 src 10.77.0.1", "dev eth1 src 10.78.0.1", "10.78.0.2/24"):
        assert expected in result.stdout

    spec.write_text(spec.read_text().replace("count = 2", "count = 3"))
    refused = suiro("lab", "run", str(spec), "--", "true")
    assert refused.returncode == 2
    assert "a wire joins two hosts" in refused.stderr
