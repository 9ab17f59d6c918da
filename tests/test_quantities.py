# SPDX-License-Identifier: BSD-3-Clause
"""What is printed can be typed, and what is in files is short."""

import pytest

from suiro import quantities


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "-"), (8, "8 B"), (1500, "1500 B"), (65536, "64 KiB"), (3 << 20, "3 MiB")],
)
def test_sizes(size: int, text: str) -> None:
    assert quantities.size_text(size) == text
    assert size == 0 or quantities.byte_count(text) == size


def test_ranges_of_sizes() -> None:
    ranges = ((0, 4), (4, 8), (65536, 131072), (524288, 1 << 20))
    texts = ["0 to 4 B", "4 to 8 B", "64 to 128 KiB", "512 KiB to 1 MiB"]
    assert [quantities.size_range_text(low, high) for low, high in ranges] == texts


def test_rough_sizes() -> None:
    sizes = (0, 512, 12600, 66.5e6, 3 * 2**31)
    texts = ["0 B", "512 B", "12.3 KiB", "63.4 MiB", "6 GiB"]
    assert list(map(quantities.rough_size_text, sizes)) == texts


@pytest.mark.parametrize(
    ("rate", "text", "short"),
    [
        (93.6e6, "93.6 Mbit/s", "93.6M"),
        (1e9, "1 Gbit/s", "1G"),
        (1500, "1.5 kbit/s", "1.5K"),
        (7, "7 bit/s", "7"),
    ],
)
def test_rates(rate: float, text: str, short: str) -> None:
    assert (quantities.rate_text(rate), quantities.rate_in_file(rate)) == (text, short)
    assert quantities.bits_per_second(text) == quantities.bits_per_second(short) == rate


@pytest.mark.parametrize(
    ("time", "text", "short"),
    [
        (1.2e-6, "1.2 us", "1.2us"),
        (0.0101, "10.1 ms", "10.1ms"),
        (2.5, "2.5 s", "2.5s"),
        (4321, "4321 s", "4321s"),
    ],
)
def test_times(time: float, text: str, short: str) -> None:
    assert (quantities.time_text(time), quantities.time_in_file(time)) == (text, short)
    for typed in (text, short):
        assert quantities.fractions_of_microseconds(typed) == pytest.approx(time * 1e6)
    assert [quantities.seconds(typed) for typed in ("90", "90s", "5m", "1.5h")] == [
        90,
        90,
        300,
        5400,
    ]


@pytest.mark.parametrize("text", ["", "KiB", "1 TiB", "-1", "1 k k", "1,5", "1.5", True, None, 1.5])
def test_what_is_no_size(text: object) -> None:
    with pytest.raises(ValueError, match="expected a number such as"):
        quantities.byte_count(text)
    with pytest.raises(ValueError, match="expected a time such as"):
        quantities.microseconds(text)
