"""What the cost of engines takes for their loops is what the lint measures on the printed kernels."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from aieloom.sequential import reached
from aieloom.sequential.array import SUM_INTERVAL
from aieloom.sequential.onchip.engine import GRIDS
from aieloom.sequential.reached import Loop
from tests.hls_lint.kernels import Kernels
from tools.hls_lint.kernel import is_there
from tools.hls_lint.report import Checked

pytestmark = pytest.mark.skipif(not is_there(), reason="clang++ is not on the path")
DESIGNS = {"int8": ("aie", "rows"), "float32": ("rows-float",), "bfloat16": ("bfloat16",)}


def measured(small: Kernels, loop: Loop, *designs: str, asked: int | None = None) -> Loop:
    """Return the slowest and deepest that a function's loop has in the kernels of some designs, of those that ask for `asked`."""
    found = [
        x
        for c in small.checked
        if c.path.parent.name in designs and c.path.stem == loop.kernel
        for x in c.reached
        if x.function == loop.function and asked in (None, x.asked)
    ]
    assert found, f"no kernel has {loop.function} of {loop.kernel}"
    return replace(loop, ii=max(x.ii for x in found), depth=max(x.depth for x in found))


@pytest.mark.parametrize("name", ["MOVE", "SEND_SUMS"])
def test_rows_that_own_images(name: str, small: Kernels) -> None:
    loop = getattr(reached, name)
    assert measured(small, loop, "chip") == loop


def test_images_brought_as_rows(small: Kernels) -> None:
    """Of its four loops the last makes pixels; it is the slowest."""
    assert measured(small, reached.BRING_ROWS, "chip").ii == reached.BRING_ROWS.ii


def test_products_without_sums(small: Kernels, tmp_path: Path) -> None:
    """The kernel of another design, whose text has the sum in a branch of its own: taken out of it."""
    (file,) = (c.path for c in small.checked if c.path.name == "row_store.cpp")
    text, count = re.subn(r"  if \(l\.sum != 0\) \{\n +result = added\([^\n]*\n +\}\n", "", file.read_text())
    assert count == 1
    (tmp_path / file.name).write_text(text)
    (loop,) = (x for x in Checked(tmp_path / file.name).reached if x.function == "send_block")
    assert (loop.ii, loop.depth) == (reached.SEND_BLOCK.ii, reached.SEND_BLOCK.depth)


@pytest.mark.parametrize("parts", reached.FOLD_II)
def test_windows_folded_by_the_parts_of_k(parts: int, small: Kernels, tmp_path: Path) -> None:
    (file,) = (c.path for c in small.checked if c.path.name == "row_load.cpp")
    text, count = re.subn(
        r"constexpr int kParts = \d+;", f"constexpr int kParts = {parts};", file.read_text()
    )
    assert count == 1
    (tmp_path / file.name).write_text(text)
    (loop,) = (x for x in Checked(tmp_path / file.name).reached if x.function == "fold_band")
    assert loop.ii == reached.FOLD_II[parts]


def test_all_grids_have_their_interval() -> None:
    assert {grid[1] for grid in GRIDS} == set(reached.FOLD_II)


@pytest.mark.parametrize("element", DESIGNS)
def test_movers_of_an_engine_on_the_array(element: str, small: Kernels) -> None:
    designs = DESIGNS[element] if element != "int8" else ("aie",)
    plain, sums = reached.WRITE_BLOCK[element], reached.WRITE_SUMS[element]
    assert measured(small, plain, *designs, asked=1) == plain
    assert measured(small, sums, *designs, asked=SUM_INTERVAL) == sums
    found = [x for x in small.loops(*designs) if x.function == "send_band"]
    pixels, places, words, _ = sorted(found, key=lambda x: x.line)
    for loop, at in ((reached.PIXELS, pixels), (reached.PLACES, places), (reached.SEND_BAND[element], words)):
        assert (loop.ii, loop.depth) == (at.ii, at.depth)


@pytest.mark.parametrize("element", DESIGNS)
def test_vector_units(element: str, small: Kernels) -> None:
    """Where nothing but the II that is asked for holds a loop back, the unit's own interval counts."""
    loop = reached.WORK[element]
    found = measured(small, loop, *DESIGNS[element])
    assert found.depth == loop.depth
    assert found.ii == loop.ii or (
        loop.ii == 1
        and found.ii == max(x.asked for x in small.loops(*DESIGNS[element]) if x.function == "work")
    )


def test_depthwise_layers_of_the_engine_in_the_logic(small: Kernels) -> None:
    (checked,) = (c for c in small.checked if c.path.name == "conv_engine.cpp")
    words = re.search(r"constexpr int kOutWords = (\d+);", checked.path.read_text())
    assert words
    (loop,) = (x for x in checked.reached if x.function == "compute_depthwise")
    assert loop.ii == -(-int(words[1]) // reached.PORTS)


@pytest.mark.parametrize(("name", "design"), [("STORE", "pl"), ("CELL", "recurrent")])
def test_other_units(name: str, design: str, small: Kernels) -> None:
    loop = getattr(reached, name)
    assert measured(small, loop, design) == loop
