# SPDX-License-Identifier: BSD-3-Clause
"""`suiro rules` on MPICH's files: what they say, and what MPICH would not say of them."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from suiro.cli.main import app
from suiro.errors import UsageError
from suiro.tune import mpich
from suiro.tune.mpich_defaults import CH4, MPIR

RULES: dict[str, mpich.Rows] = {
    "bcast": [(2000, "scatter_ring_allgather"), (8001, "default")],
    "alltoall": [(100, "pairwise"), (201, "default")],
}


def rules(*arguments: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["rules", *map(str, arguments)], env={"COLUMNS": "160"})
    if isinstance(result.exception, UsageError):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "m.json"
    job = mpich.Job("4.0", (0, 0, 1, 1))
    texts = mpich.files({name: {job: rows} for name, rows in RULES.items()}, job.major)
    path.write_text(texts[MPIR])
    path.with_suffix(".ch4").write_text(texts[CH4])
    return path


def test_a_right_file(file: Path) -> None:
    assert "nothing wrong" in rules("check", file)
    assert "nothing wrong" in rules("check", file.with_suffix(".ch4"))
    said = rules("show", file)
    assert "2000 to 8000" in said and "is_sendbuf_inplace=yes" in said and "4 ranks" in said
    assert "the same" in rules("diff", file, file)


@pytest.mark.parametrize(
    ("size", "nodes", "ppn", "algorithm"),
    [
        ("2000", 2, 2, "scatter_ring_allgather"),
        ("8001", 2, 2, "binomial"),
        ("1999", 2, 2, "binomial"),
        ("2000", 5, 1, "binomial"),
        ("64K", 4, 4, "scatter_recursive_doubling_allgather"),
        ("1M", 4, 4, "scatter_ring_allgather"),
    ],
)
def test_explained(file: Path, size: str, nodes: int, ppn: int, algorithm: str) -> None:
    shape = ["--nodes", str(nodes), "--ppn", str(ppn)]
    said = rules("explain", file, "bcast", "--bytes", size, *shape)
    assert said.startswith(f"{algorithm}: {file}:")


def test_compositions_are_explained(file: Path) -> None:
    call = ["bcast", "--nodes", "2", "--ppn", "2", "--bytes"]
    assert rules("explain", file.with_suffix(".ch4"), *call, "2000").startswith("gamma: ")
    assert rules("explain", file.with_suffix(".ch4"), *call, "1999").startswith("alpha: ")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("collective=bcast", "collective=bcst", 'no collective "bcst"'),
        ("avg_msg_size<2000", "message_size<2000", 'no condition "message_size<2000"'),
        ("Bcast_intra_smp", "Bcast_intra_tre", "bcast has no algorithm tre"),
        ("MPIR_Bcast_intra_smp", "MPIR_Reduce_intra_smp", "expected algorithm=MPIR_Bcast_intra_"),
        ('"comm_type=intra": {', '"comm_type=intra": [', "expected a brace or a key"),
        ('"comm_type=intra": {', '"comm_type=intra": "x",', 'expected "{", got "x"'),
    ],
)
def test_what_is_wrong_is_told_with_its_line(file: Path, old: str, new: str, said: str) -> None:
    text = file.read_text()
    line = text[: text.index(old)].count("\n") + 1
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(UsageError, match=said) as error:
        rules("check", file)
    assert str(error.value).startswith(f"{file}:{line}: ")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("avg_msg_size=any", "avg_msg_size<=9999", "MPICH would not start"),
        ("is_sendbuf_inplace=no", "is_sendbuf_inplace=yes", "such a call would abort"),
        (
            "Alltoall_intra_pairwise_sendrecv_replace",
            "Alltoall_intra_pairwise",
            "needs two buffers",
        ),
        ("is_op_built_in=yes", "is_op_built_in=no", "needs an operation of MPI's"),
        ("count<pow2", "count<=1", "needs as many elements"),
    ],
)
def test_what_may_do_harm_is_told(file: Path, old: str, new: str, said: str) -> None:
    file.write_text(file.read_text().replace(old, new))
    assert said in rules("check", file, code=1)


def test_a_missing_collective_is_told(tmp_path: Path) -> None:
    path = tmp_path / "few.json"
    path.write_text('{"collective=gather": {"algorithm=MPIR_Gather_intra_binomial": {}}}')
    assert "bcast is missing: MPICH would not start" in rules("check", path, code=1)
