# SPDX-License-Identifier: BSD-3-Clause
"""What jobs show is kept, and told to the next one on the same nodes."""

import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from suiro.run.lessons import Lessons
from suiro.tune import store
from suiro.tune.transport import AS_IT_COMES, transport_named, variables_of_ranks

HOSTS = {"a", "b"}
MPI = "Open MPI v4.1.4, package: Debian"
TCP = {"OMPI_MCA_btl": "tcp,self", "OMPI_MCA_ess_base_jobid": "7"}
TOLD: dict[str, Any] = {
    "mpi": MPI,
    "variables": TCP,
    "collective": "alltoall",
    "bytes": 4096,
    "node_of_rank": [0, 0, 1, 1],
    "candidate": "two_level_ring",
    "native_s": [3e-3, 3e-3, 4e-3],
    "candidate_s": [1e-3, 1e-3],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SUIRO_STORE", str(tmp_path))
    monkeypatch.delenv("SUIRO_LAB_SPEC", raising=False)
    return tmp_path


def job(
    *told: dict[str, Any],
    hosts: set[str] = HOSTS,
    mpi: str = MPI,
    variables: dict[str, str] = TCP,
) -> list[dict[str, Any]]:
    """What a job hears that shows this."""
    lessons = Lessons()
    heard = lessons.recall(hosts, {"mpi": mpi, "variables": variables})
    for one in told:
        lessons.take(hosts, one)
    lessons.keep()
    return heard


def test_the_next_job_hears_of_it(folder: Path) -> None:
    slower = TOLD | {"candidate": "pairwise:segment=64", "candidate_s": [5e-3, 5e-3]}
    assert job(TOLD, slower) == []
    [lesson] = job(TOLD)
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    assert lesson == {
        "collective": "alltoall",
        "bytes": 4096,
        "node_of_rank": [0, 0, 1, 1],
        "faster": "two_level_ring",
        "reason": f"measured on {today}: 3.00 times as fast, 2 calls",
        "slower": ["pairwise"],
    }
    assert len(list(folder.rglob("*.json"))) == 1, "what is known is not kept again"
    assert job(TOLD | {"candidate_s": [9e-3]}) == [lesson]
    [changed] = job()
    assert (changed["faster"], changed["slower"]) == ("", ["pairwise", "two_level_ring"])


def test_a_clock_that_was_ahead_does_not_beat_all_that_follows(folder: Path) -> None:
    job(TOLD)
    [path] = folder.rglob("*.json")
    path.write_text(path.read_text().replace(f'"at":"{datetime.now(UTC):%Y}', '"at":"2999'))
    assert job(TOLD) == []
    [lesson] = job(TOLD | {"bytes": 1})
    assert len(job()) == 2, "nor does it make what follows spare"
    assert lesson["faster"] == "two_level_ring"


def test_others_do_not_hear_of_it() -> None:
    job(TOLD)
    assert job(hosts={"a", "c"}) == []
    assert job(mpi="Open MPI v5.0.0, package: Debian") == []
    assert job(variables={}) == []
    assert job(variables={"OMPI_MCA_btl": "vader,self"}) == []
    assert len(job(variables=TCP | {"OMPI_MCA_ess_base_jobid": "8", "UCX_LOG_LEVEL": "x"})) == 1
    assert len(job()) == 1


def test_what_is_old_is_not_told_and_goes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job(TOLD)
    key = store.Key(
        cluster=store.cluster_named(HOSTS), mpi=store.mpi_named(MPI), family="suiro",
        transport="OMPI_MCA_btl=tcp,self", node_of_rank=[0, 1], collective="bcast", root=0,
    )  # fmt: skip
    tuned = store.write(key, [store.Sample(bytes=64, candidate="default", seconds=[2e-3])])
    [learnt] = set(folder.rglob("*.json")) - {tuned}
    monkeypatch.setattr("suiro.run.lessons._DAYS_MAX", -1)
    assert job() == []
    assert learnt.exists(), "a job that has nothing to keep changes nothing"
    assert job(TOLD) == []
    assert not learnt.exists()
    assert tuned.exists()
    assert len(list(folder.rglob("*.json"))) == 2


def test_what_later_files_tell_goes(folder: Path) -> None:
    other = TOLD | {"candidate": "pairwise"}
    job(TOLD)
    [first] = folder.rglob("*.json")
    job(TOLD | {"candidate_s": [9e-3, 9e-3]})  # it is slower by now
    assert first.exists(), "who reads it at the same time still finds it"
    job(other)
    assert not first.exists()
    assert len(list(folder.rglob("*.json"))) == 2
    [lesson] = job()
    assert (lesson["faster"], lesson["slower"]) == ("pairwise", ["two_level_ring"])


def test_there_are_no_more_files_than_a_job_can_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("suiro.run.lessons._FILES_MAX", 3)
    for size in range(1, 8):
        job(TOLD | {"bytes": size})
    assert len(list(folder.rglob("*.json"))) == 4, "three, and what the last one wrote"
    assert {lesson["bytes"] for lesson in job()} == {4, 5, 6, 7}


def test_what_was_tuned_is_told_by_its_last_round() -> None:
    key = store.Key(
        cluster=store.cluster_named(HOSTS), mpi=store.mpi_named(MPI), family="suiro",
        transport="OMPI_MCA_btl=tcp,self", node_of_rank=[0, 1], collective="bcast", root=0,
    )  # fmt: skip
    samples = [
        store.Sample(bytes=64, candidate="default", seconds=[2e-3]),
        store.Sample(bytes=64, candidate="binary", seconds=[1e-3]),
        store.Sample(bytes=64, candidate="default", seconds=[2e-3, 2e-3], final=True),
        store.Sample(bytes=64, candidate="pipeline", seconds=[1e-3, 1e-3], final=True),
    ]
    store.write(key, samples)
    store.write(key.model_copy(update={"family": "native", "collective": "gather"}), samples)
    [lesson] = job()
    assert (lesson["collective"], lesson["faster"]) == ("bcast", "pipeline")


def test_a_candidate_is_held_against_native_of_its_own_trial() -> None:
    """Of two trials of a job, between which the machine became three times as slow."""
    slower = TOLD | {"candidate": "pairwise", "native_s": [1e-3], "candidate_s": 2 * [1.5e-3]}
    later = TOLD | {"native_s": [3e-3], "candidate_s": [2e-3]}
    job(slower, later)
    [lesson] = job()
    assert (lesson["faster"], lesson["slower"]) == ("two_level_ring", ["pairwise"])


def test_what_a_launcher_says_of_its_transport_is_what_its_ranks_say() -> None:
    words = shlex.split("mpirun -np 2 --mca btl tcp,self -x UCX_TLS=tcp ./a -x UCX_TLS=sm")
    ranks = variables_of_ranks({"OMPI_MCA_btl": "vader", "HOME": "/x"}, words, "openmpi5")
    assert transport_named(ranks) == "OMPI_MCA_btl=tcp,self UCX_TLS=tcp"
    words = ["mpiexec", "-genv", "FI_PROVIDER", "tcp", "-genv", "UCX_TLS=sm", "-n", "1", "x"]
    assert transport_named(variables_of_ranks({}, words, "mpich")) == "FI_PROVIDER=tcp UCX_TLS=sm"
    assert transport_named({"FI_PROVIDER_PATH": "/", "SUIRO_NET_EXPLAIN": "on"}) == AS_IT_COMES
    assert store.mpi_named("MPICH Version:\t4.0.2\nMPICH Release date: x") == "MPICH Version: 4.0.2"


def test_two_jobs_under_one_command() -> None:
    lessons = Lessons()
    assert lessons.recall(HOSTS, TOLD) == []
    lessons.take(HOSTS, TOLD)
    assert len(lessons.recall(HOSTS, TOLD)) == 1


@pytest.mark.parametrize("broken", ["", "{}", '{"version": 2}', "\0" * 100])
def test_a_broken_file_is_named_and_left_out(
    broken: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job(TOLD)
    [file] = folder.rglob("*.json")
    (file.parent / "broken.json").write_text(broken)
    assert len(job()) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"suiro: {file.parent}/broken.json is left out: ")
    assert said.count("\n") == 1


def test_no_place_for_it_is_told_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / "file"
    file.write_text("")
    monkeypatch.setenv("SUIRO_STORE", str(file))
    job(TOLD, TOLD | {"collective": "bcast"})
    said = capsys.readouterr().err
    assert said.startswith("suiro: what the job has learnt is lost: ")
    assert said.count("\n") == 1
    monkeypatch.setenv("SUIRO_STORE", "")
    monkeypatch.setenv("HOME", "")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert job(TOLD) == []
    assert capsys.readouterr().err == ""


def test_what_is_no_sample_is_refused() -> None:
    for wrong in ({"collective": 7}, {"native_s": []}, {"candidate_s": [-1.0]}, {"bytes": -1}):
        with pytest.raises((ValueError, TypeError)):
            Lessons().take(HOSTS, TOLD | wrong)


def test_one_late_call_keeps_nothing_from_later_jobs() -> None:
    late = TOLD | {"candidate": "pairwise", "native_s": [1e-3], "candidate_s": [1.5e-3]}
    much = late | {"candidate": "ring", "candidate_s": [3e-3]}
    job(late, much)
    [lesson] = job()
    assert lesson["slower"] == ["ring"]
