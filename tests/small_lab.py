# SPDX-License-Identifier: BSD-3-Clause
"""The command, and a lab that is made in a second, for tests that go through a whole command."""

import sys

SUIRO = [sys.executable, "-c", "from suiro.cli.main import main; main()"]
LAB = """
[hosts]
count = 2
ranks = 2
[link]
rate = "100M"
[switch]
model = "voq"
"""
