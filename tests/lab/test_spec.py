# SPDX-License-Identifier: BSD-3-Clause
"""Specs: the shipped ones are right, and a wrong one is refused in one line that says where."""

from pathlib import Path

import pytest

from suiro.errors import UsageError
from suiro.lab.spec import load, parse, shipped

GOOD = """
[hosts]
count = 2
ranks = 3
[link]
rate = "1.5M"
[switch]
model = "voq"
buffer = "64K"
"""


def spec_file(folder: Path, text: str) -> Path:
    path = folder / "lab.toml"
    path.write_text(text)
    return path


def test_units_and_defaults(tmp_path: Path) -> None:
    spec = parse(spec_file(tmp_path, GOOD))
    assert (spec.link.rate, spec.switch.buffer, spec.tcp.window) == (1_500_000, 65536, 262144)
    assert (spec.link.mtu, spec.link.frames_at_once(), spec.ranks) == (1500, 21, 6)


def test_shipped_names_say_what_they_are() -> None:
    for name in shipped():
        _, spec = load(name)
        if name == "uneven":
            assert (spec.hosts.ranks_of, spec.ranks) == ((1, 2, 4, 5), 12)
            continue
        shape, model = name.split("-")
        assert (f"{spec.hosts.count}x{spec.hosts.ranks}", spec.switch.model) == (shape, model)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('rate = "1.5M"', 'rate = "fast"', "link.rate: expected a number such as"),
        ('rate = "1.5M"', "rate = 10", "link.rate: expected greater than or equal to 100000"),
        ('rate = "1.5M"', "", "link.rate: missing"),
        ("count = 2", "count = true", "hosts.count: expected a valid integer, got True"),
        ("count = 2", "count = 1", "hosts.count: expected greater than or equal to 2, got 1"),
        ("ranks = 3", "ranks = 3\nslots = 1", "hosts.slots: unknown key"),
        ("ranks = 3", "ranks = 0", "hosts.ranks: expected 1 to 64, or a list with such a"),
        ("ranks = 3", "ranks = [1, true]", "hosts.ranks: expected 1 to 64, or a list with such a"),
        ("ranks = 3", "ranks = [1]", "hosts.ranks: expected a number, or 2 of them"),
        ("ranks = 3", "ranks = []", "hosts.ranks: expected a number, or 2 of them"),
        ('"voq"', '"magic"', "switch.model: expected 'hol', 'voq', 'shared' or 'pause'"),
        ("[hosts]", "[hosts", "not TOML"),
        ('"64K"', '"4K"\n[link.more]', "link.more: unknown key"),
    ],
)
def test_wrong_specs(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = spec_file(tmp_path, GOOD.replace(old, new))
    with pytest.raises(UsageError) as caught:
        parse(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


def test_unknown_name() -> None:
    with pytest.raises(UsageError, match="no lab spec nonsense: give a TOML file or one of"):
        load("nonsense")
