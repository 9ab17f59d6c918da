# SPDX-License-Identifier: BSD-3-Clause
"""All ranks decide alike, whatever one of them made of its floating-point arithmetic."""

import platform

import pytest
from mpi_jobs import Mpi

# So slow that the first calls pay for predictions.
NETWORK = {"SUIRO_CLUSTER_NETWORK": '{"kind": "voq", "link_Bps": 10000}'}
KINDS = [["upward", "early"], ["downward"], ["towardzero"], ["trap"]]
if platform.machine() == "x86_64":
    KINDS.append(["flush", "early"])


@pytest.mark.parametrize("kind", KINDS, ids=" ".join)
def test_one_rank_with_other_arithmetic(openmpi: Mpi, kind: list[str]) -> None:
    program = [str(openmpi.build("arithmetic.c", "-lm")), *kind]
    outcome = openmpi.run(program, "--explain=json", ranks=6, **NETWORK)
    assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok", []), outcome.err
    rows = outcome.explained()
    assert any(row["reason"].startswith("predicted: ") for row in rows)
    keys = [(row["collective"], tuple(row["bytes"] or ())) for row in rows]
    assert len(keys) == len(set(keys)), "ranks differ in what they ran"


@pytest.mark.parametrize("kind", ["upward", "trap"])
def test_verdicts_of_trials_with_other_arithmetic(openmpi: Mpi, kind: str) -> None:
    program = [str(openmpi.build("arithmetic.c", "-lm")), kind, "trials"]
    layer = openmpi.build("slow_native.c", "-shared", "-fPIC", name="slow-native")
    outcome = openmpi.run(program, "--explain=json", ranks=4, LD_PRELOAD=str(layer), **NETWORK)
    assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok", []), outcome.err
    assert any("; tried: " in row["reason"] for row in outcome.explained("alltoall"))
