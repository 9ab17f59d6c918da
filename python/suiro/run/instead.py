# SPDX-License-Identifier: BSD-3-Clause
"""A launcher's command with another program in the place of the user's."""

from collections.abc import Callable, Sequence

from suiro.run import launchers, srun, wrappers
from suiro.run.launchers import Launcher


def with_program(
    launcher: Launcher | None, words: Sequence[str], program: Callable[[str], Sequence[str]]
) -> list[str]:
    """The launcher's own options, and what `program` makes of the name that stood there; empty if
    none did. Without a launcher that is known it is srun."""
    changed = [words[0]]
    for number, part in enumerate(launchers.contexts(words[1:])):
        index = (
            srun.program_index(part)
            if launcher is None
            else launchers.program_index(launcher.mpi, part)
        )
        name = wrappers.program(part[index:]) if index < len(part) else ""
        changed += [*([":"] if number else []), *part[:index], *program(name)]
    return changed
