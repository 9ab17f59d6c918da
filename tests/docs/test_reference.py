# SPDX-License-Identifier: BSD-3-Clause
"""The reference is what the commands say, every command is told of, and no page invents any."""

import shlex
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer
from markdown import PAGES, suiro_commands

from suiro.cli.main import app


def test_the_reference_is_up_to_date(generate: ModuleType) -> None:
    pages = generate.pages()
    assert {path.name for path in generate.FOLDER.iterdir()} == set(pages)
    for name, text in pages.items():
        assert (generate.FOLDER / name).read_text() == text, f"{name}: run ./dev docs"


@pytest.mark.every
def test_pictures_of_terminals_are_up_to_date(generate: ModuleType) -> None:
    for name, picture in generate.terminal.pictures().items():
        assert (generate.FIGURES / name).read_text() == picture, f"{name}: run ./dev docs"


def test_every_command_is_explained_outside_the_reference(generate: ModuleType) -> None:
    prose = " ".join(" ".join(page.read_text().split()) for page in PAGES)
    undocumented = [name for name in generate.commands() if f"suiro {name}".strip() not in prose]
    assert not undocumented


def test_every_command_has_help() -> None:
    def without_help(command: object, name: str) -> list[str]:
        found = [] if getattr(command, "help", None) else [name]
        for parameter in getattr(command, "params", []):
            if not getattr(parameter, "help", None):
                found.append(f"{name} {parameter.name}")
        for word, child in getattr(command, "commands", {}).items():
            found += without_help(child, f"{name} {word}")
        return found

    assert not without_help(typer.main.get_command(app), "suiro")


def _unknown_words(line: str) -> list[str]:
    """Commands and options of one command line that do not exist."""
    command: Any = typer.main.get_command(app)
    words = shlex.split(line.replace("...", ""), comments=True)[1:]
    while words and (children := getattr(command, "commands", None)):
        word = words.pop(0)
        if not word.startswith("-"):
            if word not in children and not word.isupper():
                return [word]
            command = children.get(word, command)
        elif word not in ("--version", "--help", "--install-completion", "--show-completion"):
            return [word]
    own = words[: words.index("--")] if "--" in words else words
    opts = [parameter.opts + parameter.secondary_opts for parameter in command.params]
    options = {"--help"}.union(*opts)
    return [word for word in own if word.startswith("--") and word.split("=")[0] not in options]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_name_only_what_exists(page: Path) -> None:
    wrong = {line: words for line in suiro_commands(page) if (words := _unknown_words(line))}
    assert not wrong
