# SPDX-License-Identifier: BSD-3-Clause
"""What to measure, from the words of the command line."""

import re
from dataclasses import dataclass

from suiro.errors import UsageError

COLLECTIVES = ("alltoall", "alltoallv", "alltoallw")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_LARGEST_BYTES = (1 << 31) - 1
_ALGORITHM = re.compile(r"[a-z][a-z0-9_]*(:[a-z_]+=\d+(,[a-z_]+=\d+)*)?")


@dataclass(frozen=True)
class Plan:
    """Every algorithm at every size, `repeat` times (None: many for small, few for large).

    Blocks of alltoallv and alltoallw are up to `spread_percent` larger or smaller than the size.
    """

    collective: str
    algorithms: tuple[str, ...]
    sizes: tuple[int, ...]
    repeat: int | None
    budget_s: float
    steps: bool = False
    interface: str = "-"
    link_rate_bps: int | None = None
    spread_percent: int = 0

    def repetitions(self, block_bytes: int) -> int:
        if self.repeat is not None:
            return self.repeat
        return 200 if block_bytes < 4096 else 50 if block_bytes < 32768 else 10


def parse_sizes(text: str) -> tuple[int, ...]:
    """ "1K,256K,1M" as bytes, ascending and without repetition."""
    return tuple(sorted({_quantity(word, "size", 1024) for word in _words(text, "--sizes")}))


def parse_rate(text: str) -> int:
    """ "50M" as bits per second."""
    return _quantity(text, "rate", 1000)


def _quantity(word: str, what: str, base: int) -> int:
    match = re.fullmatch(r"(\d+)([KMG]?)", word, re.IGNORECASE)
    if match is None:
        raise UsageError(f'"{word}" is not a {what}: give a number with K, M or G, such as 256K')
    exponent = ["", "K", "M", "G"].index(match[2].upper())
    value = int(match[1]) * int(base**exponent)
    if what == "size" and value > _LARGEST_BYTES:
        raise UsageError(f'size "{word}" is too large: a block is at most {_LARGEST_BYTES} bytes')
    if value == 0:
        raise UsageError(f'{what} "{word}": nothing would be measured; give at least 1')
    return value


def parse_algorithms(text: str) -> tuple[str, ...]:
    """ "ring,two_level_ring:window=4,native", in the order given; parameters in the library's."""
    # A comma inside parameters belongs to the algorithm: it is followed by NAME=VALUE.
    words = _words(re.sub(r",(?=[a-z_]+=)", ";", text), "--algorithms")
    names = [word.replace(";", ",") for word in words]
    for name in names:
        if _ALGORITHM.fullmatch(name) is None:
            raise UsageError(
                f'"{name}" is not the name of an algorithm: `suiro algorithms` lists them'
            )
    return tuple(dict.fromkeys(map(_canonical, names)))


def _canonical(algorithm: str) -> str:
    """Parameters sorted by name, as `suiro run --explain` names what ran."""
    name, colon, parameters = algorithm.partition(":")
    return name + colon + ",".join(sorted(parameters.split(",")))


def spread_of(collective: str, given: int | None, steps: bool) -> int:
    """By how many percent blocks differ."""
    if collective == "alltoall":
        if given:
            raise UsageError("--spread: blocks of alltoall are all equal; measure alltoallv")
        return 0
    if steps:
        raise UsageError(f"--steps: rounds of {collective} have no schedule; measure alltoall")
    return 50 if given is None else given


def check_algorithms(collective: str, names: tuple[str, ...]) -> None:
    """Unknown names and parameters are refused before a cluster is started for them."""
    from suiro.bench.catalog import algorithm_names, check_parameters

    if names == ("native",):
        return

    known = {*algorithm_names(collective), "native", "auto"}
    for name in names:
        base, _, parameters = name.partition(":")
        if base not in known:
            listed = ", ".join(sorted(known))
            raise UsageError(f'unknown algorithm "{name}" for {collective}: there are {listed}')
        if parameters and base in ("native", "auto"):
            raise UsageError(f'"{name}": {base} takes no parameters; leave out :{parameters}')
        if parameters:
            check_parameters("alltoall", name)


def _words(text: str, option: str) -> list[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise UsageError(f"{option} is empty: give at least one, separated by commas")
    return words
