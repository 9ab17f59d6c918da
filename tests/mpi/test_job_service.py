# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that are not alike: without the library, with other settings, without a service."""

import json
import os
import shlex
import signal
import time
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from mpi_jobs import ENVIRONMENT, SUIRO, Mpi, execute

from suiro.run import job
from suiro.run.report import Reports

RING = {"SUIRO_ALLTOALL": "ring"}


def script(folder: Path, text: str) -> str:
    """A wrapper around the program, run by every rank; $rank is its rank."""
    path = folder / "wrapper.sh"
    path.write_text(f'#!/bin/sh\nrank=${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}\n{text}\nexec "$@"\n')
    path.chmod(0o755)
    return str(path)


def endings(mpi: Mpi) -> str:
    return str(mpi.build("endings.c", name="plain"))


def test_ranks_whose_children_live_on(mpi: Mpi) -> None:
    """Until the rank itself has ended; it hung in MPI_Finalize."""
    outcome = mpi.run([endings(mpi), "fork"], "--explain=json", **RING)
    assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok", [])
    assert outcome.explained()


def test_ranks_without_the_library(mpi: Mpi, tmp_path: Path) -> None:
    wrapper = script(tmp_path, '[ "$rank" -ge 2 ] && unset LD_PRELOAD')
    outcome = mpi.run([wrapper, endings(mpi)], **RING)
    assert (outcome.code, outcome.out.strip()) == (0, "ok")
    assert len(outcome.said()) == 1
    assert "2 of 4 ranks run without the library" in outcome.said()[0]


def test_rule_file_that_is_wrong_on_one_rank_only(mpi: Mpi, tmp_path: Path) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text("[\n")
    wrapper = script(tmp_path, f'[ "$rank" = 1 ] && export SUIRO_RULES={rules}')
    outcome = mpi.run([wrapper, endings(mpi)], **RING)
    assert (outcome.code, outcome.out.strip()) == (0, "ok")
    assert len(outcome.said()) == 1
    assert outcome.said()[0].startswith("suiro: rank 1 on ")
    assert f"{rules}:" in outcome.said()[0]
    assert outcome.said()[0].endswith("; all ranks use native collectives")


def test_settings_that_differ(mpi: Mpi, tmp_path: Path) -> None:
    wrapper = script(tmp_path, '[ "$rank" = 3 ] && export SUIRO_ALLTOALL=pairwise')
    outcome = mpi.run([wrapper, endings(mpi)], **RING)
    assert (outcome.code, outcome.out.strip()) == (0, "ok")
    assert len(outcome.said()) == 1
    assert outcome.said()[0].startswith("suiro: rank 3 on ")


def test_unknown_algorithm_is_one_message(mpi: Mpi) -> None:
    outcome = mpi.run([endings(mpi)], SUIRO_ALLTOALL="rong")
    assert (outcome.code, outcome.out.strip()) == (0, "ok")
    assert len(outcome.said()) == 1
    assert 'did you mean "ring"?' in outcome.said()[0]


def test_sites_that_name_other_hosts(mpi: Mpi) -> None:
    outcome = mpi.run([endings(mpi)], SUIRO_SITES="rubbish")
    assert (outcome.code, outcome.out.strip()) == (0, "ok")
    (line,) = outcome.said()
    assert line.startswith("suiro: SUIRO_SITES does not name ")


def test_service_out_of_reach_of_one_rank(mpi: Mpi, tmp_path: Path) -> None:
    wrapper = script(tmp_path, '[ "$rank" = 1 ] && export SUIRO_JOB=127.0.0.1:1')
    outcome = mpi.run([wrapper, endings(mpi)], **RING)
    assert (outcome.code, outcome.out.strip()) == (0, "ok")
    assert "1 of 4 ranks runs without the library or cannot reach" in outcome.said()[0]


def test_wrong_token_is_not_believed(mpi: Mpi, tmp_path: Path) -> None:
    wrapper = script(tmp_path, "export SUIRO_TOKEN=00000000000000000000000000000000")
    outcome = mpi.run([wrapper, endings(mpi)], **RING)
    assert (outcome.code, outcome.out.strip()) == (0, "ok")
    assert any("cannot reach `suiro run`" in line for line in outcome.said())


def test_token_is_on_no_command_line(mpi: Mpi, tmp_path: Path) -> None:
    found = tmp_path / "found"
    text = f'cat /proc/[0-9]*/cmdline | tr "\\0" "\\n" | grep -c "$SUIRO_TOKEN" > {found}'
    outcome = mpi.run([script(tmp_path, text), endings(mpi)], ranks=1)
    assert outcome.code == 0
    # The searching grep itself has it on its command line, if it was there in time.
    assert int(found.read_text()) <= 1


def test_explicit_preload_without_service(mpi: Mpi) -> None:
    """The user vouches for all ranks; they agree among themselves."""
    from suiro.native import library

    preload = str(library(f"libsuiro-{mpi.name}.so"))
    option = (
        ["-x", f"LD_PRELOAD={preload}"]
        if mpi.name == "openmpi"
        else ["-genv", "LD_PRELOAD", preload]
    )
    launcher = mpi.launcher(4)
    words = [launcher[0], *option, *launcher[1:], endings(mpi)]
    assert execute(words, **RING).out.strip() == "ok"
    wrong = execute(words, SUIRO_ALLTOALL="rong")
    assert (wrong.code, wrong.out.strip(), len(wrong.said())) == (0, "ok", 1)
    wrong = execute(words, SUIRO="maybe", **RING)
    assert [line.partition(": ")[2].partition(": ")[2] for line in wrong.said()] == [
        "SUIRO=maybe: expected on or off; all ranks use native collectives"
    ]
    assert execute(words, SUIRO="no", SUIRO_ALLTOALL="rong").said() == []


def test_abort_and_crash_end_the_job(mpi: Mpi) -> None:
    assert mpi.run([endings(mpi), "abort"], **RING).code == 7
    assert mpi.run([endings(mpi), "crash"], **RING).code != 0
    assert mpi.run([endings(mpi), "exit"], **RING).code != 0


def test_scripts_start_launchers(mpi: Mpi) -> None:
    command = " ".join([*mpi.launcher(4), endings(mpi)])
    text = f"{command} && {command}; env"
    outcome = execute([*SUIRO, "run", "--explain=json", "--", "sh", "-c", text], **RING)
    assert outcome.code == 0
    assert outcome.out.splitlines().count("ok") == 2
    assert "LD_PRELOAD" not in outcome.out
    assert [(row["calls"], row["algorithm"]) for row in outcome.explained()] == [(2, "ring")]


def test_two_jobs_at_once(openmpi: Mpi, tmp_path: Path) -> None:
    """Each with a session folder of its own: two launchers of Open MPI 4.1 that make and remove the
    same one at once fail now and then."""
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    command = " ".join([*openmpi.launcher(2), endings(openmpi)])
    one, two = (f"OMPI_MCA_orte_tmpdir_base={folder} {command}" for folder in folders)
    text = f"{one} & {two}; wait"
    outcome = execute([*SUIRO, "run", "--explain=json", "--", "sh", "-c", text], **RING)
    assert outcome.out.splitlines().count("ok") == 2
    assert outcome.said() == []
    assert [row["algorithm"] for row in outcome.explained()] == ["ring"]


def test_program_without_launcher(mpi: Mpi) -> None:
    outcome = execute([*SUIRO, "run", "--explain=json", "--", endings(mpi)], **RING)
    assert (outcome.code, outcome.out.strip()) == (0, "ok")
    assert outcome.explained()[0]["reason"] == "one node: nothing crosses the network"


def test_trace_has_a_line_per_call_and_rank(mpi: Mpi, tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    assert mpi.run([endings(mpi)], "--trace", str(trace), **RING).code == 0
    lines = [json.loads(line) for line in trace.read_text().splitlines()]
    assert sorted(line["rank"] for line in lines) == [0, 0, 1, 1, 2, 2, 3, 3]
    assert {line["algorithm"] for line in lines} == {"ring"}
    assert {line["bytes"] for line in lines} == {4}


def test_both_mpis_are_told_apart(openmpi: Mpi) -> None:
    program = str(Mpi("mpich", openmpi.folder).build("endings.c", name="plain"))
    outcome = openmpi.run([program], ranks=1)
    assert outcome.code == 0
    assert "plain.mpich uses MPICH, but mpirun.openmpi belongs to Open MPI" in outcome.said()[0]
    strict = openmpi.run([program], "--strict", ranks=1)
    assert (strict.code, strict.out) == (3, "")


def test_not_an_mpi_program(openmpi: Mpi) -> None:
    outcome = openmpi.run(["hostname"], ranks=1)
    assert outcome.out.strip() == os.uname().nodename
    assert outcome.said() == ["suiro: hostname is not an MPI program; the command runs unchanged"]


def test_a_trace_that_cannot_be_written_is_told(openmpi: Mpi) -> None:
    for explain in ([], ["--explain"]):
        outcome = openmpi.run([endings(openmpi)], *explain, "--trace", "/dev/full", **RING)
        assert (outcome.code, outcome.out.strip()) == (1, "ok")
        told = "suiro: --trace /dev/full: not all could be written: No space left on device"
        assert [line.rstrip() for line in outcome.said()] == [
            *(["suiro: what ran"] if explain else []),
            told,
        ]
    assert openmpi.run([endings(openmpi), "abort"], "--trace", "/dev/full", **RING).code == 7


def test_ranks_that_end_early_are_missed(openmpi: Mpi) -> None:
    outcome = openmpi.run([endings(openmpi), "abort"], "--explain", **RING)
    assert outcome.code == 7
    assert any("4 of the ranks ended before MPI_Finalize" in line for line in outcome.said())


def test_nobody_takes_messages(openmpi: Mpi) -> None:
    """A rank that writes them itself, to a pipe whose reader is gone."""
    words = shlex.join([*SUIRO, "run", "--explain", "--", endings(openmpi)])
    for error in ("2>&-", "2> /dev/full", "2> >(exec true)"):
        shell = ["bash", "-c", f"SUIRO_ALLTOALL=rong {words} {error}"]
        assert execute(shell).code == 0


def test_addresses_that_lead_nowhere(mpi: Mpi, tmp_path: Path) -> None:
    """In front of the right one, as those of containers would be."""
    text = 'SUIRO_JOB="[::1]:1,127.0.0.1:1,127.0.0.2:1,$SUIRO_JOB"; export SUIRO_JOB'
    outcome = mpi.run([script(tmp_path, text), endings(mpi)], "--explain=json", **RING)
    assert (outcome.code, outcome.said()) == (0, [])
    assert [row["algorithm"] for row in outcome.explained()] == ["ring"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_what_ranks_had_told_of_a_job_that_is_ended(
    number: signal.Signals,
    an_mpi: Mpi,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Once all ranks have told: `suiro run` gets SIGTERM, the launcher SIGKILL, and both SIGINT, as
    from a terminal."""
    for name, value in (
        ENVIRONMENT | {"SUIRO_EXPLAIN": "1", "SUIRO_BCAST": "node_pipeline"}
    ).items():
        monkeypatch.setenv(name, value)
    made: list[Reports] = []

    class Kept(Reports):
        def __init__(self, *given: Any, **more: Any) -> None:
            super().__init__(*given, **more)
            made.append(self)

    def end() -> None:
        for _ in range(1200):
            rows = list(made[0]._rows.values()) if made else []
            if any(len(sums.told) == 2 for sums in rows):
                break
            time.sleep(0.05)
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        if number is not signal.SIGKILL:
            os.kill(os.getpid(), number)
        if number is not signal.SIGTERM:
            os.kill(int(children[0]), number)

    monkeypatch.setattr(job, "Reports", Kept)
    words = [*an_mpi.launcher(2), str(an_mpi.build("killed.c")), "bcast", "100000"]
    Thread(target=end).start()
    code = job.run(words, job.Options(explain="table"))
    assert code != 0 or number is signal.SIGINT, "Hydra ends with 0 then"
    said = capfd.readouterr().err
    assert "of the ranks ended before MPI_Finalize" in said and "what they had told" in said
    assert "suiro: what ran" in said and "node_pipeline" in said
