# SPDX-License-Identifier: BSD-3-Clause
"""The style rules that no formatter knows, as a test: licence lines, lengths, layers, leftovers."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
COLUMNS_MAX = 100
FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60
ROOM_FILES_MAX = 25
# Spelt in two halves, so that this file passes its own test.
LEFTOVERS = ("FIX" + "ME", "TO" + "DO", "XX" + "X")
# Layers that use none of the others and are used by none.
LONERS = {"src/bench", "src/compat", "src/lab", "src/switch"}
# What runs for a collective, or how it is called: by their nature something for each of them.
SAY_WHAT_RUNS = (
    "src/choose/bound_rules.cpp",
    "src/bench/collectives.c",
    "src/choose/native_",
    "python/suiro/bench/wide_area.py",
    "python/suiro/tune/han.py",
    "python/suiro/tune/mpich",
    "python/suiro/tune/openmpi.py",
)
# What looks like a path here: below a folder that is here, or of a file of C++ or Python.
PATH = re.compile(
    r"(?<![\w./<>*{}-])(?:(?:docs|python|src|tests)/[\w./-]*\w|(?:[\w-]+/)*[\w-]+\.(?:[ch]pp|py)\b)"
)
# What generators write, sources of MPICH and HPCG, and what is made up.
NO_PATHS_HERE = (
    *("algorithms/declared.hpp", "base/variables.hpp", "entries.cpp", "real.hpp", "rows.cpp"),
    *("src/mpi/coll", "src/mpi/comm", "src/mpid", "ComputeMG.cpp"),
    *("NAME.cpp", "leader_ring.cpp", "docs/file", "src/file"),
)


def tracked(*patterns: str) -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [ROOT / line for line in listing.stdout.splitlines() if (ROOT / line).is_file()]


def sources() -> list[Path]:
    patterns = "*.cpp *.hpp *.c *.h *.py *.f90 *CMakeLists.txt dev .ci/run"
    return tracked(*patterns.split())


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_every_source_begins_with_its_licence() -> None:
    missing = [
        name(path)
        for path in sources()
        if path.read_text().strip()
        and "SPDX-License-Identifier: BSD-3-Clause" not in "".join(path.read_text()[:200])
    ]
    assert not missing


def test_lines_and_files_are_short() -> None:
    long = []
    for path in sources():
        lines = path.read_text().splitlines()
        if len(lines) > FILE_LINES_MAX:
            long.append(f"{name(path)}: {len(lines)} lines")
        long += [
            f"{name(path)}:{number}: {len(line)} columns"
            for number, line in enumerate(lines, 1)
            if len(line) > COLUMNS_MAX
        ]
    assert not long


def test_python_functions_fit_a_screen() -> None:
    long = []
    for path in tracked("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
                length = node.end_lineno - node.lineno + 1
                if length > FUNCTION_LINES_MAX:
                    long.append(f"{name(path)}:{node.lineno}: {node.name} has {length} lines")
    assert not long


def test_native_functions_fit_a_screen() -> None:
    """A function is from a line that ends in `) {`, at any depth, to its closing brace."""
    long = []
    for path in tracked("*.cpp", "*.hpp", "*.c"):
        lines = path.read_text().splitlines()
        for start, line in enumerate(lines):
            opening = re.match(r"^(\s*)[^\s:].*\)( const| noexcept| override)*( -> \S+)? \{$", line)
            if not opening or "TEST" in line:
                continue
            closing = opening.group(1) + "}"
            length = next(
                (n for n, later in enumerate(lines[start:], 1) if later.startswith(closing)), 1
            )
            if length > FUNCTION_LINES_MAX:
                long.append(f"{name(path)}:{start + 1}: {length} lines")
    assert not long


def order(readme: str) -> list[str]:
    """The layers or rooms that a map lists, bottom up."""
    return re.findall(r"^\| `(\w+)` \|", (ROOT / readme).read_text(), re.MULTILINE)


def upward_includes(folder: str) -> list[str]:
    """What files of a layer or room include of those below it in the folder's map."""
    places = order(f"{folder}/README.md")
    prefix = "".join(f"{part}/" for part in Path(folder).parts[1:])
    wrong = []
    for path in tracked(f"{folder}/*.cpp", f"{folder}/*.hpp", f"{folder}/*.c"):
        place = path.relative_to(ROOT / folder).parts[0]
        includes = re.findall(rf'^#include "({prefix}\w+/.+)"', path.read_text(), re.MULTILINE)
        for included in includes:
            other = included.removeprefix(prefix).split("/")[0]
            if other == place or other not in places:
                continue
            if f"{folder}/{place}" in LONERS or places.index(other) > places.index(place):
                wrong.append(f"{name(path)} includes {included}")
    return wrong


@pytest.mark.parametrize("folder", ["src", "src/net", "src/mpi"])
def test_each_place_includes_only_what_is_above_it_in_the_map(folder: str) -> None:
    places = {path.relative_to(ROOT / folder).parts[0] for path in tracked(f"{folder}/*/*")}
    assert places == set(order(f"{folder}/README.md"))
    assert not upward_includes(folder)


def test_each_folder_of_tests_is_on_the_map() -> None:
    folders = {path.relative_to(ROOT / "tests").parts[0] for path in tracked("tests/*/*")}
    assert folders == set(order("tests/README.md"))


def packages_used(package: Path) -> set[str]:
    """Of suiro's, by its modules."""
    tree = ast.parse("\n".join(path.read_text() for path in package.rglob("*.py")))
    modules = [
        f"{node.module}.{alias.name}".split(".")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    used = {names[1] for names in modules if names[0] == "suiro"}
    return {one for one in used if (package.parent / one).is_dir()} - {package.name}


def test_each_package_uses_what_the_map_says() -> None:
    folder = ROOT / "python/suiro"
    rows = re.findall(r"^\| `(\w+)` \|.*\| (.*) \|$", (folder / "README.md").read_text(), re.M)
    told = {package: set(re.findall(r"`(\w+)`", uses)) for package, uses in rows}
    packages = [path.parent for path in tracked("python/suiro/*/__init__.py")]
    assert told == {package.name: packages_used(package) for package in packages}


def test_rooms_can_be_surveyed() -> None:
    counts = {
        f"{folder}/{room}": len(tracked(f"{folder}/{room}/*"))
        for folder in ("src/net", "src/mpi")
        for room in order(f"{folder}/README.md")
    }
    assert max(counts.values()) <= ROOM_FILES_MAX, counts


def test_collectives_are_listed_in_one_table() -> None:
    """Whoever needs a list of them reads it from src/collectives, so that one more is one row."""
    table = (ROOT / "src/collectives/collectives.cpp").read_text()
    collectives = set(re.findall(r'(?:\.name = |\w\()"(\w+)"', table))
    assert len(collectives) > 15
    lists = []
    for path in tracked("src/*", "python/suiro/*.py"):
        if name(path).startswith(("src/collectives/", *SAY_WHAT_RUNS)):
            continue
        named = collectives & set(re.findall(r'"(\w+)"', path.read_text(errors="replace")))
        if len(named) > 2:
            lists.append(f"{name(path)}: {', '.join(sorted(named))}")
    assert not lists


def test_what_is_named_is_there() -> None:
    """Paths in code, comments and pages, as far as they are given; what was is another matter."""
    there = "\n".join(f"/{name(path)}" for path in tracked())
    gone = []
    for path in [*sources(), *tracked("*.md", "*.json")]:
        if name(path).startswith(("CHANGELOG.md", "docs/results/")):
            continue
        text = re.sub(r"^#include .*", "", path.read_text(), flags=re.MULTILINE)
        gone += [
            f"{name(path)}: {found}"
            for found in PATH.findall(text)
            if f"/{found}" not in there and not any(one in found for one in NO_PATHS_HERE)
        ]
    assert not gone


def test_nothing_is_left_over() -> None:
    found = [
        f"{name(path)}:{number}"
        for path in sources()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if any(re.search(rf"\b{word}\b", line) for word in LEFTOVERS)
    ]
    assert not found
