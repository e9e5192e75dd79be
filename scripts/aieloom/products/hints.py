"""What a kernel's source tells the compiler of its loops, as the plan's figures take them.

`chess_prepare_for_pipelining` and `chess_flatten_loop`, and how often a loop runs [UG1079, Loops]: without them the compiler
decides by itself, by release.
"""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.cost.blocks import Loops

FLATTEN = "chess_flatten_loop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """Words between a loop's head and its body: of the loops around, outermost first, each with a blank behind; inside."""

    around: tuple[str, ...]
    inside: tuple[str, ...]


def hints_of(loops: Loops) -> Hints:
    """Return the words for a kernel's loops; those that turn once are flattened with what is in them."""
    if not loops.flattened:
        return Hints(around=("",) * len(loops.outer), inside=tuple(_pipelined(t) for t in loops.trips))
    around = [
        "" if i < loops.last else f"{_pipelined(trips) if i == loops.last else FLATTEN} "
        for i, trips in enumerate(loops.outer)
    ]
    return Hints(around=tuple(around), inside=(FLATTEN,) * len(loops.trips))


def _pipelined(trips: int) -> str:
    return f"chess_prepare_for_pipelining chess_loop_range({trips}, {trips})"
