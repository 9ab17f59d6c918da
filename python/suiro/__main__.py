# SPDX-License-Identifier: BSD-3-Clause
"""The `suiro` command, as a module."""

import sys

from suiro.cli.main import main

sys.argv[0] = "suiro"  # what help and completion call it
main()
