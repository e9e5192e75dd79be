"""ONNX files of several inputs, of floats and of whole numbers: what is computed of masks, beside onnxruntime."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aieloom.errors import SpecError
from aieloom.network.readers.onnx_import import read_onnx
from tests.heavy import helper, numpy_helper, onnx
from tests.onnx.models import run_record
from tests.onnx_session import session as onnx_session

QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
ROWS, FEATURES = 3, 4
FLOAT, INT, BOOL = 1, 7, 9  # TensorProto's numbers
DTYPES = {INT: np.int64, BOOL: np.bool_, FLOAT: np.float32}


def saved(
    path: Path, nodes: list[Any], inputs: Mapping[str, tuple[int, list[int]]], rank: int, **constants: Any
) -> Path:
    """Write a model whose last node gives the output, of so many axes."""
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(n, kind, shape) for n, (kind, shape) in inputs.items()],
        [helper.make_tensor_value_info(nodes[-1].output[0], FLOAT, [None] * rank)],
        [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)
    return path


def compared(path: Path, x: dict[str, np.ndarray]) -> None:
    """Hold what a file becomes to what onnxruntime computes of its inputs, sample by sample."""
    y = run_record(path, x)
    session = onnx_session(path)
    each = ({n: v[i : i + 1] for n, v in x.items()} for i in range(len(y)))
    wanted = np.concatenate([session.run(None, one)[0] for one in each])
    np.testing.assert_array_equal(y.reshape(wanted.shape), wanted)


JOINED = {
    "compare": ("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"),
    "join": ("And", "Or", "Xor"),
    "sum": ("Add", "Sub", "Mul"),
}


@st.composite
def logic(draw: st.DrawFn) -> tuple[list[Any], str]:
    """Return nodes that make a truth value of whole numbers and truth values, and which of these is the last."""
    truths, wholes, nodes = ["b", "c"], ["i", "j"], []
    for k in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from([*JOINED, "not", "cast", "truth", "where"]))
        one, truth, second = (draw(st.sampled_from(names)) for names in (wholes, truths, truths))
        pair = draw(st.permutations([one, draw(st.sampled_from([*wholes, "two"]))]))
        inputs = {"join": [truth, second], "truth": [one], "where": [truth, *pair]}.get(kind, [truth])
        inputs = pair if kind in ("compare", "sum") else inputs
        op = {"not": "Not", "where": "Where"}.get(kind, "Cast")
        op = draw(st.sampled_from(JOINED[kind])) if kind in JOINED else op
        to: dict[str, Any] = {"cast": {"to": INT}, "truth": {"to": BOOL}}.get(kind, {})
        nodes.append(helper.make_node(op, inputs, [f"t{k}"], name=f"t{k}", **to))
        (wholes if kind in ("sum", "cast", "where") else truths).append(f"t{k}")
    return nodes, draw(st.sampled_from(truths))


@pytest.mark.filterwarnings("ignore")
@given(made=logic(), seed=st.integers(0, 99))
@QUICK
def test_truth_values_are_onnxruntime_s(made: tuple[list[Any], str], seed: int, tmp_path: Path) -> None:
    nodes, last = made
    shape = [1, ROWS, FEATURES]
    whole = [*nodes, helper.make_node("Where", [last, "x", "least"], ["y"], name="y")]
    kinds = {"x": FLOAT, "b": BOOL, "c": BOOL, "i": INT, "j": INT}
    read = {n for node in whole for n in node.input}
    inputs = {n: (kind, shape) for n, kind in kinds.items() if n in read}
    path = saved(tmp_path / "m.onnx", whole, inputs, 3, two=np.int64(2), least=np.float32(-1e9))
    random, said = np.random.default_rng(seed), read_onnx(path, shown_as="m.onnx").inputs
    most = {
        str(i["name"]): 2 if "below" in i else 4 for i in said
    }  # what is taken as a truth value is 0 or 1
    x: dict[str, Any] = {
        n: random.integers(0, most.get(n, 2), (4, ROWS, FEATURES)).astype(DTYPES[kind])
        for n, (kind, _) in inputs.items()
    }
    compared(path, x)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shape", [[1, 1, 1, 4], [1, 1, 3, 4], [1, 2, 1, 4], [4]])
def test_what_is_added_to_scores_is_repeated(shape: list[int], tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Reshape", ["x", "heads"], ["scores"], name="heads"),
        helper.make_node("Cast", ["mask"], ["floats"], name="cast", to=FLOAT),
        helper.make_node("Sub", ["one", "floats"], ["hidden"], name="hidden"),
        helper.make_node("Mul", ["hidden", "least"], ["added"], name="added"),
        helper.make_node("Reshape", ["added", "shape"], ["shaped"], name="shaped"),
        helper.make_node("Add", ["shaped", "scores"], ["sum"], name="sum"),
        helper.make_node("Softmax", ["sum"], ["y"], name="y"),
    ]
    size = int(np.prod(shape))
    inputs = {"x": (FLOAT, [1, 6, 4]), "mask": (INT, [1, size])}
    constants = {"heads": [1, 2, 3, 4], "shape": shape, "one": np.float32(1), "least": np.float32(-1e9)}
    path = saved(tmp_path / "m.onnx", nodes, inputs, 4, **constants)
    assert read_onnx(path, shown_as="m.onnx").inputs[1] == {"name": "mask", "shape": [size, 1, 1], "below": 2}
    random = np.random.default_rng(0)
    x: dict[str, Any] = {
        "x": random.normal(0, 1, (5, 6, 4)).astype(np.float32),
        "mask": random.integers(0, 2, (5, size)),
    }
    y = run_record(path, x)
    session = onnx_session(path)
    wanted = np.concatenate([session.run(None, {n: v[i : i + 1] for n, v in x.items()})[0] for i in range(5)])
    np.testing.assert_allclose(y.reshape(wanted.shape), wanted, rtol=1e-5, atol=1e-6)


def test_an_input_that_nothing_reads_is_none(tmp_path: Path) -> None:
    nodes = [helper.make_node("Relu", ["x"], ["y"], name="y")]
    path = saved(tmp_path / "m.onnx", nodes, {"x": (FLOAT, [1, 4]), "mask": (INT, [1, 4])}, 2)
    assert [i["name"] for i in read_onnx(path, shown_as="m.onnx").inputs] == ["x"]


def test_what_is_not_followed_is_named(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("CumSum", ["mask", "axis"], ["places"], name="places"),
        helper.make_node("Cast", ["places"], ["floats"], name="cast", to=FLOAT),
        helper.make_node("Add", ["floats", "x"], ["y"], name="y"),
    ]
    inputs = {"x": (FLOAT, [1, 4]), "mask": (INT, [1, 4])}
    path = saved(tmp_path / "m.onnx", nodes, inputs, 2, axis=np.int64(1))
    with pytest.raises(SpecError, match=r"node 'places' \(CumSum\) computes with whole numbers of an input"):
        read_onnx(path, shown_as="m.onnx")
