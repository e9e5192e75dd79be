"""onnxruntime's session of a model, the only kind that aieloom makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnxruntime

CPU = "CPUExecutionProvider"


def session_of(model: bytes) -> onnxruntime.InferenceSession:
    """Return onnxruntime's session of a model as it stands.

    Its optimiser is off: even its basic level changes what quantised graphs compute, and what it fuses depends on where a
    model is cut.
    """
    import onnxruntime  # noqa: PLC0415 - only models that need it

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model, options, providers=[CPU])
