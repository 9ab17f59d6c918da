# SPDX-License-Identifier: BSD-3-Clause
"""TOML files that a schema checks: what is wrong becomes one line with file and line, and says what
was expected."""

import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from suiro.errors import UsageError
from suiro.toml_lines import Location, line_of

Model = TypeVar("Model", bound=BaseModel)


def read(path: Path, model: type[Model]) -> tuple[Model, str]:
    """What is in a file, and its text; UsageError for the first thing that is wrong with it."""
    try:
        text = path.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not TOML: {error}") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        return model.model_validate(document), text
    except ValidationError as error:
        location, message = _first_problem(error.errors())
    line = line_of(text, location)
    raise UsageError(f"{path}:{line}: {message}" if line else f"{path}: {message}")


def _first_problem(problems: list[Any]) -> tuple[Location, str]:
    """Where the problem is, and what it is in one line."""
    problem = problems[0]
    location: Location = problem["loc"]
    where = ".".join(str(part) for part in location)
    kind, given = problem["type"], problem["input"]
    if kind == "extra_forbidden":
        return location, f"{where}: unknown key"
    if kind == "missing":
        return location, f"{where}: missing"
    if kind == "value_error":
        text = str(problem["ctx"]["error"])
        parts = text.split(":")[0].split(".")
        key = tuple(int(part) if part.isdigit() else part for part in parts)
        return (location, f"{where}: {text}") if where else (key, text)
    text = problem["msg"].replace("Input should be", "expected")
    return location, f"{where}: {text}, got {given!r}"
