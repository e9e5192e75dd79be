"""What is said of a design that takes more of the logic than is expected to close at its clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aieloom.spec.board import LogicFacts

KINDS = {
    "bram36": "block RAMs",
    "uram288": "UltraRAM blocks",
    "dsp": "DSP slices",
    "lut": "LUTs",
    "ff": "flip-flops",
}  # by the names of LogicRoom


def crowded(logic: LogicFacts, used: Mapping[str, int], mhz: float) -> Iterator[str]:
    """Yield a line for each kind of logic of which kernels of such a clock take more than the board's margin."""
    room, whole = logic.room(mhz), logic.whole
    for kind, what in KINDS.items():
        there, margin, taken = getattr(whole, kind), getattr(room, kind), used.get(kind, 0)
        if taken > margin:
            share = taken / there if there else 1
            yield (
                f"warning: {taken:,} of {there:,} {what} ({share:.0%}), more than the {margin:,} of the board's margin: "
                f"it may not close at {mhz:g} MHz"
            )
