# SPDX-License-Identifier: BSD-3-Clause
"""Two hosts of a lab that do not have the same build of suiro, or one that has none."""

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from lab_command import SUIRO, Suiro

from suiro import native

pytestmark = pytest.mark.lab

_WRAPPER = """#!/bin/sh
host1_has=$1
shift
if [ "$(hostname)" = host1 ]; then
  case $host1_has in
    other) export LD_PRELOAD=$(echo "$LD_PRELOAD" | sed s,{ours},{other},) ;;
    none) unset LD_PRELOAD ;;
  esac
fi
exec "$@"
"""


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_hosts_that_differ_run_natively(
    suiro: Suiro, hello: Callable[[str], Path], tmp_path: Path, mpi: str
) -> None:
    ours = native.library(f"libsuiro-{mpi}.so")
    other = tmp_path / ours.name
    other.write_bytes(ours.read_bytes().replace(native.build_of(ours).encode(), b"0" * 16))
    wrapper = tmp_path / "wrapper"
    wrapper.write_text(_WRAPPER.format(ours=ours, other=other))
    wrapper.chmod(0o755)
    program = hello(mpi)
    run = f"timeout 50 {shlex.join(SUIRO)} run --alltoall ring"
    script = "; ".join(
        f"{run} {option} -- $SUIRO_LAB_MPIRUN {wrapper} {host1_has} {program} || exit 1"
        for host1_has, option in (("other", ""), ("none", ""), ("other", "--transport suiro"))
    )
    done = suiro("lab", "run", "2x1-wire", "--mpi", mpi, "--", "sh", "-c", script, timeout=170)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("rank 1 on host1") == 3
    build = native.build_of(ours)
    differ = [
        f"suiro: the library on {a} is of build {one}, not of {another} as on {b}; "
        "all ranks use native collectives"
        for a, one, b, another in (
            ("host1", "0" * 16, "host0", build),
            ("host0", build, "host1", "0" * 16),
        )
    ]
    said = [line for line in done.stderr.splitlines() if "all ranks use native" in line]
    assert [line in differ for line in said] == [True, False, True], said
    assert said[1].startswith("suiro: 1 of 2 ranks runs without the library"), said
