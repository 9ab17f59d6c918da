# SPDX-License-Identifier: BSD-3-Clause
"""Joins sources into few units, for clang-tidy: lint_units.py COMMANDS FOLDER < SOURCES

clang-tidy spends most of its time in the headers that every source includes, so it is shown the
sources of a target in one unit, but for those whose local names clash with others'. Writes the
units and their compile_commands.json, and prints the units' names.
"""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
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


def clashing(target: Target, sources: list[str]) -> set[str]:
    """Those in which a compiler finds errors when it sees all of them in one unit; it finds the
    second of two that clash. An error that is elsewhere, as in a header, leaves none together."""
    if len(sources) == 1:
        return set()
    options = ["-fsyntax-only", "-w", "-ferror-limit=0", "-x", "c++", "-"]
    checked = subprocess.run(
        ["clang++", *target.options, *options],
        cwd=target.folder,
        input=unit_text(sources),
        text=True,
        capture_output=True,
    )
    wrong = set(re.findall(r"^(.+?):\d+:\d+: (?:fatal )?error:", checked.stderr, re.MULTILINE))
    later = set(sources[1:])
    return wrong if wrong <= later else later


def units(target: Target) -> list[list[str]]:
    """One of those that go together, and each that does not by itself."""
    together, alone = target.sources, set[str]()
    # A third that clashes shows only when the second is not there.
    while more := clashing(target, together):
        alone |= more
        together = [source for source in together if source not in more]
    return [together, *([source] for source in sorted(alone))]


def write(folder: Path, number: int, target: Target, sources: list[str]) -> dict[str, str]:
    """Writes a unit, and returns how it is compiled."""
    unit = folder / f"{PREFIX}-{number}-{target.name}.cpp"
    unit.write_text(unit_text(sources))
    words = ["c++", *target.options, "-c", str(unit)]
    return {"directory": target.folder, "file": str(unit), "command": shlex.join(words)}


def main() -> None:
    commands, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(exist_ok=True)
    wanted = {str(Path(line).resolve()) for line in sys.stdin.read().split()}
    found = list(targets(json.loads(commands.read_text()), wanted))
    with ThreadPoolExecutor() as pool:
        packed = pool.map(lambda target: [(target, unit) for unit in units(target)], found)
    largest_first = sorted(chain(*packed), key=lambda unit: -len(unit[1]))
    written = [write(folder.resolve(), number, *unit) for number, unit in enumerate(largest_first)]
    (folder / "compile_commands.json").write_text(json.dumps(written, indent=1))
    print(*(command["file"] for command in written), sep="\n")


main()
