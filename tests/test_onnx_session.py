"""onnxruntime's sessions are made in one place of the package and one of the tests, without its optimiser."""

from __future__ import annotations

import re

import numpy as np

from aieloom.network.readers.onnx_session import session_of
from tests.designs import ROOT
from tests.heavy import onnxruntime
from tests.onnx.models import Builder
from tests.onnx_session import session

MADE_IN = ("scripts/aieloom/network/readers/onnx_session.py", "tests/onnx_session.py")


def test_nobody_else_makes_one() -> None:
    files = [
        f for top in ("scripts", "serve", "tests", "tools", "benchmarks") for f in (ROOT / top).rglob("*.py")
    ]
    made = [
        f.relative_to(ROOT).as_posix()
        for f in files
        if re.search(r"\bInferenceSession\(", f.read_text(encoding="utf-8"))
    ]
    assert sorted(made) == ["benchmarks/peers.py", *MADE_IN], "a program of its own, and the two helpers"


def test_they_compute_the_graph_as_it_stands() -> None:
    """A sum that float32 does not take: the optimiser folds the two, so that what was lost comes back."""
    b = Builder((1, 4))
    b.add("Mul", b.constant("up", np.float32(1e30))).add("Mul", b.constant("down", np.float32(1e-30)))
    model, x = b.model(1), {"x": np.full((1, 4), 1e20, np.float32)}
    for made in (session(model), session_of(model.SerializeToString())):
        assert np.isinf(made.run(None, x)[0]).all()
        options = made.get_session_options()
        assert options.graph_optimization_level == onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
