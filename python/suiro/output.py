# SPDX-License-Identifier: BSD-3-Clause
"""What suiro tells and writes. A message that nobody can take is dropped; a result that cannot be
written becomes one line and an exit code; a file is whole, or as it was before."""

import errno
import io
import mmap
import os
import select
import stat
import sys
import textwrap
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TextIO

from suiro.errors import SuiroError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

_NARROWEST = 20  # columns for text
_UNLIMITED = 1 << 20  # columns
_OF_NAMES = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)


class WriteError(SuiroError):
    """Something that was asked for could not be written."""


class ReaderGoneError(WriteError):
    """Standard output is a pipe, and its reader has seen enough: no reason for a message."""


def set_up() -> None:
    """Call it first in every program of suiro's. What is closed stays so for programs that are
    started, but no file or socket of suiro's gets in its place."""
    for descriptor, flags in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, flags)  # the lowest number that is free; writing to 1 fails
    sys.stdout = _stream(_Results(), sys.stdout)
    sys.stderr = _stream(_Messages(), sys.stderr)


def say(message: str) -> None:
    """One line to the user, on standard error."""
    with suppress(OSError, ValueError):  # where nobody has called set_up()
        sys.stderr.write(f"suiro: {message}\n")
        sys.stderr.flush()


class _Raw(io.RawIOBase):
    """A standard stream. It may not block since it is shared: a launcher sets that for its own."""

    descriptor = 1

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.descriptor

    def isatty(self) -> bool:
        return os.isatty(self.descriptor)

    def put(self, data: memoryview) -> int:
        while True:
            try:
                return os.write(self.descriptor, data)
            except BlockingIOError:
                waiting = select.poll()
                waiting.register(self.descriptor, select.POLLOUT)
                waiting.poll()


class _Messages(_Raw):
    descriptor = 2

    def write(self, data: memoryview) -> int:  # type: ignore[override]
        with suppress(OSError):
            return self.put(data)
        return len(data)


class _Results(_Raw):
    _failed = False

    def write(self, data: memoryview) -> int:  # type: ignore[override]
        """Fails once: what is still in the buffer then has nowhere to go."""
        if self._failed:
            return len(data)
        try:
            return self.put(data)
        except BrokenPipeError:
            self._failed = True
            raise ReaderGoneError("nobody reads standard output") from None
        except OSError as error:
            self._failed = True
            raise WriteError(f"cannot write to standard output: {reason_of(error)}") from None


def _stream(raw: _Raw, like: TextIO | None) -> io.TextIOWrapper:
    """Letters that the encoding does not have become escapes."""
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=(like and like.encoding) or "utf-8",
        errors="backslashreplace",
        line_buffering=raw.descriptor == 2 or raw.isatty(),
    )


def columns(stream: IO[str], in_file: int | None = None) -> int | None:
    """What COLUMNS says, as for other commands; or else of the terminal; where there is none, what
    a file wants. None: lines may be as long as they get."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told) > 0:
        return int(told)
    with suppress(OSError, ValueError):  # it is no terminal
        return os.get_terminal_size(stream.fileno()).columns or in_file
    return in_file


def console(in_file: int | None = None, **options: Any) -> "Console":
    """For results, with words in colours: as many columns as columns() says."""
    from rich.console import Console

    return Console(width=columns(sys.stdout, in_file) or _UNLIMITED, **options)


def wrapped(text: str, width: int | None, indent: str = "") -> list[str]:
    """Lines of at most so many columns, and all but the first behind the indent. Breaks are
    between words only: a word that is longer stands out."""
    if width is None:
        return [text]
    return textwrap.wrap(
        text,
        max(width, len(indent) + _NARROWEST),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def reason_of(error: OSError) -> str:
    """In the system's words, as a rule."""
    return error.strerror or str(error)


def told_of(error: Exception) -> str:
    """Anything that was caught, as the beginning of a line."""
    if isinstance(error, OSError):
        return f"{error.filename}: {reason_of(error)}" if error.filename else reason_of(error)
    return str(error) if isinstance(error, SuiroError) else f"suiro failed: {error!r}"


def exit_code_of(error: SuiroError | OSError) -> int:
    """Of the system's errors those with a file that is not there, or not for this user, are as a
    wrong command line."""
    if isinstance(error, SuiroError):
        return error.exit_code
    wrong = error.filename and isinstance(error, _OF_NAMES)
    return UsageError.exit_code if wrong else SuiroError.exit_code


def check_place(path: Path, option: str = "") -> None:
    """Before anything is measured for a file that could not be written."""
    problem = _problem(path)
    if problem:
        raise UsageError(f"{option} {path}: {problem}".lstrip())


def _problem(path: Path) -> str:
    """A page is written and removed, since no figures of a file system tell that it takes one."""
    try:
        target = path.resolve()
        folder = target.parent
        if target.exists():
            if target.is_dir():
                return "this is a folder"
            if not os.access(target, os.W_OK):
                return os.strerror(errno.EACCES)
            if not (target.is_file() and os.access(folder, os.W_OK)):
                return ""
        elif not folder.is_dir():
            return f"there is no folder {path.parent}"
        draft = _draft(target)
        try:
            _write(draft, bytes(mmap.PAGESIZE))
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        return reason_of(error)
    return ""


class Lines:
    """A file that grows while something runs, which goes on when the file cannot: whole lines are
    left in it, and close() tells why there are no more."""

    def __init__(self, path: Path, option: str) -> None:
        self._name = f"{option} {path}"
        try:
            self._file = path.open("wb", buffering=0)
        except OSError as error:
            raise UsageError(f"{self._name}: {reason_of(error)}") from None
        self._bytes = 0  # of whole lines
        self._problem = ""

    def write(self, lines: str) -> None:
        """One or more, with their ends."""
        data = memoryview(lines.encode(errors="backslashreplace"))
        written = 0
        try:
            while written < len(data) and not self._problem:
                written += self._file.write(data[written:]) or 0
        except OSError as error:
            self._fail(error, bytes(data[:written]).rfind(b"\n") + 1)
        else:
            self._bytes += written

    def _fail(self, error: OSError, whole: int) -> None:
        self._problem = reason_of(error)
        with suppress(OSError):  # a pipe cannot be cut
            self._file.truncate(self._bytes + whole)

    def close(self) -> None:
        """WriteError if anything was lost."""
        try:
            self._file.close()
        except OSError as error:
            self._problem = self._problem or reason_of(error)
        if self._problem:
            raise WriteError(f"{self._name}: not all could be written: {self._problem}")


def write_file(path: Path, text: str, option: str = "") -> None:
    """A whole file, in the place of one that may be there, or WriteError: then that one is as it
    was. What is no file, such as a pipe, is written to."""
    data = text.encode(errors="backslashreplace")
    try:
        target = path.resolve()
        if target.exists() and not (target.is_file() and os.access(target.parent, os.W_OK)):
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as error:
        raise WriteError(
            f"{option} {path}: cannot be written: {reason_of(error)}".lstrip()
        ) from None


def _draft(target: Path) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}.part")


def _write(draft: Path, data: bytes, mode: int | None = None) -> None:
    """A new file, on the disk."""
    with draft.open("xb") as file:
        if mode is not None:
            os.fchmod(file.fileno(), mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _replace(target: Path, data: bytes) -> None:
    draft = _draft(target)
    try:
        _write(draft, data, stat.S_IMODE(target.stat().st_mode) if target.exists() else None)
        draft.rename(target)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise
