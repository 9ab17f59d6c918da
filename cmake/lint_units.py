# SPDX-License-Identifier: BSD-3-Clause
"""Joins sources into few units, for clang-tidy: lint_units.py COMMANDS FOLDER < SOURCES

clang-tidy spends most of its time in the headers that every source includes, so it is shown the
sources of a target, or of all rooms of a layer, in one unit; hence their local names must differ.
Writes the units and their compile_commands.json, and prints the units' names.
"""

import json
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Clang's analyzer takes functions of files that a unit of this name includes for the unit's own,
# and would pass them over as a header's otherwise.
PREFIX = "UnifiedSource"


@dataclass(frozen=True)
class Target:
    """Sources that are compiled in the same way."""

    name: str
    folder: str
    options: tuple[str, ...]
    sources: list[str]


def compiled(file: str) -> list[str]:
    """The sources in what is compiled: several where CMake has joined them."""
    if not re.fullmatch(r"unity_\d+_cxx\.cxx", Path(file).name):
        return [file]
    return re.findall(r'^#include "(.+)"$', Path(file).read_text(), re.MULTILINE)


def targets(commands: list[dict[str, str]], wanted: set[str]) -> Iterator[Target]:
    """A source that is compiled several times, for several MPIs, counts for the first target."""
    found: dict[str, Target] = {}
    for command in commands:
        sources = [source for source in compiled(command["file"]) if source in wanted]
        if not sources:
            continue
        wanted.difference_update(sources)
        words = shlex.split(command["command"])
        output = words.index("-o")
        name = Path(words[output + 1].partition(".dir/")[0]).name
        name = re.sub(r"^(suiro_[a-z]+)_.*", r"\1", name)  # rooms of a layer are compiled alike
        # GCC has warnings that Clang does not know.
        options = (*words[1:output], "-Wno-unknown-warning-option")
        target = Target(name, command["directory"], options, [])
        found.setdefault(name, target).sources.extend(sources)
    if wanted:
        sys.exit(
            f"lint: no target compiles {min(wanted)}: name it in a CMakeLists.txt, or remove it"
        )
    yield from found.values()


def unit_text(sources: list[str]) -> str:
    return "".join(
        f'// NOLINTNEXTLINE(bugprone-suspicious-include)\n#include "{source}"\n'
        for source in sources
    )


def write(folder: Path, number: int, target: Target) -> dict[str, str]:
    """Writes a unit, and returns how it is compiled."""
    unit = folder / f"{PREFIX}-{number}-{target.name}.cpp"
    unit.write_text(unit_text(sorted(target.sources)))  # one order, however the build joins them
    words = ["c++", *target.options, "-c", str(unit)]
    return {"directory": target.folder, "file": str(unit), "command": shlex.join(words)}


def main() -> None:
    commands, folder = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    folder.mkdir(exist_ok=True)
    wanted = {str(Path(line).resolve()) for line in sys.stdin.read().split()}
    found = targets(json.loads(commands.read_text()), wanted)
    largest_first = sorted(found, key=lambda target: -len(target.sources))
    written = [write(folder, number, target) for number, target in enumerate(largest_first)]
    (folder / "compile_commands.json").write_text(json.dumps(written, indent=1))
    print(*(command["file"] for command in written), sep="\n")


main()
