# SPDX-License-Identifier: BSD-3-Clause
"""How the tests call the command under test."""

import subprocess
import sys
from collections.abc import Callable

SUIRO = [sys.executable, "-c", "from suiro.cli.main import main; main()"]

Suiro = Callable[..., subprocess.CompletedProcess[str]]
