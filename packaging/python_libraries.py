# SPDX-License-Identifier: BSD-3-Clause
"""python_libraries.py FOLDER WHEELS: the Python code and the libraries that it needs, in one folder
for several Pythons.

Their wheels differ only in compiled modules, whose names have the Python's version, so that those
of all versions can stand side by side. WHEELS keeps what was fetched.
"""

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

_VERSIONS = ("3.11", "3.12", "3.13", "3.14")
_PLATFORMS = ("2_28", "2_27", "2_26", "2_24", "2_17", "2_12", "2_5")
_LEGACY = ("manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64")
_UNUSED = ("/tests/", "/include/", ".pyi", ".a")


def _fetch(requirements: list[str], version: str, wheels: Path) -> list[Path]:
    folder = wheels / version
    platforms = [f"manylinux_{tag}_x86_64" for tag in _PLATFORMS] + list(_LEGACY)
    command = [sys.executable, "-m", "pip", "download", "-q", "-c", "constraints.txt"]
    command += ["-d", str(folder), "--only-binary", ":all:", "--python-version", version]
    command += [word for platform in platforms for word in ("--platform", platform)]
    shutil.rmtree(folder, ignore_errors=True)
    if subprocess.run([*command, *requirements]).returncode != 0:
        sys.exit(f"dev: the Python libraries for {version} cannot be fetched: pip said why")
    return sorted(folder.glob("*.whl"))


def main() -> None:
    """Everything comes from the package index that pip is set up for, as constraints.txt pins."""
    target, wheels = Path(sys.argv[1]), Path(sys.argv[2])
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    for version in _VERSIONS:
        for wheel in _fetch(project["dependencies"], version, wheels):
            with zipfile.ZipFile(wheel) as archive:
                names = archive.namelist()
                kept = [name for name in names if not any(part in name for part in _UNUSED[:2])]
                archive.extractall(target, [n for n in kept if not n.endswith(_UNUSED[2:])])
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree("python/suiro", target / "suiro", ignore=ignored, dirs_exist_ok=True)


main()
