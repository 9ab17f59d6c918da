# SPDX-License-Identifier: BSD-3-Clause
"""`suiro show`: what it draws in the terminal and as SVG, and how it refuses."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from suiro.cli.show import show
from suiro.errors import UsageError

app = typer.Typer()
app.command()(show)
GOLDEN = Path(__file__).parent.parent / "golden/schedules"
SVG = "{http://www.w3.org/2000/svg}"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def rows(text: str) -> dict[str, str]:
    """The rows of the rounds, by their first word."""
    return {line.split()[0]: " ".join(line.split()[1:]) for line in text.splitlines() if line}


def test_two_level_ring_sends_to_one_node_at_a_time() -> None:
    result = run("alltoall/two_level_ring", "--nodes", "4", "--ppn", "4")
    assert result.exit_code == 0
    assert "One peer per node at a time" in result.stdout
    assert "carry 48 blocks, which is the least possible" in " ".join(result.stdout.split())
    found = rows(result.stdout)
    assert found["0"] == "· · · · ·"
    assert found["1-3"] == "inside inside inside inside ·"
    assert found["4-7"] == "→1 x4 →2 x4 →3 x4 →0 x4 ████ 4"
    assert found["12-15"] == "→3 x4 →0 x4 →1 x4 →2 x4 ████ 4"
    assert "A-B: rounds A to B are alike" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_a_message_is_drawn_in_pieces() -> None:
    result = run("bcast/node_pipeline", "--nodes", "4", "--ppn", "2", "--root", "3",
                 "--bytes", "8K")  # fmt: skip
    text = " ".join(result.stdout.split())
    assert "on 4 nodes x 2 ranks, root 3" in text
    assert "carries" in text and "which is the least possible" in text
    assert rows(result.stdout)["1"] == "←3 x1 →2 x1 →3 x1 →0 x1 █ 1"


def test_rounds_that_are_alike_have_one_row() -> None:
    text = run("bcast/pipeline", "--nodes", "4", "--ppn", "2", "--bytes", "1M").stdout
    assert "rounds 1 to 64: alike" in text
    assert [word for word in rows(text) if word[0].isdigit()][:3] == ["66", "0", "1-64"]
    assert len(text.splitlines()) < 12


def test_a_barrier_carries_no_data() -> None:
    assert "no data crosses the network" in run("barrier/tree", "--shape", "2,2").stdout


def test_rings_two_peers_are_marked() -> None:
    result = run("ring", "--nodes", "4", "--ppn", "2")
    assert "Two peers of a node at once, first at rank 1, round 3, block 4" in result.stdout
    found = rows(result.stdout)
    assert found["2"] == "→1 x2 →2 x2 →3 x2 →0 x2 ██ 2"
    assert found["3"].startswith("→1,2 x2 ! →2,3 x2 ! →0,3 x2 ! →0,1 x2 !")
    assert "! two peers at once" in result.stdout


def test_uneven_nodes() -> None:
    found = rows(run("two_level_ring", "--shape", "1,2,4,5").stdout)
    assert found["5"] == "→1 x0 →2 x0 →3 x0 →0 x0 ·"  # the ranks meet
    assert found["6"] == "→1 x2 →2 x4 →3 x5 →0 x5 █████ 5"
    assert found["12"] == "· →2 x4 →3 x5 →1 x5 █████ 5"


def test_the_ranks_of_one_node() -> None:
    found = rows(run("ring", "--nodes", "4", "--ppn", "2", "--node", "1").stdout)
    assert found["round"] == "rank 2 rank 3 NIC"
    assert found["3"] == "→5 ←7 →6 ←0 →node 2,3 x2 ←node 0,3 x2 !"


def test_one_round_has_its_matrix_and_messages() -> None:
    result = run("ring", "--nodes", "3", "--ppn", "2", "--rounds", "3")
    found = rows(result.stdout)
    assert found["receives"] == "2 2 2"
    assert "0→3 1→4 2→5 3→0 4→1 5→2" in found["ranks:"]
    assert "There are rounds to 5: --rounds 4" in result.stdout


def test_large_shapes_are_cut_to_what_fits() -> None:
    result = run("two_level_ring", "--nodes", "64", "--ppn", "4")
    assert "of 64 nodes fit" in result.stdout
    assert "There are rounds to 255: --rounds 124-255" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_rounds_beyond_the_end() -> None:
    assert "it has 0 to 3" in run("ring", "--shape", "2,2", "--rounds", "9").stdout


def test_a_printed_schedule() -> None:
    result = run(str(GOLDEN / "alltoall-ring.txt"))
    assert result.exit_code == 0
    assert rows(result.stdout)["2"] == "→1 x2 →0 x2 ██ 2"


def test_the_document_is_the_tools_own() -> None:
    document = json.loads(run("ring", "--shape", "2,2", "--json", "--rounds", "1-2").stdout)
    assert [scene["round"] for scene in document["shown"]] == [1, 2]


@pytest.mark.parametrize("shape", [("4", "4"), ("1", "3"), ("16", "8"), ("30", "1")])
def test_svg_is_whole_and_needs_nothing_else(shape: tuple[str, str], tmp_path: Path) -> None:
    file = tmp_path / "ring.svg"
    result = run("ring", "--nodes", shape[0], "--ppn", shape[1], "--svg", str(file))
    assert (result.exit_code, result.stdout) == (0, "")
    text = file.read_text()
    root = ElementTree.fromstring(text)
    titles = [element.text for element in root.iter(f"{SVG}title")]
    assert titles[0] is not None and titles[0].startswith("alltoall/ring on ")
    assert text.count("http") == 1, "only the name of the form"
    assert "prefers-color-scheme: dark" in text
    widths = float(root.attrib["width"]), float(root.attrib["height"])
    for element in root.iter(f"{SVG}circle"):
        assert 0 <= float(element.attrib["cx"]) <= widths[0]


def test_svg_has_an_arrow_for_each_message(tmp_path: Path) -> None:
    file = tmp_path / "ring.svg"
    run("ring", "--nodes", "4", "--ppn", "2", "--svg", str(file))
    root = ElementTree.fromstring(file.read_text())
    arrows = [path for path in root.iter(f"{SVG}path") if "arrow" in path.attrib.get("class", "")]
    assert len(arrows) == 8 * 7
    crowded = [c for c in root.iter(f"{SVG}circle") if "crowded" in c.attrib["class"]]
    assert len(crowded) == 2 * 4, "all nodes in rounds 3 and 5"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ringg", "--nodes", "2", "--ppn", "2"], "'ringg' is neither a file"),
        (["bcast/pipelin", "--shape", "2,2"], "bcast has binary, "),
        (["bcast/pipeline", "--shape", "2,2", "--root", "4"], "--root takes a number from 0 to 3"),
        (["alltoall/ring", "--shape", "2,2", "--root", "1"], "alltoall has none"),
        (["bcast/pipeline", "--shape", "2,2", "--bytes", "8Q"], "is not a size"),
        (["ring"], "show needs --nodes and --ppn, or --shape"),
        (["ring", "--shape", "2,2", "--node", "2"], "--node 2: the nodes are 0 to 1"),
        (["ring", "--shape", "2,2", "--node", "0", "--json"], "exclude each other"),
        (["ring", "--shape", "2,2", "--rounds", "a"], "--rounds takes a number from 0"),
        (["ring", "--shape", "2,2", "--svg", "/no/such/folder/x.svg"], "there is no folder"),
    ],
)
def test_wrong_input_is_a_usage_error(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, UsageError)
    assert message in str(result.exception)
