# SPDX-License-Identifier: BSD-3-Clause
"""Commands that have commands: their help tells what each is for, in whole sentences."""

from typing import Any

from typer.core import TyperGroup

_WHOLE = 1000  # characters of a sentence


class Group(TyperGroup):
    """Does not cut what a command is for to the width of the terminal."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        rows = [
            (name, command.get_short_help_str(_WHOLE))
            for name in self.list_commands(ctx)
            if (command := self.get_command(ctx, name)) is not None and not command.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
