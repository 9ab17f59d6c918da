# SPDX-License-Identifier: BSD-3-Clause
"""The environment's variables are described once, and whoever reads one reads it from there."""

import os
import re
from pathlib import Path

import pytest

from suiro import native, variables
from suiro.doctor import settings
from suiro.variables import FAMILY, WrongValueError
from test_tidy import ROOT, name, tracked

_NAME = re.compile(r"\bSUIRO(?:_[A-Z0-9]+)+\b")
_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"|//.*')
_REGISTRY = ROOT / "python/suiro/variables.json"
# What was, and what a lab's helper reads by itself.
_PAST = ("CHANGELOG.md", "docs/decisions/", "docs/reference/", "docs/results/")
_ALONE = "src/lab/"
_MISSPELT = "SUIRO_ALTOALL"  # the example of docs/run.md


def known() -> set[str]:
    return {*variables.table(), *variables.forcing(), _MISSPELT}


def named(path: Path) -> set[str]:
    """In C and C++ what else has such a name is a macro."""
    text = path.read_text()
    native_source = path.suffix in (".c", ".h", ".cpp", ".hpp")
    parts = _QUOTED.findall(text) if native_source else [text]
    return {found for part in parts for found in _NAME.findall(part)}


def test_whatever_is_named_is_described() -> None:
    files = "src/*.cpp src/*.hpp src/*.c python/*.py packaging/* cmake/module_file.in *.md examples"
    wrong = {
        name(path): missing
        for path in tracked(*files.split())
        if not name(path).startswith(_PAST) and (missing := named(path) - known())
    }
    assert not wrong, "describe them in python/suiro/variables.json"


def test_whatever_is_described_is_read() -> None:
    files = [path for path in tracked("src", "python", "packaging", "cmake", "tests")
             if path not in (_REGISTRY, Path(__file__)) and path.suffix != ".md"]  # fmt: skip
    text = "\n".join(path.read_text(errors="replace") for path in files)
    used = set(_NAME.findall(text)) | {"SUIRO", FAMILY}
    used |= {f"SUIRO_{found.upper()}" for found in re.findall(r"variables::(\w+)", text)}
    assert not set(variables.table()) - used


def test_nobody_reads_one_past_the_description() -> None:
    reads = re.compile(r'getenv\("SUIRO|environ(?:\.get)?[\[(]"SUIRO')
    wrong = [
        name(path)
        for path in tracked("src/*.cpp", "src/*.hpp", "src/*.c", "python/*.py")
        if reads.search(path.read_text()) and not name(path).startswith(_ALONE)
    ]
    assert not wrong


def test_each_is_described_whole() -> None:
    for variable in variables.table().values():
        assert variable.expected and variable.meaning, variable.name
        if variable.default is not None:
            variable.parse(str(variable.default))


@pytest.mark.parametrize(
    ("one", "right", "wrong", "expected"),
    [
        ("SUIRO", ["on", "0", "no", "true"], ["", "of", "ON"], "on or off"),
        ("SUIRO_COLLECTIVES", ["mpi", "net"], ["tcp"], "mpi or net"),
        ("SUIRO_NET_RAILS", ["static"], ["one"], "balanced, static or striped"),
        ("SUIRO_NET_STREAMS", ["1", "16"], ["0", "17", "1K", " 1", "1_0"], "a number from 1 to 16"),
        ("SUIRO_WAN_FLOWS", ["1", "2147483647"], ["0", "2147483648"], "a number from 1"),
        ("SUIRO_NET_CHUNK", ["64K", "1G"], ["63K", "2G", "1.5M", "1T"], "a size from 64K to 1G"),
        ("SUIRO_CHECK_TOLERANCE", ["0", "1e-9"], ["-1", "nan", "x"], "a number from 0, such as"),
        ("SUIRO_NET_PEER_SECONDS", ["30"], ["0", "1.5"], "seconds from 1 to 86400"),
    ],
)
def test_values(one: str, right: list[str], wrong: list[str], expected: str) -> None:
    variable = variables.table()[one]
    for value in right:
        variable.parse(value)
    for value in wrong:
        with pytest.raises(WrongValueError) as caught:
            variable.parse(value)
        assert str(caught.value).startswith(f"{one}={value}: expected {expected}")


def test_values_are_shown_on_one_line() -> None:
    assert variables.table()["SUIRO_NETS"].shown("a\nb" + "c" * 99) == "a?b" + "c" * 57 + "..."
    assert variables.table()["SUIRO_JOB_SECRET"].shown("abc") == "(hidden)"


def test_names_that_are_none() -> None:
    given = ["SUIRO_ALTOALL", "SUIRO_ALLTOALL", "SUIRO", "SUIROX", "SUIRO_NET_STREAM", "SUIRO_XYZ"]
    assert list(variables.unknown(given).values()) == [
        'there is no variable SUIRO_ALTOALL; did you mean "SUIRO_ALLTOALL"?',
        'there is no variable SUIRO_NET_STREAM; did you mean "SUIRO_NET_STREAMS"?',
        "there is no variable SUIRO_XYZ",
    ]


def test_what_ranks_are_given() -> None:
    given = ["SUIRO", "SUIRO_BCAST", "SUIRO_NETS", "SUIRO_STORE", "SUIRO_LAB_NAME", "HOME"]
    assert variables.given_to_ranks(given) == {"SUIRO", "SUIRO_BCAST", "SUIRO_NETS"}


def test_doctor_tells_what_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "suiro").mkdir()
    cluster = tmp_path / "suiro/cluster.toml"
    cluster.write_text('version = 1\n[[site]]\nnodes = ["a", "b"]\n')
    found = {"XDG_CONFIG_HOME": str(tmp_path), "SUIRO_NET_EAGER": "5Q", "SUIRO_TOKEN": "x"}
    found |= {"SUIRO_BCAST": "ring", "SUIRO_BCATS": "ring", "PATH": os.environ["PATH"]}
    found["SUIRO_NATIVE_DIR"] = str(native.tool("suiro-schedule").parents[1])
    monkeypatch.setattr(os, "environ", found)
    shown = variables.table()["SUIRO_NATIVE_DIR"].shown(found["SUIRO_NATIVE_DIR"])
    lines = [f"{finding.status} {finding.text}" for finding in settings.examine()]
    assert lines == [
        'warning there is no variable SUIRO_BCATS; did you mean "SUIRO_BCAST"?',
        "ok SUIRO_BCAST=ring, by the environment",
        f"ok SUIRO_SITES=a,b, by `suiro run` from {cluster}",
        "problem SUIRO_NET_EAGER=5Q: expected a size from 0 to 1M",
        f"ok SUIRO_NATIVE_DIR={shown}, by the environment",
    ]
