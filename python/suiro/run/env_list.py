# SPDX-License-Identifier: BSD-3-Clause
"""Open MPI's own list of variables for ranks, `mca_base_env_list`: it may stand in a file of the
site's or the user's, in a variable or on the command line.

Where there is one, Open MPI 4 refuses every `-x`, so suiro joins its variables to the list.
Open MPI 5 takes both, and `-x` wins.
"""

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from suiro.run.launchers import Launcher, contexts, options

NAME = "mca_base_env_list"
_DELIMITER = f"{NAME}_delimiter"
_PARAMETER = ("mca", "gmca", "omca", "gomca")
_FILES = {"am": "mca_base_param_file_prefix", "tune": "mca_base_envar_file_prefix"}
_FACT = re.compile(rf"^mca:mca:base:param:({NAME}\w*):(value|source):(.*)$", re.MULTILINE)
_UNIT_SEPARATOR = "\x1f"


@dataclass(frozen=True)
class EnvList:
    """NAME or NAME=VALUE of each variable."""

    tokens: tuple[str, ...] = ()
    delimiter: str = ";"
    others: tuple[str, ...] = ()  # of a file's lines with -x, which an -x overrides
    source: str = ""

    def refuses_others(self, launcher: Launcher) -> bool:
        """Whether nothing reaches ranks but by the list."""
        return bool(self.tokens) and 1 <= launcher.major < 5

    @property
    def preload(self) -> str:
        """What it puts into LD_PRELOAD."""
        values = [
            token.removeprefix("LD_PRELOAD=")
            for token in (*self.tokens, *self.others)
            if token.startswith("LD_PRELOAD=")
        ]
        return ":".join(filter(None, values))

    def obstacle(self, launcher: Launcher) -> str:
        """Why nothing can be joined to it, as a sentence without its end."""
        if self.refuses_others(launcher) and "-override.conf" in self.source:
            return f"{NAME} is set where no option can change it, {self.source}"
        return ""

    def joined(self, preload: str, names: Sequence[str], values: Mapping[str, str]) -> list[str]:
        """The options of a launcher that hand on suiro's variables and the list's.

        suiro's come first, since Open MPI leaves out whatever follows a name that is not set. It
        takes `NAME` wrongly if the value has an equals sign; then the value itself is given.
        """
        ours = [f"LD_PRELOAD={preload}"]
        ours += [f"{n}={values[n]}" if "=" in values.get(n, "") else n for n in names]
        kept = [token for token in self.tokens if token.partition("=")[0] != "LD_PRELOAD"]
        clash = any(self.delimiter in token for token in ours)
        delimiter = _UNIT_SEPARATOR if clash else self.delimiter
        return [
            *(["--mca", _DELIMITER, delimiter] if delimiter != ";" else []),
            *("--mca", NAME, delimiter.join([*ours, *kept])),
        ]


def is_part_of(option: Sequence[str]) -> bool:
    """Whether an option of a launcher sets the list, or what is between its variables."""
    return option[0].lstrip("-") in _PARAMETER and option[1:2] in ([NAME], [_DELIMITER])


def of(launcher: Launcher, arguments: Sequence[str], environment: Mapping[str, str]) -> EnvList:
    """The list that holds for a job, as Open MPI itself sees it."""
    if launcher.mpi != "openmpi":
        return EnvList()
    given = _given(launcher, arguments)
    info = Path(launcher.path).resolve().with_name("ompi_info")
    command = [str(info), "--parsable", "--internal", "--param", "mca", "base", "--level", "9"]
    try:
        text = subprocess.run(
            command,
            env=dict(environment) | given,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=20,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        text = ""
    facts = {(name, what): value.strip('"') for name, what, value in _FACT.findall(text)}
    seen = dict(environment) | given
    value = facts.get((NAME, "value"), seen.get(f"OMPI_MCA_{NAME}", ""))
    delimiter = facts.get((_DELIMITER, "value"), seen.get(f"OMPI_MCA_{_DELIMITER}", ";"))
    if len(delimiter) != 1 or not 1 <= launcher.major < 5:
        delimiter = ";"
    others = facts.get((f"{NAME}_internal", "value"), "")
    return EnvList(
        tuple(filter(None, value.split(delimiter))),
        delimiter,
        tuple(filter(None, others.split(";"))),
        facts.get((NAME, "source"), ""),
    )


def _given(launcher: Launcher, arguments: Sequence[str]) -> dict[str, str]:
    """What the command line says of it, as the variables that say the same. Open MPI 4 looks at the
    first part only."""
    found: dict[str, str] = {}
    for option, *values in options(launcher.mpi, contexts(arguments)[0]):
        name = option.lstrip("-")
        if name in _PARAMETER and len(values) == 2:
            found[values[0]] = values[1].strip('"')
        elif name in _FILES and values:
            found[_FILES[name]] = values[0]
    return {f"OMPI_MCA_{name}": value for name, value in found.items() if "mca_base" in name}
