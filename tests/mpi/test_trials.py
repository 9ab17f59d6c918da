# SPDX-License-Identifier: BSD-3-Clause
"""What is predicted is held against native in the program's own calls."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from mpi_jobs import Mpi

CALLS = 60
SHORT_LIVED = 8  # communicators of trials.c
RANKS = 4  # few enough to foretell at once, however slow the machine is
SLOW = '{"kind": "voq", "link_Bps": 100000}'  # leaders are foretold to be faster there


def run(mpi: Mpi, *options: str, calls: int = CALLS, **more: str) -> list[dict[str, Any]]:
    """Rows of the all-to-alls on MPI_COMM_WORLD and on communicators that end early."""
    outcome = mpi.run(
        [str(mpi.build("trials.c")), str(calls)],
        "--explain=json",
        *options,
        ranks=RANKS,
        SUIRO_CLUSTER_NETWORK=SLOW,
        **more,
    )
    assert outcome.code == 0, outcome.err
    assert outcome.out == "right\n"
    return outcome.explained("alltoall")


def tried(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Native's time over that of what was predicted, by what has won."""
    won = re.compile(r"; tried: ([\d.]+) times")
    stays = {row["algorithm"]: match[1] for row in rows if (match := won.search(row["reason"]))}
    found = {name: float(ratio) for name, ratio in stays.items()}
    for ratio in left(rows).values():
        found["native"] = ratio
    return found


def left(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Native's time over its own, of what was tried and is slower."""
    found = (re.search(r"tried (\S+): ([\d.]+) times", row["reason"]) for row in rows)
    return {match[1]: float(match[2]) for match in found if match}


def test_what_is_slower_than_native_here_is_left(mpi: Mpi) -> None:
    layer = mpi.build("slow_layer.c", "-shared", "-fPIC", name="slow-layer")
    [(algorithm, ratio)] = tried(run(mpi, LD_PRELOAD=str(layer))).items()
    assert algorithm == "native"
    assert ratio < 0.5


def test_what_has_won_is_held_against_others(mpi: Mpi) -> None:
    layer = mpi.build("slow_native.c", "-shared", "-fPIC", name="slow-native")
    outcome = mpi.run(
        [str(mpi.build("trials.c")), "600"],
        "--explain=json",
        ranks=RANKS,
        LD_PRELOAD=str(layer),
        SUIRO_CLUSTER_NETWORK=SLOW,
    )
    assert (outcome.code, outcome.out) == (0, "right\n"), outcome.err
    rows = [row for row in outcome.explained("alltoall") if row["algorithm"] != "native"]
    won = re.compile(r"; tried: [\d.]+ times as fast")
    assert any(won.search(row["reason"]) for row in rows), rows
    assert len({row["algorithm"] for row in rows}) >= 2, rows


def test_one_of_them_wins(mpi: Mpi) -> None:
    rows = run(mpi, calls=1000)
    assert any("trial: native's turn" in row["reason"] for row in rows), "none was begun"
    for algorithm, ratio in tried(rows).items():  # a loser may wait for more calls
        assert ratio <= 1.05 if algorithm == "native" else ratio >= 1


def test_the_next_job_begins_with_what_was_learnt(mpi: Mpi, tmp_path: Path) -> None:
    layer = str(mpi.build("slow_layer.c", "-shared", "-fPIC", name="slow-layer"))
    store = {"SUIRO_STORE": str(tmp_path), "SUIRO_NO_STORE": ""}
    slower = min(left(run(mpi, LD_PRELOAD=layer, **store)))
    [file] = tmp_path.rglob("*.json")
    others = left(run(mpi, LD_PRELOAD=layer, **store))
    assert slower not in others, "tried again"
    record = json.loads(file.read_text())
    for other in set(tmp_path.rglob("*.json")) - {file}:
        samples = json.loads(other.read_text())["samples"]
        assert slower not in {one["candidate"] for one in samples}, "known, and written again"
        other.unlink()
    assert slower in {one["candidate"] for one in record["samples"]}
    record["samples"] = record["samples"][:2]
    native, own = record["samples"]
    own["candidate"], native["seconds"], own["seconds"] = "pairwise", [0.003], [0.001, 0.001]
    file.write_text(json.dumps(record))
    rows = run(mpi, **store)
    said = re.compile(r"measured on [\d-]+: 3.00 times as fast, 2 calls")
    begun = [row for row in rows if said.match(row["reason"]) or "tried pairwise" in row["reason"]]
    assert begun, rows
    waited = [row for row in rows if row["reason"].startswith("ignorance: a prediction")]
    calls = sum(row["calls"] for row in waited)
    assert calls == 2 * SHORT_LIVED, "MPI_COMM_WORLD has none before what is known"
    ran = run(mpi, "--no-store", SUIRO_STORE=str(tmp_path), SUIRO_NO_STORE="")
    assert not [row for row in ran if said.match(row["reason"])]
    kept = {path: path.read_text() for path in tmp_path.rglob("*.json")}
    run(mpi, "--no-store", LD_PRELOAD=layer, SUIRO_STORE=str(tmp_path), SUIRO_NO_STORE="")
    assert kept == {path: path.read_text() for path in tmp_path.rglob("*.json")}


def test_what_was_learnt_over_one_transport_is_not_told_over_another(tmp_path: Path) -> None:
    mpi = Mpi("openmpi", tmp_path)
    layer = str(mpi.build("slow_layer.c", "-shared", "-fPIC", name="slow-layer"))
    folder = tmp_path / "store"
    store = {"SUIRO_STORE": str(folder), "SUIRO_NO_STORE": "", "LD_PRELOAD": layer}
    accepted = {"SUIRO_WRONG_OFFSETS": "accept"}  # so that Open MPI 4.1.4 uses the transport, too

    def over_ours() -> list[dict[str, Any]]:
        return run(mpi, "--transport", "suiro", **store, **accepted)

    slower = min(left(over_ours()))
    [ours] = folder.rglob("*.json")
    assert "FI_PROVIDER=suiro" in json.loads(ours.read_text())["key"]["transport"]
    assert slower in left(run(mpi, **store)), "nothing is known of the MPI's own transport"
    [other] = set(folder.rglob("*.json")) - {ours}
    assert "FI_PROVIDER=suiro" not in json.loads(other.read_text())["key"]["transport"]
    assert slower not in left(over_ours()), "tried again"


def test_reductions_are_tried_where_the_user_says_so(an_mpi: Mpi) -> None:
    program = an_mpi.build("reductions_tried.c")

    def reasons(*options: str) -> list[str]:
        outcome = an_mpi.run(
            program, "--explain=json", *options, ranks=8, SUIRO_CLUSTER_NETWORK=SLOW
        )
        assert (outcome.code, outcome.out) == (0, "right\n"), outcome.err
        return [row["reason"] for row in outcome.explained("allreduce")]

    def waits(reason: str) -> bool:
        return "a prediction would take longer" in reason

    assert not any(map(waits, reasons())), "the first call decides"
    assert any(map(waits, reasons("--learn", "reductions"))), "native has the first calls"
    assert not any(map(waits, reasons("--reproducible")))


def test_nobody_is_made_to_learn(an_mpi: Mpi) -> None:
    rows = run(an_mpi, "--no-learn")
    assert not tried(rows)
    assert max(row["calls"] for row in rows if row["algorithm"] != "native") >= CALLS - 10


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a host another name")
def test_nodes_of_which_one_alone_is_crowded(mpi: Mpi, tmp_path: Path) -> None:
    """All ranks must be told in the same way, however each waits."""
    other = tmp_path / "other"
    other.write_text(
        "#!/bin/sh\nexport OMPI_MCA_mpi_yield_when_idle=0\n"
        """exec unshare -u sh -c 'hostname another; exec "$@"' sh "$@"\n"""
    )
    other.chmod(0o700)
    words = [str(mpi.build("trials.c")), str(CALLS)]
    crowd = 2 * (os.cpu_count() or 1)
    outcome = mpi.run(
        [*words, ":", "-n", "1", str(other), *words],
        "--explain=json",
        ranks=crowd,
        SUIRO_CLUSTER_NETWORK=SLOW,
    )
    assert (outcome.code, outcome.out) == (0, "right\n"), outcome.err
    reasons = [row["reason"] for row in outcome.explained("alltoall")]
    assert any("predicted" in reason or "perhaps" in reason for reason in reasons), reasons
