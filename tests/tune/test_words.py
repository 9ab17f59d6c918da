# SPDX-License-Identifier: BSD-3-Clause
"""What cannot work is said before anything is started."""

import pytest
from typer.testing import CliRunner

from suiro.cli.main import app
from suiro.errors import UsageError


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["bcat"], 'no collective "bcat"'),
        (["gatherv"], "equal blocks"),
        (["barrier"], "with data"),
        (["gather", "--native"], "cannot safely choose by size"),
        (["bcast", "--strategy", "d"], "--strategy d: expected a, b or c"),
        (["bcast", "--sizes", "nothing"], "not a size"),
        (["bcast", "--budget", "soon"], "give a time"),
        (["bcast", "--export", "openmpi:x"], "add --native"),
        (["bcast", "--export", "mpich:x"], "add --native"),
        (["bcast", "--native", "--export", "suiro:x"], "leave out --native"),
        (["allreduce", "--root", "1"], "has none"),
        (["bcast", "--without", "pipelin"], 'did you mean "pipeline"?'),
        (["bcast", "--native", "--without", "lanes"], "nothing of that name would be tried"),
        (["bcast", "--plot", "/none/x.svg"], "--plot /none/x.svg: there is no folder /none"),
        (["bcast", "--export", "suiro:/none/x"], "--export /none/x: there is no folder /none"),
        (
            ["bcast", "--mpi", "opnmpi"],
            '--mpi opnmpi: expected openmpi or mpich; did you mean "openm',
        ),
        (["bcast", "--export", "suro:x"], '; did you mean "suiro"?'),
        (["bcast"], "no launcher"),
    ],
)
def test_what_is_wrong(arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUIRO_LAB_MPIRUN", raising=False)
    result = CliRunner().invoke(app, ["tune", *arguments])
    assert isinstance(result.exception, UsageError)
    assert said in str(result.exception)
