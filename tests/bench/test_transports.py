# SPDX-License-Identifier: BSD-3-Clause
"""Comparing transports: real jobs in turns, ratios against ours, errors before anything starts."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from suiro.bench.links import links_here, over_links, parse_links
from suiro.bench.transports import (
    TRANSPORTS,
    Comparison,
    Comparisons,
    compare,
    generation_of,
    parse_transports,
)
from suiro.bench.workloads import KERNELS, Workload, parse_kernels, parse_program
from suiro.cli.main import app
from suiro.errors import SuiroError, UsageError


def compared(workload: Workload, jobs: int = 1, launcher: str = "mpirun") -> Comparison:
    """On one machine, over what Open MPI has."""
    return compare(
        workload,
        mpi="openmpi",
        prefix=[launcher, "--oversubscribe", "--allow-run-as-root", "-np", "4"],
        transports=parse_transports("openmpi", ["tcp", "tcp:OMPI_MCA_btl=self+vader"]),
        jobs=jobs,
    )


def test_the_document_says_where_it_comes_from() -> None:
    words = ["--transports", "tcp", "--repeat", "1", "--program", "true", "--json"]
    launcher = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-np", "2"]
    answer = CliRunner().invoke(app, ["bench-transport", *words, "--", *launcher])
    document = Comparisons.model_validate_json(answer.stdout)
    assert document.machine.mpi.startswith("Open MPI 4")
    assert document.command.startswith("suiro") and document.measured_at
    assert [row.transport for row in document.comparisons[0].rows] == ["tcp"]


@pytest.mark.every
def test_every_kernel_runs() -> None:
    names = ",".join(name for name in KERNELS if name not in ("receive", "send", "resume"))
    for kernel in parse_kernels(names, [100], calls=2):
        first, second = compared(kernel).rows
        assert first.seconds > 0
        assert first.ratio is None
        assert second.ratio == pytest.approx(second.seconds / first.seconds)


def test_a_program_tells_its_time() -> None:
    """Or it does not, and the job's time is taken."""
    program = "sh -c 'echo seconds = 0.25'"
    result = compared(parse_program(program, r"^seconds = (\S+)"), jobs=2)
    assert (result.kernel, result.bytes, result.calls) == (program, None, 1)
    assert [row.seconds for row in result.rows] == [0.25, 0.25]
    assert [row.processor_s for row in result.rows] == [None, None]
    assert compared(parse_program("sleep 0.1", None)).rows[0].seconds > 0.1


def test_a_program_that_tells_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """The message names the program and the transport; what a failed one printed is shown."""
    with pytest.raises(SuiroError, match=r"^true over tcp printed nothing that --seconds-from"):
        compared(parse_program("true", "seconds (.*)"))
    for told in ("soon", "0.00", "nan", "inf", ""):
        with pytest.raises(SuiroError, match=f'over tcp told "{told}", where a number'):
            compared(parse_program(f"echo in {told}", r"in ?(\S+)?"))
    with pytest.raises(SuiroError, match="over tcp ended with exit code 3"):
        compared(parse_program("sh -c 'echo heard; exit 3'", None))
    assert "heard" in capfd.readouterr().err


def test_a_launcher_that_is_not_there() -> None:
    with pytest.raises(UsageError, match='launcher "nowhere": no such file'):
        compared(parse_program("true", None), launcher="nowhere")


def test_wrong_workloads_are_refused() -> None:
    for program, pattern, message in (
        ("'", None, "no closing quotation"),
        ("", None, "is empty"),
        ("app", "seconds", "expected one group"),
        ("app", "(", "unterminated subpattern"),
    ):
        with pytest.raises(UsageError, match=message):
            parse_program(program, pattern)
    with pytest.raises(UsageError, match='--kernels "lu": there are pingpong, '):
        list(parse_kernels("is,lu", [100], calls=1))


def test_unknown_transports_are_refused() -> None:
    """The message lists what there is."""
    for mpi, known in TRANSPORTS.items():
        parse_transports(mpi, list(known))
        with pytest.raises(UsageError, match="there are suiro, "):
            parse_transports(mpi, ["carrier-pigeon"])


def test_each_transport_over_so_many_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over one link there is only one policy."""
    monkeypatch.setenv("SUIRO_NETS", "eth0,10.1.0.0/16")
    chosen = parse_transports("openmpi", ["suiro", "suiro:SUIRO_NET_RAILS=static", "tcp"])
    made = over_links(chosen, parse_links("1,2"), links_here())
    assert [one.label for one in made] == [
        "suiro, 1 link",
        "tcp, 1 link",
        "suiro, 2 links",
        "suiro:SUIRO_NET_RAILS=static, 2 links",
        "tcp, 2 links",
    ]
    assert made[1].variables == {"OMPI_MCA_btl_tcp_if_include": "eth0"}
    assert made[3].variables == {"SUIRO_NET_RAILS": "static", "SUIRO_NETS": "eth0,10.1.0.0/16"}


def test_links_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in ("0", "", "1,,2", "two", "-1", "2,2"):
        with pytest.raises(UsageError, match="--links"):
            parse_links(wrong)
    monkeypatch.delenv("SUIRO_NETS", raising=False)
    with pytest.raises(UsageError, match="in SUIRO_NETS"):
        links_here()
    tcp = parse_transports("openmpi", ["tcp"])
    with pytest.raises(UsageError, match="--links 3: there are 2: a, b"):
        over_links(tcp, [3], ["a", "b"])
    with pytest.raises(UsageError, match="not libfabric-tcp"):
        over_links(parse_transports("openmpi", ["libfabric-tcp"]), [1], ["a"])


def test_variables() -> None:
    """What comes after a transport's name changes its settings, and nothing else."""
    label = "suiro:SUIRO_NETS=eth0+eth1:SUIRO_NET_RAILS=static"
    (ours,) = parse_transports("openmpi", [label])
    assert ours.name == "suiro"
    assert ours.variables == {"SUIRO_NETS": "eth0,eth1", "SUIRO_NET_RAILS": "static"}
    for wrong in ("suiro:", "suiro:static", "suiro:=1"):
        with pytest.raises(UsageError, match="expected suiro:VARIABLE=VALUE"):
            parse_transports("openmpi", [wrong])
    with pytest.raises(UsageError, match="twice"):
        parse_transports("openmpi", ["tcp", "tcp"])
    with pytest.raises(UsageError, match='no variable SUIRO_NET_RAIL; did you mean "SUIRO_NET_RA'):
        parse_transports("openmpi", ["suiro:SUIRO_NET_RAIL=static"])
    with pytest.raises(SuiroError, match="SUIRO_NET_RAILS=one: expected balanced, static or"):
        parse_transports("openmpi", ["suiro:SUIRO_NET_RAILS=one"])


@pytest.mark.parametrize(
    ("says", "given", "found"),
    [
        ("mpirun (Open MPI) 4.1.4", None, "openmpi"),
        ("mpirun (Open MPI) 5.0.11", "openmpi5", "openmpi5"),
        ("HYDRA build details:\n Version: 5.0.2", None, "mpich5"),
        ("something else", "mpich5", "mpich5"),
        ("HYDRA build details:\n Version: 4.0.2", None, "is of MPICH 4.0.2: give one of Open MPI"),
        ("Intel(R) MPI Library, Version 2021.18", None, "is of Intel MPI 2021.18: give one of"),
        ("mpirun (Open MPI) 4.1.4", "openmpi5", "--mpi openmpi5, but .* is of Open MPI 4.1.4"),
        ("something else", None, "cannot tell which MPI .* belongs to: give --mpi"),
        ("prterun (PRRTE) 3.0.14", "openmpi5", "openmpi5"),
    ],
)
def test_launchers_know_which_transports_there_are(
    says: str, given: str | None, found: str, tmp_path: Path
) -> None:
    launcher = tmp_path / "mpirun"
    launcher.write_text(f"#!/bin/sh\necho '{says}'\n")
    launcher.chmod(0o755)
    if found in TRANSPORTS:
        assert generation_of([str(launcher)], given) == found
    else:
        with pytest.raises(UsageError, match=found):
            generation_of([str(launcher)], given)
