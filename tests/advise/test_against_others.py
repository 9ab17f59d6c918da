# SPDX-License-Identifier: BSD-3-Clause
"""What docs/advise.md says of clusters of others is so: most cells that are not open are right."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from against_others import compare, shares

ROOT = Path(__file__).parents[2]
# The two folders of tables, which others have published and which are not part of suiro.
DATA = Path(os.environ.get("SHARED_DATA") or ROOT.parent / "shared/data")
RIGHT_LEAST = 0.8


def kept() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((ROOT / "docs/results/advise.json").read_bytes())[
        "rows"
    ]
    return rows


def test_most_that_is_not_open_is_right() -> None:
    solid = [row for row in kept() if row["solid"]]
    assert solid
    for row in solid:
        assert row["solid_within"] >= RIGHT_LEAST * row["solid"], row


@pytest.mark.skipif(not (DATA / "aws-c5n-2019").is_dir(), reason=f"no {DATA}/aws-c5n-2019")
def test_the_page_says_what_comes_of_the_tables() -> None:
    assert shares(compare(DATA)) == kept()
