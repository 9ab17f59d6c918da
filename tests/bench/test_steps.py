# SPDX-License-Identifier: BSD-3-Clause
"""Single steps of a schedule: what the model predicts of them, and what they are called."""

import pytest

from suiro.bench.catalog import phases, schedule_text
from suiro.bench.steps import predicted_relative


def test_model_of_steps_is_the_native_tools() -> None:
    ring = predicted_relative(phases("alltoall", "ring", 4, 4))
    assert ring[4] == 1.0
    assert ring[6] == pytest.approx(4 / 3)
    for name in ("two_level_ring", "two_level_ring:window=2"):
        assert set(predicted_relative(phases("alltoall", name, 4, 4)).values()) == {0.0, 1.0}


def test_a_schedule_is_named_as_it_was_asked_for() -> None:
    text = schedule_text("alltoall", "two_level_ring:window=2", 2, 2)
    assert "\nalgorithm two_level_ring:window=2\n" in text
    assert "\nwindow 2\n" in text
