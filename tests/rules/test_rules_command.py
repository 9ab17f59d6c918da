# SPDX-License-Identifier: BSD-3-Clause
"""`suiro rules`: what files say, and what Open MPI would not say of them."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from suiro.cli.main import app
from suiro.errors import UsageError

# Bcast: from 16 ranks on knomial, from 64 KB on a pipeline; alltoall for any number of ranks.
OPENMPI = """# by hand
2
7  # bcast
2
0
1
0 0 0 0
16
2
0 7 0 0
65536 3 0 8192  # pipeline
3
1
0
2
0 1 0 0
4096 2 0 0
"""
SUIRO = """{"suiro_rules": 1, "rules": [
  {"collective": "bcast", "nodes": [2, null], "bytes": [65536, null],
   "algorithm": "pipeline", "parameters": {"segment": 8192}},
  {"collective": "bcast", "algorithm": "native"}
]}
"""


def rules(*arguments: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["rules", *map(str, arguments)], env={"COLUMNS": "160"})
    if isinstance(result.exception, UsageError):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def openmpi(tmp_path: Path) -> Path:
    path = tmp_path / "o.rules"
    path.write_text(OPENMPI)
    return path


@pytest.fixture
def suiro(tmp_path: Path) -> Path:
    path = tmp_path / "s.json"
    path.write_text(SUIRO)
    return path


def test_shown(openmpi: Path, suiro: Path) -> None:
    said = rules("show", openmpi)
    assert "65536 on" in said and "3 pipeline:segment=8192" in said and "0 to 15 ranks" in said
    said = rules("show", suiro)
    assert "pipeline:segment=8192" in said and "2 on nodes" in said


@pytest.mark.parametrize(
    ("size", "nodes", "ppn", "algorithm"),
    [
        ("64K", 4, 4, "3 pipeline:segment=8192"),
        ("1K", 4, 4, "7 knomial"),
        ("64K", 2, 4, "built in"),
        ("64K", 32, 4, "3 pipeline:segment=8192"),
    ],
)
def test_explained(openmpi: Path, size: str, nodes: int, ppn: int, algorithm: str) -> None:
    shape = ["--nodes", str(nodes), "--ppn", str(ppn)]
    said = rules("explain", openmpi, "bcast", "--bytes", size, *shape)
    assert said.startswith(f"{algorithm}: ")


def test_sizes_of_all_ranks_are_told(openmpi: Path) -> None:
    call = ["alltoall", "--nodes", "8", "--bytes"]
    assert rules("explain", openmpi, *call, "511").startswith("1 linear: ")
    said = rules("explain", openmpi, *call, "512")
    assert said.startswith("2 pairwise: ") and "counts as 4096" in said


def test_suiros_are_asked_by_the_library_itself(suiro: Path) -> None:
    call = ["bcast", "--bytes", "64K", "--mpi", "mpich-4"]
    said = rules("explain", suiro, *call, "--nodes", "2")
    assert said.startswith("pipeline:segment=8192: ") and f"{suiro}:2" in said
    assert rules("explain", suiro, *call).startswith("native: ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--nodes", "4", "--ppn", "2", "--rate", "1G"], "node_pipeline: rule: "),
        (["--nodes", "4", "--ppn", "2", "--rate", "1G", "--switch", "hol"], "node_pipeline: rule"),
    ],
)
def test_without_a_file_suiro_decides(words: list[str], said: str) -> None:
    call = ["explain", "bcast", "--bytes", "256K", "--mpi", "openmpi-4.1"]
    assert rules(*call, *words).startswith(said)


def test_where_no_rule_matches_suiro_decides(suiro: Path) -> None:
    words = ["--nodes", "4", "--ppn", "4", "--bytes", "64K", "--mpi", "openmpi-4.1"]
    words += ["--rate", "100M", "--switch", "hol"]
    alone = rules("explain", "alltoall", *words)
    assert rules("explain", suiro, "alltoall", *words) == alone
    assert not alone.startswith("native")


def test_what_explain_cannot_take(openmpi: Path) -> None:
    call = ["bcast", "--bytes", "64K"]
    mpi = ["--mpi", "mpich-4"]
    with pytest.raises(UsageError, match="which cluster is it"):
        rules("explain", *call, *mpi)
    with pytest.raises(UsageError, match="all ranks are on one node"):
        rules("explain", *call, *mpi, "--nodes", "1", "--ppn", "4")
    with pytest.raises(UsageError, match="chooses by ranks and bytes alone"):
        rules("explain", openmpi, *call, "--rate", "1G")
    with pytest.raises(UsageError, match="takes one FILE"):
        rules("explain", openmpi, openmpi, *call)


def test_differences(openmpi: Path, tmp_path: Path) -> None:
    assert "the same" in rules("diff", openmpi, openmpi)
    other = tmp_path / "other.rules"
    other.write_text(OPENMPI.replace("8192", "4096"))
    said = rules("diff", openmpi, other, code=1)
    assert "segment=8192" in said and "segment=4096" in said and "knomial" not in said


def test_a_right_file(openmpi: Path, suiro: Path) -> None:
    assert "nothing wrong" in rules("check", openmpi)
    assert "nothing wrong" in rules("check", suiro)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("2\n7", "two\n7", 2, "the number of collectives"),
        ("7  #", "88  #", 3, "no collective 88"),
        ("65536 3", "65536 33", 11, "bcast has no algorithm 33"),
        ("0 7 0 0", "8 7 0 0", 10, "from 0 bytes on"),
        ("65536 3", "0 3", 11, "more than 0 bytes"),
        ("\n16\n", "\n0\n", 8, "more than 0 ranks"),
        ("\n16\n2\n", "\n16\n0\n", 9, "at least one row"),
        ("8192", "-1", 11, "from 0 to"),
        ("4096 2 0 0\n", "4096 2 0\n", 17, "the file ends"),
        ("65536 3", "64K 3", 11, '"64K"'),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    openmpi: Path, old: str, new: str, line: int, said: str
) -> None:
    text = OPENMPI.replace(old, new, 1)
    assert text != OPENMPI
    openmpi.write_text(text)
    with pytest.raises(UsageError, match=said) as error:
        rules("check", openmpi)
    assert str(error.value).startswith(f"{openmpi}:{line}: ")


def test_what_may_do_harm_is_told(openmpi: Path) -> None:
    openmpi.write_text("1 9 1 8 2 0 1 0 0 4096 2 0 0 7")
    said = rules("check", openmpi, code=1)
    for part in ("fewer than 8 ranks", "can crash right programs", '"7" and what comes after'):
        assert part in said


def test_collectives_that_leave_no_choice_are_known(openmpi: Path) -> None:
    openmpi.write_text("2 5 1 0 1 0 0 0 0 19 1 0 1 0 0 0 0")
    assert "neighbor_alltoall" in rules("show", openmpi)
    assert "nothing wrong" in rules("check", openmpi)


def test_octal_numbers_are_what_they_are_for_open_mpi(openmpi: Path) -> None:
    openmpi.write_text(OPENMPI.replace("65536 3 0 8192", "0100000 3 0 8192"))
    assert "32768 on" in rules("show", openmpi)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"collective=bcst": {}}', 'no collective "bcst"'),
        ('{"suiro_rules": 1, "rules": [{"collective": "bcast", "algorithm": "x"}]}', "unknown"),
        ("{", "1"),
    ],
)
def test_other_files(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "other"
    path.write_text(text)
    with pytest.raises(UsageError, match=said):
        rules("check", path)
    with pytest.raises(UsageError, match="No such file"):
        rules("show", tmp_path / "nowhere")
