"""Functions of elements by table: all results of 8-bit elements, some of 16-bit ones with straight lines between.

A table of 16-bit elements has as few entries as keep every one of the 65536 results within one element of the function's own
nearest one; with an entry for each the results are exact.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aieloom.arrays import Values
from aieloom.pl.steps import ElementTable, LineTable
from aieloom.spec.types import DataType

LOWEST8, LOWEST16 = -(1 << 7), -(1 << 15)
SHIFTS = (7, 6, 5, 4, 3, 2, 1, 0)  # the first is TensorFlow Lite's
MOST_APART = 1  # elements by which a result may miss the function's nearest one
BRAM36_ELEMENTS = 2048  # 16-bit words of one block RAM (36 Kb as 2K x 18)
Tabulate = Callable[[Values], Values]  # elements, as int64, to the function's nearest elements


def table_of_elements(dtype: DataType, function: Tabulate) -> ElementTable | LineTable:
    """Return the table of a function of elements."""
    if dtype is DataType.INT8:
        found = function(np.arange(LOWEST8, -LOWEST8))
        return ElementTable(values=tuple(int(v) for v in found))
    elements = np.arange(LOWEST16, -LOWEST16)
    exact = function(elements).astype(np.int64)
    ends = np.append(exact, exact[-1])  # the last line ends where the elements do
    for shift in SHIFTS:
        table = LineTable(values=tuple(ends[:: 1 << shift].tolist()), shift=shift)
        if np.abs(looked_up(table, elements) - exact).max() <= MOST_APART:
            return table
    raise AssertionError("a table of all elements is exact")


def looked_up(table: ElementTable | LineTable, elements: Values) -> Values:
    """Return the results of elements, in their type."""
    values = np.array(table.values, np.int64)
    if isinstance(table, ElementTable):
        exact: Values = values[elements.astype(np.int64) - LOWEST8].astype(elements.dtype)
        return exact
    place = elements.astype(np.int64) - LOWEST16
    index, rest = place >> table.shift, place & ((1 << table.shift) - 1)
    slope = values[index + 1] - values[index]
    half = (1 << table.shift) >> 1
    found: Values = (values[index] + ((slope * rest + half) >> table.shift)).astype(elements.dtype)
    return found


def table_bram36(table: ElementTable | LineTable) -> int:
    """Return the block RAMs that a table takes: none for 256 bytes in LUTs."""
    return 0 if isinstance(table, ElementTable) else -(-len(table.values) // BRAM36_ELEMENTS)


def table_note(table: ElementTable | LineTable) -> str:
    """Return how results are found, for plan.json."""
    if isinstance(table, ElementTable):
        return f"by a table of all {len(table.values)} elements"
    if table.shift == 0:
        return f"by a table of all {len(table.values) - 1} elements"
    apart = f"{MOST_APART} element at most from the nearest"
    return f"by {len(table.values)} entries, one every {1 << table.shift} elements, lines between; {apart}"
