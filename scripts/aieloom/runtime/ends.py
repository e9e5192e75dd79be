"""What a session says of itself: its inputs and outputs, and who runs which part."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class End:
    """An input or output of a session, as onnxruntime's NodeArg: its name, and shape and type as the model says them.

    A size that may be any is None. Of a type "tensor(float)" is float32, others are called as by onnxruntime.
    """

    name: str
    shape: tuple[int | None, ...]
    type: str = "tensor(float)"


@dataclass(frozen=True, kw_only=True)
class Place:
    """A part of the model and who runs it."""

    engine: str  # the board, or onnxruntime
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[str, ...]  # operators, in order
