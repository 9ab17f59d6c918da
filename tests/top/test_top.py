# SPDX-License-Identifier: BSD-3-Clause
"""`suiro top`: processes that answer, that are gone, that are not what they seem."""

import json
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from suiro.cli.top import CONTEXT, top
from suiro.errors import SuiroError, UsageError
from suiro.top import look, process

app = typer.Typer()
app.command(context_settings=CONTEXT)(top)
COUNTERS = dict.fromkeys(process.Counters.model_fields, 0)


def answer(look: int, rank: int, host: str = "node0") -> bytes:
    """What a process says when it is asked for the `look`th time."""
    rail = {"streams_opened": 1, "streams_lost": 2}
    rails = [{"name": "eth0 10.0.0.1", "sent_bytes": look * 10**9, "received_bytes": 0, **rail}]
    counters = COUNTERS | {"messages_received": 1000 * look, "unexpected": 250 * look}
    counters |= {"posted_now": 77, "grants_given_again": 3, "frames_sent_again": 2}
    who = {"host": host, "program": "a[b]", "process": 1, "rank": rank}
    return json.dumps({**who, "counters": counters, "rails": rails}).encode()


class Processes:
    """Sockets like those of processes, each served by a thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.listeners: list[socket.socket] = []

    def listen(self, name: str) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX)
        self.listeners.append(listener)
        listener.bind(str(self.folder / name))
        listener.listen()
        return listener

    def serve(self, name: str, answers: Iterator[bytes]) -> None:
        listener = self.listen(name)

        def run() -> None:
            for text in answers:
                with closing(listener.accept()[0]) as asker:
                    asker.sendall(text)

        threading.Thread(target=run, daemon=True).start()


@pytest.fixture
def processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Processes]:
    monkeypatch.setattr(process, "folders", lambda: [tmp_path, tmp_path / "missing"])
    monkeypatch.setattr(process, "_ANSWER_SECONDS_MAX", 20)
    made = Processes(tmp_path)
    yield made
    for listener in made.listeners:
        listener.close()


def test_rates_are_those_between_two_looks(processes: Processes) -> None:
    processes.serve("2.sock", (answer(look, 1) for look in (1, 2)))
    processes.serve("1.sock", (answer(look, 0) for look in (1, 2)))
    result = CliRunner().invoke(app, ["--once", "--interval", "0.2"], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    rows = [line.split() for line in result.stdout.splitlines()[1:]]
    assert [row[0] for row in rows] == ["0", "1"]
    for row in rows:
        assert row[1:4] == ["node0", "a[b]", "eth0"]
        assert 100 < float(row[4].rstrip(",")) <= 5000, (
            "10^9 bytes in 0.2 s, or longer on a busy machine"
        )
        assert row[5:8] == ["0.0,", "2", "lost"]
        assert row[9:12] == ["25", "%", "77"]
        assert row[-2:] == ["5", "0"]


def test_json_has_every_counter(processes: Processes) -> None:
    processes.serve("1.sock", iter([answer(1, 0)]))
    result = CliRunner().invoke(app, ["--once", "--json"])
    (found,) = json.loads(result.stdout)["processes"]
    assert found["counters"].keys() == COUNTERS.keys()
    assert found["rails"][0]["streams_lost"] == 2


def test_what_is_dead_silent_or_strange_is_left_out(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_ANSWER_SECONDS_MAX", 0.05)
    processes.listen("dead.sock").close()
    processes.listen("silent.sock")
    processes.serve("strange.sock", iter([b"hello"]))
    processes.serve("endless.sock", iter([b"[" * 100_000]))
    assert process.read_all() == []
    assert not (processes.folder / "dead.sock").exists()
    assert (processes.folder / "silent.sock").exists()


def test_nobody_there_is_said(processes: Processes) -> None:
    result = CliRunner().invoke(app, ["--once", "--interval", "0.1"])
    assert isinstance(result.exception, SuiroError)
    assert "no process of yours" in str(result.exception)
    assert CliRunner().invoke(app, ["--once", "--json"]).stdout == '{"processes": []}\n'


class Nodes:
    """What an srun of ours prints and how it ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program = folder / "srun"

    def says(self, lines: Iterable[str], code: int = 0) -> None:
        (self.folder / "said").write_text("".join(lines))
        self.does(f"cat {self.folder}/said; echo node2 is gone >&2; exit {code}")

    def does(self, script: str) -> None:
        self.program.write_text(f"#!/bin/sh\n{script}\n")
        self.program.chmod(0o755)


@pytest.fixture
def nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nodes:
    monkeypatch.setattr(look, "_PAUSE_SECONDS", 0)
    return Nodes(tmp_path)


def told(host: str, *ranks: int, asker: int = 7) -> list[str]:
    """What an asker prints there."""
    rows = [
        json.dumps(
            {"seconds": 5.0, "process": json.loads(answer(1, rank, host)) | {"process": rank}}
        )
        for rank in ranks
    ]
    return list(look.lines_of(host, asker, rows))


def test_all_nodes_of_a_launcher(nodes: Nodes) -> None:
    first, second = told("node0", 0, 2), told("node1", 3, 1)
    nodes.says(["noise\n", *second, *first, "1: ", *told("node1", 3, 1, asker=8)])
    arguments = ["--once", "--interval", "0.1", "--", str(nodes.program), "-N", "2"]
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    rows = [line.split()[:2] for line in result.stdout.splitlines()[1:]]
    assert rows == [["0", "node0"], ["1", "node1"], ["2", "node0"], ["3", "node1"]]
    assert result.stderr == ""
    result = CliRunner().invoke(app, ["--once", "--json", *arguments[3:]])
    assert [one["rank"] for one in json.loads(result.stdout)["processes"]] == [0, 1, 2, 3]


def test_a_node_that_does_not_answer_has_a_line(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look, "_PIECE_BYTES_MAX", 200)
    cut = told("node3", *range(10), asker=9)
    assert len(cut) > 1 and max(map(len, cut)) < 250
    nodes.says([*told("node0", 0), *told("node1"), *cut[1:]], code=5)
    result = CliRunner().invoke(app, ["--once", "--json", "--", str(nodes.program)])
    assert [one["host"] for one in json.loads(result.stdout)["processes"]] == ["node0"]
    assert result.stderr.splitlines() == [
        "suiro: node1: no process of yours uses suiro's transport",
        "suiro: node3: its answer was cut off",
        "suiro: not all nodes may have answered: exit code 5: node2 is gone",
    ]


def test_a_launcher_that_does_not_end(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look, "_SECONDS_MAX", 0.5)
    nodes.does("echo one; exec sleep 60")
    result = CliRunner().invoke(app, ["--once", "--json", "--", str(nodes.program)])
    assert "did not end within 0.5 s" in result.stderr


def test_the_asker_asks(nodes: Nodes, processes: Processes, tmp_path: Path) -> None:
    """As a launcher starts it: with nothing of ours in the environment."""
    runtime = tmp_path / "suiro"
    runtime.mkdir()
    processes.serve("suiro/1.sock", iter([answer(1, 4)]))
    words = ["--", str(nodes.program), "-n", "1", "./app", "its", "words"]
    nodes.does(f'shift 2; exec env -i PATH="$PATH" XDG_RUNTIME_DIR={tmp_path} "$@"')
    result = CliRunner().invoke(app, ["--once", "--json", *words])
    assert 4 in [one["rank"] for one in json.loads(result.stdout)["processes"]], result.stderr


def test_what_is_no_launcher() -> None:
    for words in (["ls"], ["./srun"]):
        result = CliRunner().invoke(app, ["--", *words])
        assert isinstance(result.exception, UsageError)
        assert "suiro top -- mpirun" in str(result.exception)


def test_the_library_names_the_counters_as_we_do() -> None:
    source = Path(__file__).parents[2] / "src/net/endpoint/statistics_report.cpp"
    names = source.read_text()
    assert all(f'{{"{name}", statistics.{name}}}' in names for name in COUNTERS)
