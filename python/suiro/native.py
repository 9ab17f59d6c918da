# SPDX-License-Identifier: BSD-3-Clause
"""Where suiro's native programs and libraries are: a folder that has `bin` and `lib` below it."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from suiro.errors import MachineError


def tool(name: str) -> Path:
    """The path of a native program, such as `suiro-switch`."""
    return _find("bin", name)


def library(name: str) -> Path:
    """The path of a native library, such as `libsuiro-openmpi.so`."""
    return _find("lib", name)


def _find(kind: str, name: str) -> Path:
    folders = list(_folders())
    for folder in folders:
        candidate = folder / kind / name
        if candidate.is_file():
            return candidate.resolve()
    places = ", ".join(str(folder / kind) for folder in folders)
    raise MachineError(f"{name} is not in {places}: run `./dev build`")


def _folders() -> Iterator[Path]:
    """An explicit folder is the only one looked at, so that a wrong one is never papered over."""
    chosen = os.environ.get("SUIRO_NATIVE_DIR")
    if chosen:
        yield Path(chosen)
        return
    yield Path(sys.prefix) / "lib" / "suiro"
    yield Path(__file__).resolve().parents[2] / "build" / "release"
