"""What a session says of itself: its inputs and outputs, and who runs which part."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class End:
    """An input or output of a session: its name, and its shape as the model says it (None: any)."""

    name: str
    shape: tuple[int | None, ...]


@dataclass(frozen=True, kw_only=True)
class Place:
    """A part of the model and who runs it."""

    engine: str  # the board, or onnxruntime
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[str, ...]  # operators, in order
