"""From image to image of a timed run: calls of what ends last, shared among copies and the tiles of an image."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from aieloom.emulator.timed.result import Cycles
from aieloom.emulator.timed.times import TimeSlice
from aieloom.flow.timed_system import interval_us
from aieloom.plan.types import ArrayPart

TURN, FIRST = 1000, 7000  # cycles from call to call, and to the end of the first


def done(calls: int, copies: int) -> Cycles:
    """Copies of a core, each a little later than the one before, and a mover of one call."""
    slices = [
        TimeSlice(core=f"core_{c}", what=f"call {n + 1}", begin=0, end=FIRST + 10 * c + n * TURN)
        for c in range(copies)
        for n in range(calls)
    ]
    slices.append(TimeSlice(core="mover", what="call 1", begin=0, end=10**6))
    return cast(Cycles, SimpleNamespace(times=SimpleNamespace(mhz=1000.0, slices=slices, end=10**6)))


@pytest.mark.parametrize(
    ("images", "copies", "tiles", "calls", "us"),
    [
        (8, 1, 1, 8, 1.0),
        (8, 1, 1, 16, 2.0),  # two calls an image
        (8, 2, 1, 4, 0.5),
        (1, 4, 18, 5, 4.5),  # 18 tiles of one image, five to each copy
        (2, 4, 18, 9, 4.5),
        (1, 1, 1, 1, 1000.0),  # one image alone: all that it took
    ],
)
def test_the_time_from_image_to_image(images: int, copies: int, tiles: int, calls: int, us: float) -> None:
    plan = cast(ArrayPart, SimpleNamespace(copies=copies, tiles=tiles))
    assert interval_us(done(calls, copies), images, plan) == pytest.approx(us)
