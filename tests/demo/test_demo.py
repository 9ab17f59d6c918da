# SPDX-License-Identifier: BSD-3-Clause
"""The demonstration: its numbers come first, doubts are told, commands are those that ran."""

import io
import json
import re
import shlex
from pathlib import Path

import pytest
from rich.console import Console

from suiro import lab
from suiro.demo import measure
from suiro.demo.chapters import CHAPTERS, Chapter
from suiro.demo.page import render
from suiro.demo.result import Demo, Shown
from suiro.demo.table import print_demo
from suiro.errors import SuiroError
from suiro.native import example
from suiro.provenance import Machine

TOLD = """suiro: <a line of something else>
{
 "collectives": [
  {"collective": "bcast", "bytes": [65536, 131071], "calls": 9, "algorithm": "node_pipeline",
   "reason": "rule: through each link <once>", "median_s": 1, "shape": "2 nodes x 1 rank"},
  {"collective": "barrier", "bytes": [0, 0], "calls": 2, "algorithm": "native",
   "reason": "ignorance", "median_s": 0.01, "shape": "2 nodes x 1 rank"}
 ]
}
"""
PROBED = {"finding": {"kind": "head_of_line", "reason": ""}}
FFT = CHAPTERS[2]


class Lab:
    """Has run the script, as far as it seems."""

    def __init__(self, folder: Path, pairs: int, clear: bool = True) -> None:
        self.folder, self.clear = folder, clear
        self.texts = {f"native-{i + 1}.out": f"x: {2 + i}.0 s a step, right" for i in range(pairs)}
        self.texts |= {f"suiro-{i + 1}.out": "x: 0.5 s there and back" for i in range(pairs)}
        self.texts |= {f"suiro-{i + 1}.err": TOLD for i in range(pairs)}
        self.texts |= {
            f"{name}-{i + 1}.switch": "\n" for name in ("native", "suiro") for i in range(9)
        }
        self.texts |= {"probe.out": json.dumps(PROBED), "probe.err": ""}
        self.exit_code = 0
        self.script = ""

    def run(self, _spec: str, command: list[str], *, mpi: str) -> lab.Result:
        self.script = command[2]
        for name, text in self.texts.items():
            (self.folder / name).write_text(text)
        if self.clear:
            (self.folder / "cluster.toml").touch()
        return lab.Result(self.exit_code, {}, mpi)


@pytest.fixture
def in_lab(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Lab:
    """On a machine that has nothing else to do."""
    faked = Lab(tmp_path, pairs=2)
    monkeypatch.setattr(measure.lab, "run", faked.run)
    monkeypatch.setattr(measure, "others_share", lambda: 0.0)
    return faked


def demo(*shown: Shown) -> Demo:
    machine = Machine(cores=2, processor="p", kernel="k", system="s", suiro="0", mpi="m <1>")
    return Demo(machine=machine, command="suiro demo", shown=list(shown))


def printed(document: Demo, width: int) -> str:
    out = io.StringIO()
    print_demo(document, Console(file=out, width=width))
    return out.getvalue()


def test_the_number_is_of_medians(in_lab: Lab, tmp_path: Path) -> None:
    shown = measure.show(CHAPTERS[0], tmp_path, 2)
    assert (shown.native_s, shown.suiro_s, shown.speedup) == ([2, 3], [0.5, 0.5], 5)
    assert "Pairs of runs: 4.0 to 6.0 times as fast" in shown.times
    assert not shown.doubts and not shown.probe
    assert [ran.collective for ran in shown.ran] == ["bcast"]  # a barrier took too little time
    order = re.findall(r"> (\w+-\d)\.out", in_lab.script)
    assert order == ["native-1", "suiro-1", "native-2", "suiro-2"]


@pytest.mark.parametrize("width", [80, 160])
def test_numbers_come_first(in_lab: Lab, tmp_path: Path, width: int) -> None:
    shown = measure.show(FFT, tmp_path, 2)
    slower = shown.model_copy(update={"suiro_s": [2.6, 2.6], "lab": "4x4-voq"})
    text = printed(demo(shown, slower), width)
    first, second = text.splitlines()[:2]
    assert "5.0  times as fast" in first and FFT.title in first
    assert "0.96  times as fast" in second and "4x4-voq" in second
    assert "head-of-line blocking" in text and "64 to 128 KiB: node_pipeline" in text
    commands = {f"    {line}" for command in shown.commands for line in command.splitlines()}
    assert all(len(line) <= width or line in commands for line in text.splitlines())
    assert commands <= set(text.splitlines())  # to be copied


def test_the_page_is_whole_and_offline(in_lab: Lab, tmp_path: Path) -> None:
    shown = measure.show(FFT, tmp_path, 2)
    page = render(demo(shown))
    assert page.index("<b>5.0</b> times as fast") < page.index("<section")
    assert "through each link &lt;once&gt;" in page and "m &lt;1&gt;" in page
    assert "suiro probe --switch --write-cluster cluster.toml" in page
    assert not re.search(r'(src|href)="(?!#)', page) and "@import" not in page
    assert set(re.findall(r'href="#(\w+)"', page)) <= set(re.findall(r'id="(\w+)"', page))
    assert "doubt" not in page


def test_doubts_are_told(
    in_lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(measure, "others_share", lambda: 0.4)
    in_lab.clear = False
    counted = {"lateness_us": {"p99": 300.0}, "mtu_time_us": 123}
    in_lab.texts["native-1.switch"] = json.dumps(counted)
    finding = {"kind": "not_clear", "reason": "the tries disagree"}
    in_lab.texts["probe.out"] = json.dumps({"finding": finding})
    shown = measure.show(FFT, tmp_path, 2)
    assert "40% of the processors" in shown.doubts[0]
    assert "end them, or run this again later" in capsys.readouterr().err
    assert shown.doubts[1].endswith("suiro ran without it: the tries disagree")
    assert shown.doubts[2] == "the switch was 300 us late (p99); one MTU time is 123 us"
    assert "5.0? times as fast" in printed(demo(shown), 80)
    assert "<b>5.0?</b>" in render(demo(shown)) and "In doubt: the probe" in render(demo(shown))


def test_failures_are_told_in_a_line(in_lab: Lab, tmp_path: Path) -> None:
    in_lab.texts = {"native-1.out": "16 ranks: 1.0 s a step, WRONG\n", "native-1.err": "----\n"}
    in_lab.exit_code = 1
    with pytest.raises(SuiroError, match=r"8x4-shared: native-1 failed: 16 ranks.*WRONG"):
        measure.show(CHAPTERS[0], tmp_path, 2)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.program)
def test_commands_are_whole(chapter: Chapter) -> None:
    """What the page tells to type needs a source that is there, and asks for what was run."""
    compilation, run = map(shlex.split, chapter.commands)
    assert example(Path(compilation[2]).name).is_file()
    assert run[:4] == ["suiro", "lab", "run", chapter.lab]
    lines = [line.strip() for line in run[-1].strip().splitlines()]
    assert [*lines[:-2], chapter.without_suiro] == [*filter(None, [chapter.probing]), lines[-2]]
    assert lines[-1].endswith(f"-- {lines[-2]}")
    assert ("--cluster" in lines[-1]) == chapter.probes
