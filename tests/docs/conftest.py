# SPDX-License-Identifier: BSD-3-Clause
"""What writes the pages."""

import importlib
import sys
from types import ModuleType

import pytest
from markdown import ROOT


@pytest.fixture(scope="session")
def generate() -> ModuleType:
    """docs/generate.py, which is in no package."""
    sys.path.insert(0, str(ROOT / "docs"))
    return importlib.import_module("generate")
