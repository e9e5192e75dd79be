"""Loops of engines reach the intervals that they ask for, and lose at each entry what the cost of engines takes for it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aieloom.layout.channel_words import LANES
from aieloom.sequential import reached
from aieloom.sequential.array import SUM_INTERVAL
from aieloom.sequential.onchip.engine import GRIDS
from tests.hls_lint.kernels import FOLDERS, Kernels
from tools.hls_lint.kernel import is_there
from tools.hls_lint.report import Checked

pytestmark = pytest.mark.skipif(not is_there(), reason="clang++ is not on the path")


@pytest.mark.parametrize(
    ("name", "kernel", "function", "asked"),
    [
        ("BRING_ROWS", "row_memory", "bring_rows", None),
        ("SEND_BLOCK", "row_store", "send_block", None),
        ("SEND_BAND", "array_load", "send_band", None),
        ("MAKE_BLOCK", "array_store", "make_block", 1),
        ("MAKE_SUMS", "array_store", "make_block", SUM_INTERVAL),
        ("WRITE_BLOCK", "array_store", "write_block", None),
        ("MAKE", "conv_engine", "make", None),
        ("WRITE", "conv_engine", "write", None),
        ("CELL", "recurrent_unit", "lstm_cell", None),
    ],
)
def test_what_a_loop_loses_is_its_deepest_pipeline(
    name: str, kernel: str, function: str, asked: int | None, small: Kernels
) -> None:
    loops = [x for c in small.checked if c.path.stem == kernel for x in c.reached]
    depths = [x.depth for x in loops if x.function == function and asked in (None, x.asked)]
    assert max(depths) + reached.ENTER == getattr(reached, name)


def test_every_loop_of_an_engine_reaches_what_it_asks_for(small: Kernels) -> None:
    """All but one, of which the cost counts the interval that the ports of its memory leave."""
    slower = {x.function for x in small.loops(*FOLDERS, "engine") if x.ii > x.asked}
    assert slower == {"compute_depthwise"}


@pytest.mark.parametrize("parts", sorted({grid[1] for grid in GRIDS}))
def test_windows_are_folded_a_step_a_cycle_by_any_parts_of_k(parts: int, small: Kernels) -> None:
    (file,) = (c.path for c in small.checked if c.path.name == "row_load.cpp")
    text, count = re.subn(r"\bkParts = \d+", f"kParts = {parts}", file.read_text())
    assert count == 1
    changed = (
        file.parent.parent / "changed" / file.name
    )  # as near to the library's headers as the file itself
    changed.parent.mkdir(exist_ok=True)
    changed.write_text(text)
    (loop,) = (x for x in Checked(changed).reached if x.function == "fold_band")
    assert loop.ii == 1


def test_depthwise_layers_of_the_engine_in_the_logic(small: Kernels) -> None:
    (checked,) = (c for c in small.checked if c.path.name == "conv_engine.cpp")
    channels = re.search(r"\bkOut = (\d+)", Path(checked.path).read_text())
    assert channels
    (loop,) = (x for x in checked.reached if x.function == "compute_depthwise")
    assert loop.ii == -(-int(channels[1]) // LANES // reached.PORTS)
