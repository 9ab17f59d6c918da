# SPDX-License-Identifier: BSD-3-Clause
"""Puts the native files into the wheel that `./dev wheel` builds: one for any Python."""

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NativeFiles(BuildHookInterface):  # type: ignore[type-arg]
    """SUIRO_WHEEL_FILES is a folder that has bin, lib and examples."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """An editable installation uses the build folder of its checkout."""
        folder = os.environ.get("SUIRO_WHEEL_FILES")
        if version == "editable" or not folder:
            return
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-linux_x86_64"
        build_data["force_include"] = {
            f"{folder}/{part}": f"suiro/_native/{part}" for part in ("bin", "lib", "examples")
        }
