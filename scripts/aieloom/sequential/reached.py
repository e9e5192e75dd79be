"""What pipelined loops of engines, movers and units reach, by the lint of the HLS subset (docs/hls-lint.md).

The kernels ask for less; what HLS makes of them nobody saw. `tests/hls_lint/test_reached.py` measures the printed kernels and
holds these numbers to that. What the lint cannot measure is judged, and says so [U].
"""

from __future__ import annotations

from dataclasses import dataclass

ENTER = 3  # cycles to enter a loop and to leave it, beside its pipeline [U]
UNPIPELINED = 8  # times the asked interval: send_band of row_load, whose inner bounds depend on data [U]
PORTS = 2  # of a memory: the engine in the logic reads a pixel's words of a depthwise layer from one
MEMORY_CYCLES = 64  # from an address to its data, of ports of memory [UG1399, m_axi latency]


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of a kernel's function: cycles of a turn, and the depth of its pipeline."""

    kernel: str
    function: str
    ii: int
    depth: int

    @property
    def lost(self) -> int:
        """Cycles that it takes beside its turns, each time that it is entered."""
        return self.depth + ENTER


MOVE = Loop("row_memory", "move", 42, 84)  # a word into and out of a row's store
BRING_ROWS = Loop("row_memory", "bring_rows", 8, 11)  # a pixel made of an image's rows
SEND_SUMS = Loop("row_store", "send_block", 1, 27)  # a pixel's words: sums with another tensor
SEND_BLOCK = Loop("row_store", "send_block", 1, 15)  # a pixel's words, where no layer has such a sum
FOLD_II = {
    2: 3,
    3: 5,
    4: 6,
    5: 7,
}  # row_load's fold_band: a step of a window, by the taps that it folds one after another
PIXELS = Loop("array_load", "send_band", 1, 43)  # where a block's pixels lie
PLACES = Loop("array_load", "send_band", 1, 81)  # where each word of a pass lies
SEND_BAND = {  # a pass's words
    "int8": Loop("array_load", "send_band", 2, 12),
    "float32": Loop("array_load", "send_band", 16, 10),
    "bfloat16": Loop("array_load", "send_band", 16, 10),
}
WRITE_BLOCK = {  # a pixel's words of an engine on the array
    "int8": Loop("array_store", "write_block", 1, 16),
    "float32": Loop("array_store", "write_block", 1, 12),
    "bfloat16": Loop("array_store", "write_block", 1, 14),
}
WRITE_SUMS = {  # with another tensor
    "int8": Loop("array_store", "write_block", 2, 33),
    "float32": Loop("array_store", "write_block", 2, 19),
    "bfloat16": Loop("array_store", "write_block", 2, 23),
}
WORK = {  # a tap of a pixel's words in the vector unit; of integers all lanes read one table
    "int8": Loop("vector_unit", "work", 8, 44),
    "float32": Loop("vector_unit", "work", 1, 21),
    "bfloat16": Loop("vector_unit", "work", 1, 25),
}
STORE = Loop("conv_engine", "store", 1, 12)  # a pixel's words of the engine in the logic
CELL = Loop("recurrent_unit", "lstm_cell", 2, 77)  # an image's features
