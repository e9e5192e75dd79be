"""Margins of the logic: by clock, within the device, said where they are passed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from aieloom.spec.board import KINDS, Margin
from aieloom.spec.device import device_names, load_board

CLOCKS = st.floats(1, 700)


@given(st.sampled_from(device_names()), CLOCKS, CLOCKS)
def test_a_faster_clock_never_has_more_room_and_none_has_all(name: str, one: float, other: float) -> None:
    logic = load_board(name).logic
    slow, fast = logic.room(min(one, other)), logic.room(max(one, other))
    assert all(f <= s <= w for f, s, w in zip(fast, slow, logic.whole, strict=True))
    assert fast.dsp < logic.dsp


def test_the_margins_are_those_that_the_document_states() -> None:
    """70 % of block RAM, UltraRAM and DSP, 60 % of LUT at 300 MHz and more."""
    logic = load_board("vck190").logic
    assert logic.room(312.5) == (539904, 1079808, 676, 324, 1377)
    assert logic.room(299.9).dsp == int(0.8 * 1968)


@given(CLOCKS, st.dictionaries(st.sampled_from(sorted(KINDS)), st.integers(0, 2_000_000)))
def test_what_passes_a_margin_is_said_and_nothing_else(mhz: float, used: dict[str, int]) -> None:
    logic = load_board("vek280").logic
    over = [what for kind, what in KINDS.items() if used.get(kind, 0) > getattr(logic.room(mhz), kind)]
    lines = list(logic.crowded(used, mhz))
    assert len(lines) == len(over)
    assert all(what in line and "may not close" in line for what, line in zip(over, lines, strict=True))


@pytest.mark.parametrize("clocks", [(0, 300), (300, 200), (300, 300, 0), (300,)])
def test_margins_that_leave_a_clock_out_are_refused(clocks: tuple[int, ...]) -> None:
    logic = load_board("vck190").logic
    margins = [Margin(from_mhz=c, memory=0.7, dsp=0.7, lut=0.6).model_dump() for c in clocks]
    with pytest.raises(ValidationError, match="the highest from_mhz first"):
        type(logic).model_validate(logic.model_dump() | {"margins": margins})
