# SPDX-License-Identifier: BSD-3-Clause
"""What can go wrong, as one tree. Every message names the cause and what to try, in one line.

SuiroError            exit code 1
+-- UsageError        exit code 2    the command line or a file the user wrote is wrong
+-- MachineError      exit code 3    this machine cannot do it (no namespaces, no MPI, no library)
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


class SuiroError(Exception):
    """An operating error: printed as one line, lower case, without a traceback."""

    exit_code = 1


class UsageError(SuiroError):
    """The command line, a spec or a rule file is wrong."""

    exit_code = 2


class MachineError(SuiroError):
    """The machine or its set-up cannot do what was asked."""

    exit_code = 3


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message, `; did you mean "ring"?`, with the name that is nearest; or nothing."""
    near = get_close_matches(word, list(known), n=1)
    return f'; did you mean "{near[0]}"?' if near else ""


def check_choice(option: str, given: str, known: Sequence[str]) -> None:
    """UsageError, with what there is, if that is not among it."""
    if given not in known:
        listed = " or ".join(filter(None, [", ".join(known[:-1]), known[-1]]))
        raise UsageError(f"{option} {given}: expected {listed}{did_you_mean(given, known)}")
