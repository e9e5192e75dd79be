"""ONNX models whose nodes stand in another order than that of evaluation, as tools that edit graphs leave them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.errors import SpecError
from aieloom.network.readers.onnx_import import read_onnx
from aieloom.network.readers.onnx_order import sort_nodes
from tests.heavy import TensorProto, helper, onnx
from tests.onnx.models import Builder


def branching(seed: int) -> onnx.ModelProto:
    """Return a model whose nodes read random tensors made before; one of them from inside of an If."""
    random, b = np.random.default_rng(seed), Builder([1, 2, 3, 3], seed=seed)
    made = ["x"]
    for _ in range(int(random.integers(2, 9))):
        b.last = made[random.integers(len(made))]
        b.add("Add", made[random.integers(len(made))])
        made.append(b.last)
    b.constant("yes", np.bool_(True))
    outer = made[random.integers(1, len(made))]
    end = helper.make_tensor_value_info("inside2", TensorProto.FLOAT, [1, 2, 3, 3])
    body = [
        helper.make_node("Relu", [outer], ["inside"]),
        helper.make_node("Neg", ["inside"], ["inside2"]),
    ]
    same = helper.make_graph(body, "body", [], [end])
    b.nodes.append(helper.make_node("If", ["yes"], ["picked"], then_branch=same, else_branch=same))
    b.last = "picked"
    return b.add("Add", made[-1]).model()


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), random=st.randoms(use_true_random=False))
def test_any_order_becomes_one_that_onnx_takes_and_no_other_is_touched(seed: int, random: object) -> None:
    model = branching(seed)
    whole = model.SerializeToString(deterministic=True)
    sort_nodes(model.graph)
    assert model.SerializeToString(deterministic=True) == whole
    nodes = [onnx.NodeProto.FromString(n.SerializeToString()) for n in model.graph.node]
    random.shuffle(nodes)  # type: ignore[attr-defined]
    for node in nodes:
        for a in node.attribute:
            inner = [onnx.NodeProto.FromString(n.SerializeToString()) for n in reversed(a.g.node)]
            del a.g.node[:]
            a.g.node.extend(inner)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    sort_nodes(model.graph)
    onnx.checker.check_model(model)
    assert sorted(n.output[0] for n in model.graph.node) == sorted(n.output[0] for n in nodes)


def test_a_model_in_another_order_is_read_as_the_same(tmp_path: Path) -> None:
    b = Builder([1, 1, 6, 6])
    b.add("Conv", b.weights("w", 2, 1, 3, 3), kernel_shape=[3, 3]).add("Relu").add("GlobalAveragePool")
    wanted = read_onnx(b.save(tmp_path / "m.onnx"), shown_as="m.onnx")
    b.nodes.reverse()
    with pytest.raises(onnx.checker.ValidationError, match="topologically sorted"):
        onnx.checker.check_model(b.model())
    found = read_onnx(b.save(tmp_path / "turned.onnx"), shown_as="turned.onnx")
    assert found.layers == wanted.layers
    assert all(np.array_equal(found.tensors[n], v) for n, v in wanted.tensors.items())


def test_a_circle_is_named(tmp_path: Path) -> None:
    b = Builder([1, 1, 6, 6]).add("Add", "t1").add("Relu").add("Neg")
    with pytest.raises(SpecError) as refused:
        read_onnx(b.save(tmp_path / "m.onnx"), shown_as="m.onnx")
    assert "3 nodes wait for each other's results, those that make 't0', 't1', 't2'" in str(refused.value)


def test_a_constant_of_another_size_is_corrected_as_the_remedy_says(tmp_path: Path) -> None:
    b = Builder([1, 1, 6, 6]).add("Relu")
    b.add("Add", b.weights("five", 5))
    with pytest.raises(SpecError) as refused:
        read_onnx(b.save(tmp_path / "m.onnx"), shown_as="m.onnx")
    (problem,) = refused.value.problems
    assert "the shapes do not fit together" in problem.text and "add_1" in problem.text
    assert "correct the sizes that it names: of that node's constants" in problem.remedy
    b.weights("five", 1)
    assert len(read_onnx(b.save(tmp_path / "m.onnx"), shown_as="m.onnx").layers) == 2
