# SPDX-License-Identifier: BSD-3-Clause
"""Sizes, budgets and orders, from the words of the command line."""

import re

from suiro.bench.plan import parse_size
from suiro.errors import UsageError
from suiro.quantities import seconds

_RANGE = re.compile(r"(\w+)-(\w+):(\w+)")
_SIZES_MAX = 512


def parse_grid(text: str) -> list[int]:
    """ "1000-10000:1000,64K" as bytes, ascending."""
    sizes: set[int] = set()
    for word in text.split(","):
        match = _RANGE.fullmatch(word)
        if match is None:
            sizes.add(parse_size(word))
            continue
        first, last, step = (parse_size(part) for part in match.groups())
        if first > last:
            raise UsageError(f"--sizes {word}: the first is larger than the last")
        if (last - first) // step >= _SIZES_MAX:
            raise UsageError(f"--sizes {word}: more than {_SIZES_MAX} sizes")
        sizes.update(range(first, last + 1, step))
    if len(sizes) > _SIZES_MAX:
        raise UsageError(f"--sizes: {len(sizes)} sizes, more than {_SIZES_MAX}")
    return sorted(sizes)


def parse_time(text: str, option: str = "--budget") -> float:
    """ "5m" as seconds."""
    try:
        time_s = seconds(text)
    except ValueError:
        time_s = 0.0
    if time_s == 0:
        raise UsageError(f'{option} "{text}": give a time such as 90s, 5m or 1h')
    return time_s


def coarse_to_fine(sizes: list[int]) -> list[int]:
    """The ends, then the middles, and so on: whenever it is interrupted, what is known is spread
    over all."""
    order: list[int] = []
    seen: set[int] = set()
    step = max(1, len(sizes) - 1)
    while len(order) < len(sizes):
        for index in range(0, len(sizes), step):
            if index not in seen:
                seen.add(index)
                order.append(sizes[index])
        if step == 1:
            break
        step = max(1, step // 2)
    return order


def whole_units(sizes: list[int], unit: int) -> list[int]:
    """What is reduced are integers: the next whole number of them."""
    return sorted({-(-size // unit) * unit for size in sizes})
