# SPDX-License-Identifier: BSD-3-Clause
"""Tests of rates and times are of the program only on a machine that got its time; tests that run
beside each other keep out of each other's way."""

import os
import shutil
import tempfile
import time
import warnings
from typing import Any

import pytest

from stolen_time import LostTimeError, StolenTime

_TRIES = 4
_PAUSE_S = 5
_SHARE_MAX = 0.03


def pytest_configure(config: pytest.Config) -> None:
    """Launchers of Open MPI that start at once make, and remove, one folder for all: a folder per
    worker, of a short name since sockets are in it."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        return
    folder = tempfile.mkdtemp(prefix=f"suiro-{worker}-", dir="/tmp")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    for name in ("OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base"):
        os.environ[name] = folder


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A test marked `timing` that fails is tried again: a wrong program fails every time. In the
    end it has failed, or is skipped if the machine lost time in the last try, too."""
    if pyfuncitem.get_closest_marker("timing") is None:
        return None
    for attempt in range(_TRIES):
        if attempt > 0:
            time.sleep(_PAUSE_S)
        stolen = StolenTime()
        try:
            with stolen:
                pyfuncitem.obj(**_arguments(pyfuncitem, attempt))
            return True
        except Exception as error:
            failure = error
            # Flaky tests must show, and why.
            first = (str(error).splitlines() or [""])[0]
            warnings.warn(
                f"try {attempt + 1}: {stolen.share:.1%} of the time lost; {first}", stacklevel=1
            )
    if isinstance(failure, LostTimeError) or stolen.share > _SHARE_MAX:
        pytest.skip(f"too busy to time: {stolen.share:.1%} of the time was lost; {failure}")
    raise failure


def _arguments(item: pytest.Function, attempt: int) -> dict[str, Any]:
    """What the test asked for; every attempt has an empty folder of its own."""
    names = item._fixtureinfo.argnames
    arguments = {name: item.funcargs[name] for name in names}
    if "tmp_path" in arguments:
        arguments["tmp_path"] = arguments["tmp_path"] / f"try{attempt}"
        arguments["tmp_path"].mkdir()
    return arguments
