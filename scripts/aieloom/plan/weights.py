"""Weights that reach the cores over streams, once, before the first image (`weights: stream`, `weights: feeder`).

The cores of a part, one in each group or band, multiply by the same weights: they share a stream. A core takes its table,
weights and then what stands beside them for each row, with the first tile and never gives the buffer back.
"""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.plan.memory import Need

WORD_BYTES = 4  # the buffer is one of int32: every bit pattern passes through text files and streams
BITS = 64  # of a stream of weights: one channel of the interface
ALIGNMENT = 32  # bytes: of vector loads
FEEDER_STACK_BYTES = 1024  # of the kernel that copies a table beside a core: the tools' default


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamedWeights:
    """A core's table: weights from byte 0, rows from byte `rows_at`, filled up to `bytes`."""

    rows_at: int
    bytes: int
    streams: int
    fed: bool = False  # by a kernel on the tile beside each core, else by DMA

    @property
    def stream_words(self) -> int:
        """Words of each stream."""
        return self.bytes * 8 // BITS

    @property
    def words(self) -> int:
        """Words of the buffer."""
        return self.bytes // WORD_BYTES


def streamed_weights(weights: int, rows: int, parts: int, *, fed: bool = False) -> StreamedWeights:
    """Return the table of so many bytes of weights and of rows, for each of `parts`."""
    rows_at = -(-weights // ALIGNMENT) * ALIGNMENT
    return StreamedWeights(
        rows_at=rows_at, bytes=-(-(rows_at + rows) // ALIGNMENT) * ALIGNMENT, streams=parts, fed=fed
    )


def table_role(ports: int) -> str:
    """Return which input of a kernel takes its table: the one behind the `ports` that take elements."""
    return f"in[{ports}]"


def weight_needs(
    weights: int, rows: int, label: str, *, streamed: bool, ports: int
) -> tuple[Need, Need | None]:
    """Return what a core needs for weights and rows (bytes): two parameters, or the buffer of its table."""
    if streamed:
        table = streamed_weights(weights, rows, 1)
        return Need(
            role=table_role(ports), label=f"weights and {label}", bytes=table.bytes, operand="A"
        ), None
    return Need(role="param[0]", label="weights", bytes=weights, operand="A"), Need(
        role="param[1]", label=label, bytes=rows
    )
