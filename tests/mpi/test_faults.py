# SPDX-License-Identifier: BSD-3-Clause
"""A minute of random faults in the middle of collectives; tests/soak/faults.py runs for longer."""

import subprocess
import sys
from pathlib import Path

import pytest

FAULTS = Path(__file__).parents[1] / "soak" / "faults.py"


@pytest.mark.parametrize("half", [1, 2])
def test_no_fault_gives_wrong_data_or_a_hang(half: int) -> None:
    command = [sys.executable, str(FAULTS), "--minutes", "0.5"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
