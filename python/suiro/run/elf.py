# SPDX-License-Identifier: BSD-3-Clause
"""Which MPI a program uses, read from its file. The program itself is never run: its own dynamic
linker lists what it would load."""

import mmap
import re
import struct
import subprocess
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Kind(Enum):
    """What a program's file tells about its MPI."""

    OPENMPI = "openmpi"  # and all later ones of the same binary interface
    MPICH = "mpich"  # and Intel MPI, MVAPICH and others that keep to its binary interface
    MPI_ABI = "mpi_abi"  # the MPI standard's own binary interface, of any MPI
    OTHER_MPI = "other"  # an MPI that suiro does not know
    STATIC_MPI = "static"  # MPI is inside the program: nothing can stand in between
    NOT_MPI = "none"  # nothing in it can become an MPI program
    UNKNOWN = "unknown"  # a script, an interpreter, a wrapper: it cannot be told beforehand


@dataclass(frozen=True)
class Program:
    """A program's file, and what was found."""

    path: Path
    kind: Kind
    detail: str = ""
    loads_providers: bool = False  # of libfabric; told of MPICH and its like only
    sets_asan_options: bool = False  # of an AddressSanitizer that is a library


# What suiro has a library for.
MPI_KINDS = (Kind.OPENMPI, Kind.MPICH, Kind.MPI_ABI)

LIBRARIES = {
    "libmpi.so.40": Kind.OPENMPI,
    "libmpi.so.12": Kind.MPICH,
    "libmpich.so.12": Kind.MPICH,
    "libmpi_abi.so.1": Kind.MPI_ABI,
}
_OTHER_LIBRARY = re.compile(r"\b(libmpi(?:ch|_[a-z_]+)?\.so[.\d]*)\b")
_MISSING = re.compile(r"loading shared libraries: ([^:\s]+): cannot open shared object")
_INTERPRETER = 3  # PT_INTERP


def examine(path: Path) -> Program:
    """Looks into a program's file."""
    try:
        with path.open("rb") as file:
            if file.read(4) != b"\x7fELF":
                return Program(path, Kind.UNKNOWN)
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as image:
                return _examine_image(path, image)
    except (OSError, ValueError, IndexError, struct.error):
        return Program(path, Kind.UNKNOWN)


def _examine_image(path: Path, image: mmap.mmap) -> Program:
    interpreter = _interpreter(image)
    defines_mpi = image.find(b"PMPI_Init\0") >= 0
    if interpreter is None:
        return Program(path, Kind.STATIC_MPI if defines_mpi else Kind.NOT_MPI)
    listing, missing = _loaded(interpreter, path)
    for library, kind in LIBRARIES.items():
        found = re.search(rf"^\s*{re.escape(library)}\b(?: => (\S+))?", listing, re.MULTILINE)
        if found:
            own = _sets_asan_options(image, listing)
            return Program(path, kind, library, _names_libfabric(found[1]), own)
        if library == missing:
            return Program(path, kind, library, loads_providers=True)  # as far as one can tell
    if missing:
        return Program(path, Kind.UNKNOWN)  # it may be found where the program runs
    other = _OTHER_LIBRARY.search(listing)
    if other:
        return Program(path, Kind.OTHER_MPI, other[1])
    if defines_mpi:
        return Program(path, Kind.STATIC_MPI)
    # What opens libraries or starts programs may bring MPI in later, as Python and shells do.
    brings_more = any(image.find(name) >= 0 for name in (b"dlopen\0", b"execv", b"posix_spawn"))
    return Program(path, Kind.UNKNOWN if brings_more else Kind.NOT_MPI)


def _sets_asan_options(image: mmap.mmap, listing: str) -> bool:
    """Its function hides the one by which suiro's library asks not to be minded (sanitizer.cpp)."""
    shared = re.search(r"^\s*lib(asan\.so|clang_rt\.asan)", listing, re.MULTILINE)
    return shared is not None and image.find(b"\0__asan_default_options\0") >= 0


def _names_libfabric(library: str | None) -> bool:
    """As a library that it needs or opens, or by a variable that a copy inside it reads."""
    try:
        image = Path(library or "").read_bytes()
    except OSError:
        return True  # as far as one can tell
    return b"libfabric.so" in image or b"FI_PROVIDER_PATH" in image


def _interpreter(image: mmap.mmap) -> str | None:
    """The dynamic linker that the program names; none when it is linked statically."""
    if image[4] != 2:  # 64 bits
        return None
    order = "<" if image[5] == 1 else ">"
    (table,) = struct.unpack_from(f"{order}Q", image, 32)
    size, count = struct.unpack_from(f"{order}HH", image, 54)
    for number in range(count):
        entry = table + number * size
        (kind,) = struct.unpack_from(f"{order}I", image, entry)
        if kind == _INTERPRETER:
            (offset,) = struct.unpack_from(f"{order}Q", image, entry + 8)
            (length,) = struct.unpack_from(f"{order}Q", image, entry + 32)
            return image[offset : offset + length].rstrip(b"\0").decode(errors="replace")
    return None


def _loaded(interpreter: str, path: Path) -> tuple[str, str]:
    """The dynamic linker's list, which ends at the first library that is missing; and that one."""
    try:
        answer = subprocess.run(
            [interpreter, "--list", str(path.resolve())],
            capture_output=True,
            text=True,
            timeout=10,
            errors="replace",
        )
    except (OSError, subprocess.TimeoutExpired):
        return "", ""
    missing = _MISSING.search(answer.stderr)
    return answer.stdout, missing[1] if missing else ""
