"""What loops of engines, movers and units lose at each entry, by the lint of the HLS subset (docs/hls-lint.md).

They reach the intervals that they ask for. `tests/hls_lint/test_reached.py` measures both on the printed kernels; what HLS
makes of them nobody saw. What the lint cannot measure is judged, and says so [U].
"""

from __future__ import annotations

PORTS = 2  # of a memory: the engine in the logic reads a pixel's words of a depthwise layer from one
MEMORY_CYCLES = 64  # from an address to its data, of ports of memory [UG1399, m_axi latency]
ENTER = 3  # cycles to enter a loop and to leave it, beside the steps of its pipeline [U]

BRING_ROWS = 5 + ENTER  # row_memory: a row of pixels that are made of an image's rows
SEND_BLOCK = 27 + ENTER  # row_store: a block of elements, or of sums with another tensor
SEND_BAND = 12 + ENTER  # array_load: a band
MAKE_BLOCK = 16 + ENTER  # array_store: a block of elements
MAKE_SUMS = 33 + ENTER  # array_store: a block of sums with another tensor
WRITE_BLOCK = 3 + ENTER  # array_store: a burst, which is a pixel's words or a block's
MAKE, WRITE = 12 + ENTER, 3 + ENTER  # conv_engine: the same
CELL = 77 + ENTER  # recurrent_unit: a step's features of all images
