# SPDX-License-Identifier: BSD-3-Clause
"""Where suiro's native programs and libraries are: a folder that has `bin` and `lib` below it."""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from suiro import variables
from suiro.errors import MachineError
from suiro.output import reason_of

_BUILD = re.compile(rb"suiro build ([0-9a-f]{16})\0")  # cmake/write_build_id.cmake
_PYTHON = Path(__file__).resolve().parents[1]  # the folder from which suiro is imported
# Beside the code in a wheel, around it in an installed folder, or built in a checkout.
_PLACES = (_PYTHON / "suiro" / "_native", *_PYTHON.parents[1:2], _PYTHON.parent / "build/release")


def tool(name: str) -> Path:
    """The path of a native program, such as `suiro-switch`."""
    return _find("bin", name)


def library(name: str) -> Path:
    """The path of a native library, such as `libsuiro-openmpi.so`."""
    return _find("lib", name)


def example(name: str) -> Path:
    """The path of an example's source, such as `fftw_transform.c`."""
    return _find("examples", name)


def run(
    name: str, arguments: Sequence[str], seconds: float | None = None
) -> subprocess.CompletedProcess[str]:
    """A native program, to its end; subprocess.TimeoutExpired where it takes longer."""
    command = [str(tool(name)), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except OSError as error:  # such as a file that is being replaced
        raise MachineError(f"{command[0]} does not start: {reason_of(error)}; try again, install "
                           "suiro again, or in a checkout run `./dev build`") from None  # fmt: skip


@cache
def collectives() -> list[str]:
    """The names of all, as the native tool has them: Python lists none."""
    listing = run("suiro-schedule", ["collectives"])
    listing.check_returncode()
    return [line.split()[0] for line in listing.stdout.splitlines()]


def build_of(file: Path) -> str:
    """The id of the build that a native file is from; empty if it has none."""
    found = _BUILD.search(file.read_bytes())
    return found[1].decode() if found else ""


def files() -> list[Path]:
    """All native files, of the first folder that has any."""
    for folder in _folders():
        found = [*folder.glob("lib/libsuiro-*.so"), *folder.glob("bin/suiro-*")]
        if found:
            return sorted(found)
    return []


def mixture() -> str:
    """Which file is not of the build of the others, as a sentence without its end; or empty."""
    builds = {file: build_of(file) for file in files()}
    ids = list(builds.values())
    for file, build in builds.items():
        usual = max(set(ids), key=ids.count)
        if build != usual:
            return f"{file} is of build {build or 'unknown'}, and others of {usual}"
    return ""


def module(name: str) -> list[str]:
    """The words that run a module of suiro's in a process of its own, wherever suiro is installed;
    programs which that starts find no Python path changed."""
    code = (
        f"import runpy, sys; sys.path.insert(0, {str(_PYTHON)!r}); "
        f"runpy.run_module({name!r}, run_name='__main__', alter_sys=True)"
    )
    return [sys.executable, "-P", "-c", code]


def _find(kind: str, name: str) -> Path:
    folders = list(_folders())
    for folder in folders:
        candidate = folder / kind / name
        if candidate.is_file():
            return candidate.resolve()
    places = ", ".join(str(folder / kind) for folder in folders)
    raise MachineError(
        f"{name} is not in {places}: install suiro again, or in a checkout run `./dev build`"
    )


def _folders() -> Iterator[Path]:
    """An explicit folder is the only one looked at, so that a wrong one is never papered over."""
    chosen = variables.text("SUIRO_NATIVE_DIR")
    if chosen:
        yield Path(chosen)
        return
    yield from _PLACES
