# SPDX-License-Identifier: BSD-3-Clause
"""`suiro sim --export simgrid`: traces, platform, and that both agree."""

import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from second_opinion import opinions
from typer.testing import CliRunner

from suiro.cli.main import app
from suiro.errors import UsageError
from suiro.sim.traces import QUESTIONS, Costs, processes

HEADER = """\
suiro-schedule 1
collective bcast
algorithm test
ranks 3
nodes 0 0 1
pieces 2
rounds 3
window 2
receive_window 1
lookahead 1
scratch 0
"""
COSTS = Costs(message_s=0.5, latency_s=2, local_message_s=0.25, signal_s=0.125, copy_Bps=1000,
              local_Bps=500, reduce_Bps=250, eager=1000, header_bytes=96)  # fmt: skip
STEPS = """
rank 0
round 0
  send send[0] -> 2
round 1
  reduce send[0] -> receive[0]
  send send[1] -> 2
round 2 fence
  send send[0 x 2] -> 1

rank 1
round 2
  receive receive[0 x 2] <- 0

rank 2
round 0
  receive receive[0] <- 0
round 1
  receive receive[1] <- 0
"""
STREAM = 3  # its process


def trace(process: int, block_bytes: float) -> list[str]:
    """Of a rank of two nodes, or of the one stream between them."""
    made = list(processes(HEADER + STEPS, block_bytes, [0, 0, 1], COSTS))
    assert [one.host for one in made] == ["node-0", "node-0", "node-1", "port-1"]
    lines = made[process].lines
    assert all(line.startswith(f"{process} ") for line in lines)
    return [line.removeprefix(f"{process} ") for line in lines]


def test_short_messages_are_copied_and_forgotten() -> None:
    assert trace(0, 100) == [
        "init",
        "sleep 0.6",  # the message, and its copy
        f"isend {STREAM} 0 180",
        "sleep 1",  # an operation, too
        f"isend {STREAM} 1 180",
        "sleep 0.45",
        "isend 1 0 280",
        "finalize",
    ]


def test_a_stream_takes_messages_in_turn() -> None:
    assert trace(STREAM, 100) == [
        "init",
        "recv 0 0 180",
        "isend 2 0 0",
        "recv 0 1 180",
        "isend 2 1 0",
        "finalize",
    ]


def test_long_messages_ask_first_and_are_waited_for() -> None:
    lines = trace(0, 2000)
    question, second = QUESTIONS, QUESTIONS + 1
    assert lines[1:4] == ["sleep 1", f"isend {STREAM} {question} 0", f"isend {STREAM} 0 2080"]
    assert lines[5:9] == [f"isend {STREAM} {second} 0", f"isend {STREAM} 1 2080",
                          f"wait 0 {STREAM} 0", f"wait 0 {STREAM} 1"]  # fmt: skip
    assert trace(2, 2000)[1:3] == [f"isend {STREAM} 0 0", f"irecv {STREAM} 0 0"]
    assert trace(STREAM, 2000)[1:6] == [
        f"recv 0 {question} 0",
        "recv 2 0 0",
        "sleep 4",
        "recv 0 0 2080",
        "isend 2 0 0",
    ]


def test_receives_are_posted_ahead_and_waited_for_round_by_round() -> None:
    assert trace(2, 100) == [
        "init",
        f"irecv {STREAM} 0 0",
        f"irecv {STREAM} 1 0",
        f"wait {STREAM} 2 0",
        "sleep 0.5",
        f"wait {STREAM} 2 1",
        "sleep 0.5",
        "finalize",
    ]


def test_who_receives_inside_a_node_copies() -> None:
    assert trace(1, 100)[1:4] == ["irecv 0 0 280", "wait 0 1 0", "sleep 0.45"]
    assert trace(1, 2000)[3] == "sleep 8.25"  # at another rate


def exported(tmp_path: Path, *arguments: str) -> Path:
    folder = tmp_path / "export"
    result = CliRunner().invoke(app, ["sim", *arguments, "--export", "simgrid", str(folder)])
    if result.exception is not None:
        raise result.exception
    return folder


def test_a_folder_has_network_places_and_traces(tmp_path: Path) -> None:
    folder = exported(tmp_path, "bcast", "--lab", "4x4-voq", "--sizes", "1K,64K",
                      "--algorithms", "linear,chain:chains=2,segment=1024")  # fmt: skip
    command = re.compile(r"smpirun -np (\d+) -platform platform.xml -hostfile (\S+) -replay (\S+)")
    commands = command.findall((folder / "README").read_text())
    assert len(commands) == 4
    for count, hosts, list_of_traces in commands:
        assert (folder / hosts).read_text().split()[3:5] == ["node-0", "node-1"]
        traces = (folder / list_of_traces).read_text().split()
        assert len(traces) == len((folder / hosts).read_text().split()) == int(count)
        assert all((folder / one).read_text().endswith(" finalize\n") for one in traces)


def test_the_platform_is_the_models_network(tmp_path: Path) -> None:
    folder = exported(tmp_path, "bcast", "--lab", "4x8-cloud", "--sizes", "1K",
                      "--algorithms", "linear")  # fmt: skip
    root = ElementTree.fromstring((folder / "platform.xml").read_text())
    assert [one.attrib["radical"] for one in root.findall(".//cluster")] == ["0-3", "0-3"]
    [stream, way] = root.findall(".//link")
    link_Bps = float(root.findall(".//cluster")[0].attrib["bw"].removesuffix("Bps"))
    assert 0 < float(stream.attrib["bandwidth"].removesuffix("Bps")) < link_Bps / 7
    assert way.attrib["latency"] == "0.00015s"
    settings = {prop.attrib["id"]: prop.attrib["value"] for prop in root.findall(".//prop")}
    assert settings["network/crosstraffic"] == "0"
    assert settings["smpi/send-is-detached-thresh"] == str(65536 + 96 - 16 + 1)


def test_what_is_wrong_is_said_before_anything_is_played(tmp_path: Path) -> None:
    for name in ("export", "new"):
        (tmp_path / name).mkdir()
    with pytest.raises(UsageError, match="it exists; name a new folder"):
        exported(tmp_path, "bcast", "--lab", "4x4-voq")
    with pytest.raises(UsageError, match="there is no folder"):
        exported(tmp_path / "nowhere", "bcast", "--lab", "4x4-voq")
    with pytest.raises(UsageError, match="is for one site"):
        exported(tmp_path / "new", "bcast", "--lab", "two-sites")
    with pytest.raises(UsageError, match="leave out --compare"):
        exported(tmp_path, "bcast", "--lab", "4x4-voq", "--compare", "result.json")
    result = CliRunner().invoke(app, ["sim", "bcast", "--lab", "4x4-voq", "--export", "x", "y"])
    assert "--export takes simgrid and a folder, not 'x'" in str(result.exception)


@pytest.mark.every
@pytest.mark.skipif(not shutil.which("smpirun"), reason="no SimGrid: install libsimgrid-dev")
def test_both_agree() -> None:
    for one in opinions("4x4-voq", [1 << 16]):
        assert 0.85 < one.ratio < 1.15, one
