# SPDX-License-Identifier: BSD-3-Clause
"""Sizes, rates and times, the one way to read them and the one to print them. Sizes count in 1024s
and rates in thousands. What is printed, such as "64 KiB", "93.6 Mbit/s" and "10.1 ms", can be
typed; files have it short: "93.6M", "10.1ms"."""

import re

_NUMBER = r"(\d+(?:\.\d+)?)\s*"
_RATE = re.compile(_NUMBER + r"([KMG]?)(?:bit/s)?", re.IGNORECASE)
_SIZE = re.compile(_NUMBER + r"([KMG]?)(?:i?B)?", re.IGNORECASE)
_DURATION = re.compile(_NUMBER + r"(us|ms|s|m|h)")
_RATE_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}
_SIZE_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600}
_SHORT_TIMES = ("us", "ms", "s")


def bits_per_second(value: object) -> int:
    """A number, or text with K, M or G, which are thousands. ValueError if it is neither."""
    return _quantity(value, _RATE, _RATE_UNITS, '"50M" (bit/s)')


def byte_count(value: object) -> int:
    """A number, or text with K, M or G, which are 1024s. ValueError if it is neither."""
    return _quantity(value, _SIZE, _SIZE_UNITS, '"256K" (bytes)')


def microseconds(value: object) -> int:
    """From text with us, ms or s."""
    return round(fractions_of_microseconds(value))


def fractions_of_microseconds(value: object) -> float:
    """From text with us, ms or s, such as "1.2us"."""
    match = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None or match[2] not in _SHORT_TIMES:
        raise ValueError(f'expected a time such as "10ms" (us, ms or s), got {value!r}')
    return float(match[1]) * (_SECONDS[match[2]] * 1e6)


def seconds(value: str) -> float:
    """From text with s, m or h, such as "90s", "5m"; s may be left out."""
    match = _DURATION.fullmatch(value if value[-1:].isalpha() else f"{value}s")
    if match is None or match[2] not in ("s", "m", "h"):
        raise ValueError(f'expected a time such as "90s", "5m" or "1h", got {value!r}')
    return float(match[1]) * _SECONDS[match[2]]


def size_text(size: int) -> str:
    """Exactly: "64 KiB", "1500 B"; "-" of no data."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B" if size else "-"


def size_range_text(low: int, high: int) -> str:
    """The unit once, where it is the same: "64 to 128 KiB"."""
    first, last = size_text(low) if low else "0 B", size_text(high)
    return f"{first.removesuffix(last[last.index(' ') :])} to {last}"


def rough_size_text(size: float) -> str:
    """Three digits: "12.3 KiB"."""
    units: dict[str, float] = {"GiB": 1 << 30, "MiB": 1 << 20, "KiB": 1 << 10, "B": 1}
    return _with_unit(size, units, " ")


def rate_text(rate_bps: float) -> str:
    """Three digits: "93.6 Mbit/s"."""
    units = {"Gbit/s": 1e9, "Mbit/s": 1e6, "kbit/s": 1e3, "bit/s": 1}
    return _with_unit(rate_bps, units, " ")


def time_text(time_s: float) -> str:
    """Three digits: "10.1 ms"."""
    return _with_unit(time_s, _short(_SECONDS), " ")


def rate_in_file(rate_bps: float) -> str:
    """Three digits: "93.6M"."""
    return _with_unit(rate_bps, dict(reversed(_RATE_UNITS.items())))


def time_in_file(time_s: float) -> str:
    """Three digits: "10.1ms"."""
    return _with_unit(time_s, _short(_SECONDS))


def _short(units: dict[str, float]) -> dict[str, float]:
    return {name: units[name] for name in reversed(_SHORT_TIMES)}


def _with_unit(value: float, units: dict[str, float], blank: str = "") -> str:
    """Units from the largest to the smallest, which is for all that is smaller, too."""
    name = next((name for name, unit in units.items() if value >= unit), list(units)[-1])
    number = value / units[name]
    return f"{number:.3g}{blank}{name}" if number < 999.5 else f"{number:.0f}{blank}{name}"


def _quantity(value: object, pattern: re.Pattern[str], units: dict[str, int], example: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = pattern.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None or ("." in match[1] and not match[2]):  # parts of a byte
        raise ValueError(f"expected a number such as {example}, got {value!r}")
    return round(float(match[1]) * units[match[2].upper()])
