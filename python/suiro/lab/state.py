# SPDX-License-Identifier: BSD-3-Clause
"""Which labs run: one folder per lab, made and removed by the lab's keeper process.

A folder whose keeper is gone is stale; every reader removes such folders.
"""

import contextlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from suiro.errors import SuiroError, UsageError
from suiro.lab import cpu_groups


def root() -> Path:
    """Where this user's labs are noted."""
    if os.geteuid() == 0:
        return Path("/run/suiro/labs")
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and os.access(runtime, os.W_OK):
        return Path(runtime) / "suiro-labs"
    return Path(tempfile.gettempdir()) / f"suiro-labs-{os.geteuid()}"


def create(folder: Path, record: dict[str, Any]) -> None:
    """Note a lab, or fail if one of this name runs."""
    remove_stale(folder.parent)
    for _ in range(3):  # another lab that ends may remove the parent folder in between
        with contextlib.suppress(FileNotFoundError):
            folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if folder.parent.stat().st_uid != os.geteuid():
                raise SuiroError(f"{folder.parent} belongs to somebody else: remove it")
            draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=folder.parent))
            _write(draft, record)
            try:
                draft.rename(folder)
            except OSError:
                shutil.rmtree(draft)
                raise UsageError(f"a lab named {folder.name} is up: choose another name") from None
            return
    raise SuiroError(f"{folder.parent} cannot be made")


def update(folder: Path, record: dict[str, Any]) -> None:
    """Replace the record of a lab in one step, so that readers never see half of it."""
    _write(folder, record)


def _write(folder: Path, record: dict[str, Any]) -> None:
    draft = folder / "lab.json.draft"
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(record))
    draft.rename(folder / "lab.json")


def remove(folder: Path) -> None:
    """Forget a lab, and the folders above it when it was the last one."""
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        folder.parent.rmdir()
        if folder.parent.parent.name == "suiro":
            folder.parent.parent.rmdir()


def records(labs: Path) -> list[dict[str, Any]]:
    """The records of all labs that run, oldest first."""
    remove_stale(labs)
    found = [record for folder in _folders(labs) if (record := _read(folder))]
    return sorted(found, key=lambda record: float(record["started"]))


def find(labs: Path, name: str) -> dict[str, Any]:
    """The record of one lab."""
    running = records(labs)
    for record in running:
        if record["name"] == name:
            return record
    names = ", ".join(record["name"] for record in running) or "none"
    raise UsageError(f"no lab named {name} is up (up: {names}): start it with `suiro lab up`")


def remove_stale(labs: Path) -> None:
    """Forget labs whose keeper was killed."""
    for folder in _folders(labs):
        record = _read(folder)
        if record and not alive(record["keeper"], record["keeper_start"]):
            if record["cpu_groups"]:
                cpu_groups.remove(Path(record["cpu_groups"]))
            remove(folder)


def start_time(pid: int) -> int:
    """When a process started, in clock ticks since boot; tells it from a later one of its number.

    0 when there is no such process.
    """
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0
    fields = text.rpartition(")")[2].split()
    return 0 if fields[0] in "ZX" else int(fields[19])


def alive(pid: int, start: int) -> bool:
    """Whether the very process that was noted still runs."""
    return start_time(pid) == start != 0


def _folders(labs: Path) -> list[Path]:
    try:
        found = sorted(labs.iterdir())
    except (FileNotFoundError, NotADirectoryError):  # the last lab removes it
        return []
    return [path for path in found if not path.name.startswith(".draft-")]


def _read(folder: Path) -> dict[str, Any] | None:
    try:
        record: dict[str, Any] = json.loads((folder / "lab.json").read_text())
    except (OSError, ValueError):
        return None
    return record
