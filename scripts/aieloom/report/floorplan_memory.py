"""The memory tiles in the floor plan: rows of them between the cores and the interface, in the colour of who reads them."""

from __future__ import annotations

from aieloom.plan.shared_buffers import ENTRY, EXIT
from aieloom.plan.types import ArrayPart
from aieloom.report.svg import colour, rect, text
from aieloom.words import plural


def rows_shown(plan: ArrayPart) -> int:
    """Return how many rows of memory tiles are drawn: those of the device where the design uses any."""
    return plan.device.array.memory_tile_rows if plan.buffers else 0


def memory_tiles(plan: ArrayPart, left: float, bottom: float, cell: float) -> list[str]:
    """Return the memory tiles below row 0 of the cores; row 0 of theirs is the lowest."""
    rows, own = rows_shown(plan), len(plan.aie)
    colours = {la.name: colour(i % own) for i, la in enumerate(plan.all_aie)}
    parts = []
    for row in range(rows):
        y = bottom + (rows - 1 - row) * cell + 4
        parts.append(text(left - 6, y + cell - 5, f"mem {row}", size=10, anchor="end"))
        for col in range(plan.device.array.columns):
            held = [b for b in plan.buffers if b.tile == (col, row)]
            note = "; ".join(
                f"{b.name}: {_end(b.before)} to {_end(b.after)}, {b.copies} x {b.bytes} B, "
                f"{plural(len(b.writers), 'writer')}, {plural(len(b.readers), 'reader')}"
                for b in held
            )
            parts.append(
                rect(
                    left + col * cell,
                    y,
                    cell,
                    cell,
                    fill=colours[held[0].layer] if held else "#f6f6f6",
                    title=f"memory tile ({col}, {row}): {note or 'free'}",
                    more=f"stroke='{'#222' if held else '#ccc'}' stroke-width='{1 if held else 0.5}' rx='4'",
                )
            )
    return parts


def _end(name: str) -> str:
    return {ENTRY: "PL", EXIT: "PL"}.get(name, name)
