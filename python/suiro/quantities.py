# SPDX-License-Identifier: BSD-3-Clause
"""Rates, sizes and times as people write them in files: "50M", "256K", "10ms"."""

import re

_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)\s*([KMG]?)")
_BIT_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}
_BYTE_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(us|ms|s)")
_DURATION_UNITS_US = {"us": 1, "ms": 10**3, "s": 10**6}


def bits_per_second(value: object) -> int:
    """A number, or text with K, M or G, which are thousands."""
    return _quantity(value, _BIT_UNITS, '"50M" (bit/s)')


def byte_count(value: object) -> int:
    """A number, or text with K, M or G, which are 1024s."""
    return _quantity(value, _BYTE_UNITS, '"256K" (bytes)')


def microseconds(value: object) -> int:
    """From text with us, ms or s."""
    return round(fractions_of_microseconds(value))


def fractions_of_microseconds(value: object) -> float:
    """From text with us, ms or s, such as "1.2us"."""
    match = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f'expected a time such as "10ms" (us, ms or s), got {value!r}')
    return float(match[1]) * _DURATION_UNITS_US[match[2]]


def rate_text(rate_bps: float) -> str:
    """Three digits, such as "188M"."""
    return _with_unit(rate_bps, {"G": 1e9, "M": 1e6, "K": 1e3, "": 1})


def time_text(time_s: float) -> str:
    """Three digits, such as "10.1ms"."""
    return _with_unit(time_s, {"s": 1, "ms": 1e-3, "us": 1e-6})


def _with_unit(value: float, units: dict[str, float]) -> str:
    """Units from the largest to the smallest, which is for all that is smaller, too."""
    name = next((name for name, unit in units.items() if value >= unit), list(units)[-1])
    number = value / units[name]
    return f"{number:.3g}{name}" if number < 999.5 else f"{number:.0f}{name}"


def _quantity(value: object, units: dict[str, int], example: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _QUANTITY.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"expected a number such as {example}, got {value!r}")
    return round(float(match[1]) * units[match[2]])
