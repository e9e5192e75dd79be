"""How far a layer sees: along an axis it is a `Span`.

Output `j` reads the inputs `j * stride - before` to `j * stride - before + kernel - 1` and is then shown `up` times.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """What one output of a layer sees along an axis."""

    kernel: int = 1
    stride: int = 1
    before: int = 0  # padding in front
    up: int = 1


POINT = (Span(), Span())  # each output sees the input in its own place
Reach = tuple[Span, Span]  # vertical, horizontal
