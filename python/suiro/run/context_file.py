# SPDX-License-Identifier: BSD-3-Clause
"""A file that holds parts of a launcher's command line, one a line: Open MPI's `--app FILE`,
Hydra's `-configfile FILE`, or the one that Hydra reads by itself."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from suiro.run.launchers import Launcher, contexts, options

_OPTION = {"openmpi": "app", "mpich": "configfile"}
_COMMENT = {"openmpi": re.compile(r"#|//"), "mpich": re.compile("#")}
_SYSTEM = Path("/etc/mpiexec.hydra.conf")


@dataclass(frozen=True)
class ContextFile:
    """Its lines, and where it was named."""

    parts: list[list[str]]
    option: str  # as it was written; empty where the launcher reads it by itself


def find(
    launcher: Launcher, arguments: Sequence[str], environment: Mapping[str, str]
) -> ContextFile | None:
    """The file that counts; none, too, when it cannot be read, of which the launcher complains."""
    for part in contexts(arguments):
        for option, *values in options(launcher.mpi, part):
            if option.lstrip("-") == _OPTION[launcher.mpi] and values:
                return _read(launcher.mpi, Path(values[0]), option)
    if launcher.mpi != "mpich":
        return None
    own = Path(environment.get("HOME", "/")) / ".mpiexec.hydra.conf"
    named = environment.get("HYDRA_CONFIG_FILE")
    for path in (*([Path(named)] if named else []), own, _SYSTEM):
        found = _read(launcher.mpi, path, "")
        if found:
            return found
    return None


def in_memory(parts: Sequence[Sequence[str]]) -> tuple[int, str]:
    """A file without a name that lives as long as a process has it open; and how to name it."""
    number = os.memfd_create("suiro-run", 0)
    text = "".join(" ".join(part) + "\n" for part in parts)
    os.write(number, text.encode(errors="surrogateescape"))
    return number, f"/dev/fd/{number}"


def _read(mpi: str, path: Path, option: str) -> ContextFile | None:
    try:
        lines = path.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return None
    words = [_COMMENT[mpi].split(line, maxsplit=1)[0].split() for line in lines]
    return ContextFile([part for line in words if line for part in contexts(line)], option)
