# SPDX-License-Identifier: BSD-3-Clause
"""What to measure, from the words of the command line."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from suiro.bench.catalog import Collective, algorithms, check_parameters
from suiro.errors import UsageError, did_you_mean
from suiro.quantities import bits_per_second, byte_count

DEFAULT_SIZES = "32K,256K"
DEFAULT_BUDGET_S = 600.0
_DEFAULT_ROOT = 1  # a root of 0 would hide what ranks in another order than that of nodes cost
_LARGEST_BYTES = (1 << 31) - 1
_ALGORITHM = re.compile(r"[a-z][a-z0-9_]*(:[a-z_]+=\d+(,[a-z_]+=\d+)*)?")


@dataclass(frozen=True)
class Plan:
    """Every algorithm at every size, `repeat` times (None: many for small, few for large).

    Blocks that may differ are up to `spread_percent` larger or smaller than the size. `port_bytes`
    are, by size, the bytes through the busiest link that it was made from, if it was.
    """

    collective: Collective
    algorithms: tuple[str, ...]
    sizes: tuple[int, ...]
    repeat: int | None
    budget_s: float
    steps: bool = False
    interface: str = "-"
    link_rate_bps: int | None = None
    spread_percent: int = 0
    root: int | None = None
    port_bytes: dict[int, int] = field(default_factory=dict)

    def repetitions(self, size: int) -> int:
        if self.repeat is not None:
            return self.repeat
        return 200 if size < 4096 else 50 if size < 32768 else 10

    def root_among(self, ranks: int) -> int:
        """0 where there is no root to choose."""
        if not self.collective.rooted:
            return 0
        if self.root is None:
            return min(_DEFAULT_ROOT, ranks - 1)
        if self.root >= ranks:
            raise UsageError(f"--root {self.root}: there are {ranks} ranks, 0 to {ranks - 1}")
        return self.root


def parse_sizes(text: str) -> tuple[int, ...]:
    """ "1K,256K,1M" as bytes, ascending and without repetition."""
    return tuple(sorted({parse_size(word) for word in _words(text, "--sizes")}))


def parse_size(text: str) -> int:
    """ "64K" as bytes."""
    size = _above_0(text, "size", byte_count)
    if size > _LARGEST_BYTES:
        raise UsageError(f'size "{text}" is too large: at most {_LARGEST_BYTES} bytes')
    return size


def parse_rate(text: str) -> int:
    """ "50M" as bits per second."""
    return _above_0(text, "rate", bits_per_second)


def _above_0(word: str, what: str, read: Callable[[str], int]) -> int:
    try:
        value = read(word)
    except ValueError:
        raise UsageError(
            f'"{word}" is not a {what}: give a number with K, M or G, such as 256K'
        ) from None
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


def sizes_of(collective: Collective, text: str | None) -> tuple[int, ...]:
    """A call without data has one size, 0."""
    if not collective.has_data:
        if text is not None:
            raise UsageError(f"--sizes: {collective.name} has no data; leave it out")
        return (0,)
    sizes = parse_sizes(DEFAULT_SIZES if text is None else text)
    odd = [size for size in sizes if size % collective.unit_bytes]
    if odd:
        raise UsageError(
            f"size {odd[0]}: {collective.name} is measured with integers, give a multiple of "
            f"{collective.unit_bytes}"
        )
    return sizes


def root_of(collective: Collective, given: int | None) -> int | None:
    if given is not None and not collective.rooted:
        raise UsageError(f"--root: {collective.name} has no root; leave it out")
    return given


def spread_of(collective: Collective, given: int | None) -> int:
    """By how many percent blocks differ."""
    if collective.unequal:
        return 50 if given is None else given
    if given:
        raise UsageError(f"--spread: nothing differs in {collective.name}; measure alltoallv")
    return 0


def check_steps(collective: Collective, steps: bool) -> None:
    if steps and (collective.unequal or not collective.sends_blocks):
        raise UsageError(f"--steps: rounds of {collective.name} cannot run alone; measure alltoall")


def check_algorithms(collective: Collective, names: tuple[str, ...]) -> None:
    """Unknown names and parameters are refused before a cluster is started for them."""
    if names == ("native",):
        return

    known = {*algorithms(collective.name), "native", "auto"}
    for name in names:
        base, _, parameters = name.partition(":")
        if base not in known:
            listed = ", ".join(sorted(known))
            raise UsageError(
                f'unknown algorithm "{name}" for {collective.name}: there are {listed}'
                + did_you_mean(base, known)
            )
        if parameters and base in ("native", "auto"):
            raise UsageError(f'"{name}": {base} takes no parameters; leave out :{parameters}')
        if parameters:
            check_parameters(collective.name, name)


def _words(text: str, option: str) -> list[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise UsageError(f"{option} is empty: give at least one, separated by commas")
    return words
