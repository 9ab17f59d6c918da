# SPDX-License-Identifier: BSD-3-Clause
"""JSON documents that people and other programs hand us: what is wrong with one, and in which line,
which parsers do not tell."""

import json
import re
from collections.abc import Iterator
from typing import TypeVar

from pydantic import BaseModel, ValidationError

Location = tuple[str | int, ...]
_Model = TypeVar("_Model", bound=BaseModel)

_DECODER = json.JSONDecoder()
_BETWEEN = re.compile(r"[\s,:]*")
_CLOSING = {"{": "}", "[": "]"}
_SAID_LINE = re.compile(r" at line (\d+)")


class WrongJsonError(ValueError):
    """What is wrong, as a sentence without its end, and the line."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


def parse(model: type[_Model], data: bytes) -> _Model:
    """A document of that kind; WrongJsonError tells of the first mistake."""
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
    if first["type"] == "json_invalid":
        said = _SAID_LINE.search(first["msg"])
        raise WrongJsonError(int(said[1]) if said else 1, _SAID_LINE.sub(" at", first["msg"]))
    where = ".".join(map(str, first["loc"])) or "the whole"
    line = line_of(data.decode(errors="replace"), first["loc"])
    raise WrongJsonError(line, f"{where}: {first['msg']}")


def line_of(text: str, location: Location) -> int:
    """The line of a value, or else of the nearest one around it. The text is JSON."""
    return text.count("\n", 0, _position(text, _skip(text, 0), location)) + 1


def _position(text: str, at: int, location: Location) -> int:
    for name, begin in _members(text, at) if location else ():
        if name == location[0]:
            return _position(text, begin, location[1:])
    return at


def _members(text: str, at: int) -> Iterator[tuple[str | int, int]]:
    """Names, or numbers from 0 on, and where the values begin."""
    closing = _CLOSING.get(text[at])
    number = 0
    at = _skip(text, at + 1)
    while closing is not None and text[at] != closing:
        name: str | int = number
        if closing == "}":
            name, at = _DECODER.raw_decode(text, at)
            at = _skip(text, at)
        yield name, at
        _, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        number += 1


def _skip(text: str, at: int) -> int:
    match = _BETWEEN.match(text, at)
    return match.end() if match else at
