"""Models with an open batch: a session gives onnxruntime's values for several samples, in its types, or refuses the batch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aieloom
from aieloom.errors import SpecError
from aieloom.runtime.batches import check_samples_apart
from tests.heavy import later, onnx
from tests.onnx_session import session as session_of_model

h, FLOAT, INT64 = later("onnx.helper"), 1, 7  # TensorProto's numbers
Node = later("onnx.helper", "make_node")


def model(*behind: Any, last: str = "y", rank: int = 4, kind: int = FLOAT, more: str = "") -> Any:
    """Return a convolution of an open batch and the nodes behind it; `more` is a second output."""
    constants = {
        "w": np.random.default_rng(0).normal(0, 1, (4, 3, 1, 1)).astype(np.float32),
        "zero": np.array([0]),
        "one": np.array([1]),
        "rows": np.array([-1, 8]),
        "flat": np.array([0, -1]),
    }
    info, conv = h.make_tensor_value_info, Node("Conv", ["x", "w"], ["c"])
    sizes: list[Any] = ["m", *[None] * (rank - 1)]
    outputs = [info(last, kind, sizes), *([info(more, FLOAT, ["n", 3, 4, 4])] if more else [])]
    used = {i for n in (conv, *behind) for i in n.input}
    tensors = [onnx.numpy_helper.from_array(v, n) for n, v in constants.items() if n in used]
    graph = h.make_graph([conv, *behind], "g", [info("x", FLOAT, ["n", 3, 4, 4])], outputs, tensors)
    return h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8)


APART: dict[str, Callable[[], Any]] = {
    "relu": lambda: model(Node("Relu", ["c"], ["y"])),
    "reshape with the batch": lambda: model(Node("Reshape", ["c", "flat"], ["y"]), rank=2),
    "reshape to several rows each": lambda: model(Node("Reshape", ["c", "rows"], ["y"]), rank=2),
    "argmax": lambda: model(Node("ArgMax", ["c"], ["y"], axis=1), kind=INT64),
    "an output that is an input": lambda: model(Node("Relu", ["c"], ["y"]), more="x"),
}
TOGETHER: dict[str, Callable[[], Any]] = {
    "slice": lambda: model(Node("Slice", ["c", "zero", "one", "zero"], ["y"])),
    "mean": lambda: model(Node("ReduceMean", ["c"], ["y"], axes=[0])),
    "softmax": lambda: model(Node("Softmax", ["c"], ["y"], axis=0)),
    "length": lambda: model(
        Node("Shape", ["c"], ["s"]),
        Node("Gather", ["s", "zero"], ["n"]),
        Node("Cast", ["n"], ["f"], to=FLOAT),
        Node("Mul", ["c", "f"], ["y"]),
    ),
    "product": lambda: model(
        Node("Flatten", ["c"], ["a"]),
        Node("Transpose", ["a"], ["b"], perm=[1, 0]),
        Node("MatMul", ["a", "b"], ["y"]),
        rank=2,
    ),
}


@pytest.mark.parametrize("name", APART)
def test_samples_that_are_apart_are_found_so(name: str) -> None:
    check_samples_apart(APART[name]())


@pytest.mark.parametrize("name", TOGETHER)
def test_samples_that_are_computed_together_are_refused(name: str) -> None:
    with pytest.raises(SpecError, match="its output 'y' is of all samples of a batch together"):
        check_samples_apart(TOGETHER[name]())


@pytest.mark.integration
@pytest.mark.parametrize("name", ["argmax", "an output that is an input", "length"])
def test_a_session_gives_onnxruntimes_values_in_its_types(name: str, tmp_path: Path) -> None:
    made = {**APART, **TOGETHER}[name]()
    onnx.save(made, tmp_path / "m.onnx")
    x = np.random.default_rng(1).normal(0, 1, (2, 3, 4, 4)).astype(np.float32)
    runtime = session_of_model(made)
    with aieloom.Session(tmp_path / "m.onnx", target="vck190") as session:
        if name in TOGETHER:
            with pytest.raises(SpecError, match="run samples one by one"):
                session.run(None, {"x": x})
            x = x[:1]
        got, want = session.run(None, {"x": x}), runtime.run(None, {"x": x})
    for a, b in zip(got, want, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
