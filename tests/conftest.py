# SPDX-License-Identifier: BSD-3-Clause
"""Tests of rates and times are of the program only on a machine that got its time."""

import time
from typing import Any

import pytest

from stolen_time import LostTimeError, StolenTime

_TRIES = 4
_PAUSE_S = 5
_SHARE_MAX = 0.03


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
