"""onnxruntime as the judge of models: each session of the tests is made here."""

from __future__ import annotations

from pathlib import Path

from tests.heavy import onnx, onnxruntime


def session(
    model: onnx.ModelProto | bytes | Path, *, optimised: bool = False
) -> onnxruntime.InferenceSession:
    """Return a session of a model, its bytes or its file, that computes the graph as it stands, on one thread.

    onnxruntime's own optimiser is off: even its basic level changes what quantised graphs compute (of one MLPerf model 9 % of
    the integers stayed right). Who asks for it counts how far a user's default session is off, and says so.
    """
    options = onnxruntime.SessionOptions()
    if not optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    given = model if isinstance(model, bytes | Path) else model.SerializeToString()
    return onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"])
