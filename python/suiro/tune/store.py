# SPDX-License-Identifier: BSD-3-Clause
"""What was measured, kept for the next time: one new file for each job, written once and renamed
into place, never changed, so that two tuners at once, a network file system and a full disk can
lose at most their own samples. Reading names a broken file and goes on."""

import hashlib
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from suiro import variables
from suiro.errors import MachineError, SuiroError, UsageError
from suiro.json_lines import parse
from suiro.output import WriteError, reason_of, say, write_file
from suiro.quantities import size_text

_VARIABLE = "SUIRO_STORE"
FILE_BYTES_MAX = 64 << 20
_Seconds = Annotated[float, Field(gt=0, lt=1e6, allow_inf_nan=False)]


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Key(_Row):
    """Under which circumstances: samples are compared only where all of this is the same."""

    cluster: str = Field(min_length=1)
    mpi: str
    transport: str = ""  # empty in files of versions that did not tell it
    # What was compared with the default: the MPI's own, or ours; or ours, by applications.
    family: Literal["native", "suiro", "learnt"]
    node_of_rank: list[Annotated[int, Field(ge=0)]] = Field(min_length=1)
    collective: str
    root: int = Field(ge=0)


class Sample(_Row):
    """Times of one candidate at one size, in seconds, one for each call: of the last rank."""

    bytes: int = Field(ge=0)
    candidate: str = Field(min_length=1)
    seconds: list[_Seconds] = Field(min_length=1)
    final: bool = False  # of the last round, in pairs with the others of that


class Record(_Row):
    """One file."""

    version: Literal[1] = 1
    at: AwareDatetime
    key: Key
    samples: list[Sample]


def folder() -> Path:
    """SUIRO_STORE, or a folder of the user's."""
    given = variables.text(_VARIABLE)
    if given:
        return Path(given)
    home = os.environ.get("HOME")
    base = os.environ.get("XDG_DATA_HOME") or (f"{home}/.local/share" if home else "")
    if not base:
        raise MachineError(f"there is no HOME for the store: {_VARIABLE} names a folder")
    return Path(base) / "suiro" / "store"


@contextmanager
def working_folder() -> Iterator[Path]:
    """For the time of a run; all nodes see it, as they see the user's files."""
    base = folder()
    try:
        base.mkdir(parents=True, exist_ok=True)
        made = tempfile.TemporaryDirectory(prefix="tune-", dir=base, ignore_cleanup_errors=True)
    except OSError as error:
        raise SuiroError(
            f"cannot write into {base}: {reason_of(error)}; {_VARIABLE} names a folder that all "
            "nodes see"
        ) from None
    with made as name:
        yield Path(name).absolute()


def is_there() -> bool:
    """UsageError where this user may not look."""
    try:
        return folder().is_dir()
    except OSError as error:
        raise UsageError(
            f"the store in {folder()} cannot be read: {reason_of(error)}; {_VARIABLE} names another"
        ) from None


def cluster_named(hosts: Iterable[str]) -> str:
    """A name for the nodes: the lab's, or made from their names."""
    lab = variables.text("SUIRO_LAB_SPEC")
    if lab:
        return f"lab-{Path(lab).stem}"
    names = ",".join(sorted(set(hosts)))
    return "hosts-" + hashlib.sha256(names.encode()).hexdigest()[:12]


def mpi_named(version: str) -> str:
    """The beginning of what the MPI library says of itself."""
    return re.sub(r"\s+", " ", re.split(r"[,\n]", version)[0])


def cluster_folder(cluster: str) -> Path:
    """Where a cluster's files are."""
    return folder() / re.sub(r"[^A-Za-z0-9._-]", "_", cluster)


def write(key: Key, samples: list[Sample]) -> Path:
    """A new file; SuiroError if it cannot be written, and then none is left."""
    record = Record(at=datetime.now(UTC), key=key, samples=samples)
    target = cluster_folder(key.cluster)
    stamp = record.at.strftime("%Y%m%dT%H%M%S")
    path = target / f"{stamp}-{key.collective}-{secrets.token_hex(4)}.json"
    try:
        target.mkdir(parents=True, exist_ok=True)
        write_file(path, record.model_dump_json() + "\n")
    except (OSError, WriteError) as error:
        raise SuiroError(
            f"cannot keep what was measured: {error}; the results above are all there is; "
            f"{_VARIABLE} names another folder"
        ) from None
    return path


def read_all(cluster: str) -> Iterator[tuple[Path, Record]]:
    """Of a cluster, oldest first; what is wrong with a file is told once, on standard error."""
    target = cluster_folder(cluster)
    try:
        paths = sorted(target.glob("*.json")) if is_there() else []
    except OSError as error:  # may be looked at, but not into
        _complain(target, reason_of(error))
        return
    for path in paths:
        try:
            yield path, parse(Record, _bytes_of(path))
        except FileNotFoundError:  # removed meanwhile, as anyone may
            continue
        except (OSError, ValueError) as error:
            _complain(path, str(error))


def _bytes_of(path: Path) -> bytes:
    """Of a file that anyone may have put there: what never ends, or waits, is none."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("expected a regular file")
        text = file.read(FILE_BYTES_MAX + 1)
    if len(text) > FILE_BYTES_MAX:
        raise ValueError(f"expected at most {size_text(FILE_BYTES_MAX)}")
    return text


def _complain(path: Path, what: str) -> None:
    say(f"{path} is left out: {what}")


def samples_of(key: Key) -> dict[int, list[Sample]]:
    """By size, what the store has under this key."""
    return latest(record for _, record in read_all(key.cluster) if record.key == key)


def latest(records: Iterable[Record]) -> dict[int, list[Sample]]:
    """By size, the samples of one key's records, oldest first. Of rounds that decide only the
    latest, since its times are in pairs."""
    found: dict[int, list[Sample]] = {}
    for record in records:
        decided = {sample.bytes for sample in record.samples if sample.final}
        for size in decided & set(found):
            found[size] = [sample for sample in found[size] if not sample.final]
        for sample in record.samples:
            found.setdefault(sample.bytes, []).append(sample)
    return found
