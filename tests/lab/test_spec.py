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

SITES = """
[hosts]
count = 5
ranks = 1
[sites]
hosts = [2, 2, 1]
[[wan]]
rate = "1M"
delay = "1.5ms"
[[wan]]
sites = [2, 0]
rate = "2M"
delay = "1s"
[link]
rate = "1M"
[switch]
model = "voq"
"""

OTHERS = {
    "4x8-cloud": (8,) * 4,
    "uneven": (1, 2, 4, 5),
    "two-sites-narrow": (1,) * 16,
    "two-sites-wide": (1,) * 32,
    "two-sites": (1,) * 16,
    "five-sites-uneven": (1, 2, 1, 2, 2, 1, 1, 1, 2, 1, 2, 2),
    "three-sites-uneven": (1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1),
    "four-rails": (4,) * 4,
    "mixed-speed": (2,) * 4,
    "fat-tree-8x2": (2,) * 8,
}


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
        if name in OTHERS:
            assert spec.hosts.ranks_of == OTHERS[name]
            continue
        shape, model = name.split("-")
        assert (f"{spec.hosts.count}x{spec.hosts.ranks}", spec.switch.model) == (shape, model)


def test_wans_of_sites(tmp_path: Path) -> None:
    spec = parse(spec_file(tmp_path, SITES))
    assert spec.site_of_host == (0, 0, 1, 1, 2)
    assert {pair: wan.rate for pair, wan in spec.wans.items()} == {
        (0, 1): 1_000_000,
        (0, 2): 2_000_000,
        (1, 2): 1_000_000,
    }
    assert (spec.wans[0, 1].delay, spec.wans[0, 2].delay) == (1_500, 1_000_000)


def test_one_number_or_one_for_each(tmp_path: Path) -> None:
    text = GOOD.replace('"1.5M"', '["1M", "2M"]').replace("ranks = 3", "ranks = 3\ncpu = 0.5")
    spec = parse(spec_file(tmp_path, text))
    assert (spec.link.rates, spec.hosts.cpu_of) == ((1_000_000, 2_000_000), (0.5, 0.5))


def check_message(path: Path, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(path)
    assert str(caught.value).startswith(f"{path}:{message}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('rate = "1.5M"', 'rate = "fast"', "6: link.rate: expected a number such as"),
        ('rate = "1.5M"', "rate = 10", '6: link.rate: expected "100K" to "100G" (bit/s), got 10'),
        ('rate = "1.5M"', "rate = []", "6: link.rate: expected a rate, or a list of 1 to 8"),
        ('rate = "1.5M"', "", "5: link.rate: missing"),
        ('rate = "1.5M"', 'rate = "1M"\nstream = 1', '7: link.stream: expected "100K" to "100G"'),
        ('rate = "1.5M"', 'rate = "1M"\nstream = "2M"', "7: link.stream: expected at most the"),
        ("count = 2", "count = true", "3: hosts.count: expected a valid integer, got True"),
        ("count = 2", "count = 1", "3: hosts.count: expected greater than or equal to 2, got 1"),
        ("ranks = 3", "ranks = 3\nslots = 1", "5: hosts.slots: unknown key"),
        ("ranks = 3", "ranks = 0", "4: hosts.ranks: expected 1 to 64, or a list with such a"),
        ("ranks = 3", "ranks = [1, true]", "4: hosts.ranks: expected 1 to 64, or a list with"),
        ("ranks = 3", "ranks = [1]", "4: hosts.ranks: expected a number, or 2 of them"),
        ("ranks = 3", "ranks = []", "4: hosts.ranks: expected a number, or 2 of them"),
        ("ranks = 3", "ranks = 3\ncpu = 0", "5: hosts.cpu: expected cores from 0.1 to 64"),
        ("ranks = 3", "ranks = 3\ncpu = [1, 1, 1]", "5: hosts.cpu: expected a number, or 2"),
        ('"voq"', '"magic"', "8: switch.model: expected 'hol', 'voq', 'shared', 'pause', 'wire'"),
        ("[hosts]", "[hosts", " not TOML"),
        ('"64K"', '"4K"\n[link.more]', "10: link.more: unknown key"),
        ('"64K"', '"4K"\n[wan]\nrate="1M"\ndelay="1ms"', "10: wan: expected a section sites"),
        ('"64K"', '"4K"\n[tree]\nleaf_hosts=1', "10: tree.spines: missing"),
    ],
)
def test_wrong_specs(tmp_path: Path, old: str, new: str, message: str) -> None:
    check_message(spec_file(tmp_path, GOOD.replace(old, new)), message)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[2, 2, 1]", "[2, 2]", "6: sites.hosts: expected 5 hosts together (hosts.count), got 4"),
        ("[2, 0]", "[2, 2]", "11: wan.1.sites: expected two different sites, from 0 to 2, got"),
        ("[2, 0]", "[0, 3]", "11: wan.1.sites: expected two different sites, from 0 to 2, got"),
        ("sites = [2, 0]", "", "10: wan.1.sites: expected two sites that no WAN"),
        ('"1.5ms"', '"1.5"', '9: wan.0.delay: expected a time such as "10ms"'),
        ('"1s"', '"1s"\nloss = 1.0', "14: wan.1.loss: expected less than 1, got 1.0"),
        ('rate = "1M"\ndelay', 'sites = [0, 1]\nrate = "1M"\nspeed', "7: wan.0.delay: missing"),
        ('[link]\nrate = "1M"', '[link]\nrate = ["1M", "1M"]', "5: sites: expected one link per"),
        ("[link]", "[tree]\nleaf_hosts = 1\nspines = 1\n[link]", "14: tree: expected neither"),
    ],
)
def test_wrong_sites(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in SITES
    check_message(spec_file(tmp_path, SITES.replace(old, new, 1)), message)


def test_a_site_without_wan(tmp_path: Path) -> None:
    alone = SITES.replace("[[wan]]\nrate", "[[wan]]\nsites = [0, 1]\nrate").replace(
        "[2, 0]", "[1, 0]"
    )
    check_message(spec_file(tmp_path, alone), "12: wan.1.sites: expected two sites that no")
    second = alone[: alone.rindex("[[wan]]")] + alone[alone.index("[link]") :]
    check_message(spec_file(tmp_path, second), "7: wan: expected a WAN that joins site 2 to the")


def test_unknown_name() -> None:
    with pytest.raises(UsageError, match="no lab spec nonsense: give a TOML file or one of"):
        load("nonsense")
