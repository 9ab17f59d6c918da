# SPDX-License-Identifier: BSD-3-Clause
"""Tables of others beside the model. The figures are those of Open MPI 4.0.1 on eight nodes of 36
ranks (AWS c5n, TCP; github.com/JiaweiZhuang/aws-mpi-benchmark, MIT)."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from suiro.cli.main import app
from suiro.errors import UsageError
from suiro.sim.osu import read_table

TABLE = """\
,default,0. ignore,1. basic linear,2. chain,6. binomial tree,8. scatter_allgather
size,,,,,,
1,92.02,96.06,402.30,324.14,90.37,411.02
1048576,3097.57,3206.38,21395.45,6243.72,9320.87,7697.35
"""
CLUSTER = """\
version = 1
[node]
message = "3us"
kernel_rate = "90G"
local_rate = "60G"
[[site]]
nodes = ["*"]
switch = "voq"
latency = "24us"
rate = "94G"
stream_rate = "9.42G"
"""


def test_columns_are_algorithms(tmp_path: Path) -> None:
    path = tmp_path / "osu.csv"
    path.write_text(TABLE)
    cells = read_table(path, "bcast", 8, 288)
    assert [(cell.bytes, cell.algorithm) for cell in cells] == [
        (1, "linear:segment=1"),
        (1, "chain:segment=1"),
        (1, "openmpi.binomial"),
        (1, "linear:segment=1"),  # for want of a byte for each rank
        (1 << 20, "linear:segment=1048576"),
        (1 << 20, "chain:segment=1048576"),
        (1 << 20, "openmpi.binomial"),
        (1 << 20, "scatter_allgather"),
    ]
    assert cells[0].mean_s == pytest.approx(402.30e-6)


def test_the_model_knows_a_cloud(tmp_path: Path) -> None:
    """One stream has a tenth of the link, and one rank of a node sends to all."""
    (tmp_path / "osu.csv").write_text(TABLE)
    (tmp_path / "cloud.toml").write_text(CLUSTER)
    arguments = ["sim", "bcast", "--cluster", str(tmp_path / "cloud.toml"), "--nodes", "8"]
    arguments += ["--ppn", "36", "--compare", str(tmp_path / "osu.csv")]
    result = CliRunner().invoke(app, [*arguments, "--json"])
    document: dict[str, Any] = json.loads(result.stdout)
    errors = {(row["bytes"], row["algorithm"]): row["error"] for row in document["cells"]}
    assert abs(errors[1 << 20, "linear:segment=1048576"]) < 0.1
    assert abs(errors[1 << 20, "chain:segment=1048576"]) < 0.1
    assert set(document["within"]) == {"1.3", "1.5", "2.0"}
    assert "within a factor of 1.3" in CliRunner().invoke(app, arguments).stdout


@pytest.mark.parametrize(
    ("collective", "text", "said"),
    [
        ("alltoall", TABLE, "tables of bcast, allreduce can be read, and alltoall is none"),
        ("bcast", "a,b\n1,2\n", "expected a column `size`, and rows below it"),
        ("bcast", TABLE.replace("402.30", "fast"), "osu.csv:3: expected numbers, got"),
        ("bcast", "size,default\n1,2\n", "no column is named as one of basic linear"),
    ],
)
def test_what_is_wrong(tmp_path: Path, collective: str, text: str, said: str) -> None:
    path = tmp_path / "osu.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match=said.replace(".", r"\.")):
        read_table(path, collective, 8, 288)
    with pytest.raises(UsageError, match="cannot be read"):
        read_table(tmp_path / "nowhere.csv", collective="bcast", nodes=8, ranks=288)
