# SPDX-License-Identifier: BSD-3-Clause
"""What a lab is made of: a TOML file, checked by a schema. The shipped ones are in `specs/`."""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    model_validator,
)

from suiro.errors import UsageError

SHIPPED = Path(__file__).parent / "specs"

_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)\s*([KMG]?)")
_BIT_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}
_BYTE_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


def _quantity(value: object, units: dict[str, int], example: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _QUANTITY.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"expected a number such as {example}, got {value!r}")
    return round(float(match[1]) * units[match[2]])


def _bits_per_second(value: object) -> int:
    return _quantity(value, _BIT_UNITS, '"50M" (bit/s)')


def _bytes(value: object) -> int:
    return _quantity(value, _BYTE_UNITS, '"256K" (bytes)')


def _ranks(value: object) -> int | list[int]:
    listed = value if isinstance(value, list) else [value]
    numbers = [ranks for ranks in listed if type(ranks) is int and 1 <= ranks <= 64]
    if len(numbers) < len(listed):
        raise ValueError(f"expected 1 to 64, or a list with such a number per host, got {value!r}")
    return numbers if isinstance(value, list) else numbers[0]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Hosts(_Section):
    """The machines. `ranks` is one number for every host, or a list with one for each."""

    count: int = Field(ge=2, le=64)
    ranks: Annotated[int | list[int], PlainValidator(_ranks)]

    @property
    def ranks_of(self) -> tuple[int, ...]:
        """Ranks host by host."""
        return (self.ranks,) * self.count if isinstance(self.ranks, int) else tuple(self.ranks)


class Link(_Section):
    """The one link from each host to the switch; both directions have this rate."""

    rate: Annotated[int, BeforeValidator(_bits_per_second), Field(ge=10**5, le=10**11)]
    mtu: int = Field(default=1500, ge=576, le=9000)
    # How many full frames TCP hands over as one, and the other end acknowledges as one. On fast
    # links this is 16 to 44. Every acknowledgement waits for an MTU frame of another flow at a busy
    # output, so with small super-frames TCP in both directions cannot fill a lossless switch.
    super_frame: int | None = Field(default=None, ge=1, le=40)
    queue: int = Field(default=8192, ge=16, le=65536)

    def frames_at_once(self) -> int:
        """The number of full frames in one super-frame, chosen by rate unless the spec says."""
        if self.super_frame is not None:
            return self.super_frame
        return max(1, 32768 // self.mtu)


class Switch(_Section):
    """How the switch queues: models are described in docs/lab-switch.md."""

    model: Literal["hol", "voq", "shared", "pause"]
    buffer: Annotated[int, BeforeValidator(_bytes), Field(ge=4096, le=2**30)] = 2**18


class Tcp(_Section):
    """The largest window per connection. Lossless models need it bounded: a full TAP ring drops."""

    window: Annotated[int, BeforeValidator(_bytes), Field(ge=8192, le=2**28)] = 2**18


class Spec(_Section):
    """A whole lab."""

    description: str = ""
    hosts: Hosts
    link: Link
    switch: Switch
    tcp: Tcp = Tcp()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(self.hosts.ranks_of) != self.hosts.count:
            raise ValueError(
                f"hosts.ranks: expected a number, or {self.hosts.count} of them (hosts.count), "
                f"got {len(self.hosts.ranks_of)}"
            )
        if self.ranks > 1024:
            raise ValueError(f"hosts.ranks: expected at most 1024 ranks in all, got {self.ranks}")
        if self.switch.buffer < 2 * self.link.mtu:
            raise ValueError("switch.buffer: expected room for at least two frames of link.mtu")
        return self

    @property
    def ranks(self) -> int:
        """Ranks in the whole lab."""
        return sum(self.hosts.ranks_of)


def shipped() -> dict[str, Path]:
    """Shipped specs by name."""
    return {path.stem: path for path in sorted(SHIPPED.glob("*.toml"))}


def load(spec: str) -> tuple[str, Spec]:
    """A shipped name or a file, as (name, spec)."""
    path = shipped().get(spec)
    if path is None:
        path = Path(spec)
        if not path.is_file():
            known = ", ".join(shipped())
            raise UsageError(f"no lab spec {spec}: give a TOML file or one of {known}")
    return path.stem, parse(path)


def parse(path: Path) -> Spec:
    """The spec in a file; the first thing wrong with it becomes one line."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not TOML: {error}") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        return Spec.model_validate(document)
    except ValidationError as error:
        raise UsageError(f"{path}: {_first_problem(error.errors())}") from None


def _first_problem(problems: list[Any]) -> str:
    problem = problems[0]
    where = ".".join(str(part) for part in problem["loc"])
    kind, given = problem["type"], problem["input"]
    if kind == "extra_forbidden":
        return f"{where}: unknown key"
    if kind == "missing":
        return f"{where}: missing"
    if kind == "value_error":
        text = str(problem["ctx"]["error"])
        return f"{where}: {text}" if where else text
    text = problem["msg"].replace("Input should be", "expected")
    return f"{where}: {text}, got {given!r}"
