"""Models that onnxruntime is given as bytes hold all their values, and what it refuses is told as one message."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.errors import SpecError
from aieloom.network.readers import ONNX
from aieloom.runtime.partition import Flow
from aieloom.runtime.processor import Processor, check_inside, extracted
from tests.heavy import TensorProto, helper, numpy_helper, onnx
from tests.onnx.models import Builder
from tests.onnx_session import session as onnx_session

SECRET = "secret.bin"
Place = Callable[["TensorProto"], "onnx.ModelProto"]


def outside(name: str = "v") -> TensorProto:
    """Four float32 values that lie in a file of the working directory."""
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=SECRET)
    return tensor


def sparse(values: TensorProto) -> onnx.SparseTensorProto:
    return helper.make_sparse_tensor(values, numpy_helper.from_array(np.arange(4), "at"), [4])


def model(*nodes: onnx.NodeProto, functions: tuple[onnx.FunctionProto, ...] = ()) -> onnx.ModelProto:
    """Return x + v of nodes that make v."""
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [4]) for n in "xy")
    graph = helper.make_graph([*nodes, helper.make_node("Add", ["x", "v"], ["y"])], "g", [x], [y])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, functions=[*functions])


def in_initializer(values: TensorProto) -> onnx.ModelProto:
    made = model()
    made.graph.initializer.append(values)
    return made


def in_sparse_initializer(values: TensorProto) -> onnx.ModelProto:
    made = model()
    made.graph.sparse_initializer.append(sparse(values))
    return made


def in_constant(values: TensorProto) -> onnx.ModelProto:
    return model(helper.make_node("Constant", [], ["v"], value=values))


def in_sparse_constant(values: TensorProto) -> onnx.ModelProto:
    return model(helper.make_node("Constant", [], ["v"], sparse_value=sparse(values)))


def branches(values: TensorProto, *, dense: bool = True) -> tuple[onnx.NodeProto, onnx.NodeProto]:
    """Return nodes that make v: a condition, and an If whose branches have the values."""
    v = helper.make_tensor_value_info("v", TensorProto.FLOAT, [4])
    inside = helper.make_graph([], "inside", [], [v], [values] if dense else [])
    if not dense:
        inside.sparse_initializer.append(sparse(values))
    true = numpy_helper.from_array(np.array(True), "true")
    condition = helper.make_node("Constant", [], ["c"], value=true)
    return condition, helper.make_node("If", ["c"], ["v"], then_branch=inside, else_branch=inside)


def in_subgraph(values: TensorProto) -> onnx.ModelProto:
    return model(*branches(values))


def in_sparse_initializer_of_subgraph(values: TensorProto) -> onnx.ModelProto:
    return model(*branches(values, dense=False))


def called(*nodes: onnx.NodeProto) -> onnx.ModelProto:
    """Return a model that calls a function of its own, which makes v."""
    function = helper.make_function("own", "Made", [], ["v"], nodes, [helper.make_opsetid("", 17)])
    return model(helper.make_node("Made", [], ["v"], domain="own"), functions=(function,))


def in_function(values: TensorProto) -> onnx.ModelProto:
    return called(helper.make_node("Constant", [], ["v"], value=values))


def in_subgraph_of_function(values: TensorProto) -> onnx.ModelProto:
    return called(*branches(values))


PLACES = (
    in_initializer,
    in_sparse_initializer,
    in_constant,
    in_sparse_constant,
    in_subgraph,
    in_sparse_initializer_of_subgraph,
    in_function,
    in_subgraph_of_function,
)


@pytest.mark.parametrize("place", PLACES, ids=lambda p: p.__name__)
def test_values_outside_of_a_model_are_refused_wherever_they_are(place: Place) -> None:
    check_inside(place(numpy_helper.from_array(np.ones(4, np.float32), "v")))
    with pytest.raises(SpecError, match=rf"tensor 'v' lie outside of the model, in '{SECRET}'"):
        Processor(place(outside()))


@pytest.mark.parametrize("place", [in_sparse_constant, in_subgraph_of_function], ids=lambda p: p.__name__)
def test_no_model_reads_files_below_the_working_directory(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Places that onnx.load leaves as they are: a client's model gave back what a file there holds."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / SECRET).write_bytes(np.arange(4, dtype="<f4").tobytes())
    monkeypatch.chdir(tmp_path / "work")
    data = place(outside()).SerializeToString()
    (y,) = onnx_session(data).run(None, {"x": np.zeros(4, np.float32)})
    assert y.tolist() == [0, 1, 2, 3], "why it is looked at: onnxruntime reads the file"
    file = tmp_path / f"model{ONNX}"
    onnx.save(place(outside()), file)
    with pytest.raises(SpecError, match="lie outside of the model"):
        aieloom.Session(file, target="zynq-7020")


def parallel() -> onnx.ModelProto:
    """Return a product beside an operator of which ONNX does not know the result's type, onnxruntime does."""
    b = Builder((1, 8))
    made = (
        b.add("Gemm", b.weights("w", 8, 8), transB=1).add("CumSum", b.constant("axis", np.int64(1))).model(2)
    )
    (y,) = made.graph.output
    made.graph.node.append(helper.make_node("QuickGelu", ["x"], ["z"], domain="com.microsoft"))
    made.graph.node.append(helper.make_node("Add", [y.name, "z"], ["sum"]))
    made.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    y.name = "sum"
    return made


def test_a_tensor_of_unknown_type_at_the_edge_is_named(tmp_path: Path) -> None:
    made = parallel()
    onnx.save(made, tmp_path / f"model{ONNX}")
    with pytest.raises(SpecError, match="nothing says the type and shape of 'z'"):
        aieloom.Session(tmp_path / f"model{ONNX}", target="zynq-7020")
    made.graph.value_info.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, [1, 8]))
    part = extracted(made, ["x"], ["z"])
    x = np.linspace(-1, 1, 8, dtype=np.float32).reshape(1, 8)
    np.testing.assert_allclose(Processor(part).run({"x": x})["z"], x / (1 + np.exp(-1.702 * x)), rtol=1e-6)


def test_what_cannot_be_cut_out_is_told() -> None:
    made = in_sparse_initializer(numpy_helper.from_array(np.ones(4, np.float32), "v"))
    with pytest.raises(SpecError, match="the part from x to y cannot be cut out"):
        extracted(made, ["x"], ["y"])


def test_a_part_that_onnxruntime_refuses_is_told() -> None:
    made = model(helper.make_node("Unheard", [], ["v"], domain="own"))
    with pytest.raises(SpecError, match=r"onnxruntime does not take the part from x to y: .*Unheard"):
        Processor(made)


@pytest.mark.parametrize(
    ("x", "said"),
    [
        (np.ones(4), r"'x' is float64 of 4, tensor\(float\) of 4 is taken"),
        (np.ones((2, 4), np.float32), r"'x' is float32 of 2 x 4, tensor\(float\) of 4 is taken"),
        ([[1.0], [1.0, 2.0]], "'x' is no array"),
    ],
)
def test_what_onnxruntime_is_given_wrong_is_named(x: object, said: str) -> None:
    part = Processor(in_initializer(numpy_helper.from_array(np.ones(4, np.float32), "v")))
    with pytest.raises(SpecError, match=said):
        part.run({"x": x})  # type: ignore[dict-item]


def test_nodes_in_another_order_are_sorted_and_a_circle_is_refused(tmp_path: Path) -> None:
    b = Builder((1, 8))
    sorted_ = b.add("Gemm", b.weights("w", 8, 8), transB=1).add("Relu").model(2)
    gemm, relu = sorted_.graph.node
    swapped, circle = onnx.ModelProto(), onnx.ModelProto()
    for made in (swapped, circle):
        made.CopyFrom(sorted_)
        del made.graph.node[:]
    swapped.graph.node.extend([relu, gemm])
    x = np.linspace(-1, 1, 8, dtype=np.float32).reshape(1, 8)
    expected = onnx_session(sorted_).run(None, {"x": x})[0]
    gemm.input[0] = relu.output[0]
    circle.graph.node.extend([gemm, relu])
    for made in (swapped, circle):
        with pytest.raises(onnx.checker.ValidationError):  # ONNX's own word
            onnx.checker.check_model(made)
        with pytest.raises(SpecError, match=r"reads '.*', which node .* makes, no node before it"):
            Flow(made)
        onnx.save(made, tmp_path / f"{'circle' if made is circle else 'swapped'}{ONNX}")
    with aieloom.Session(tmp_path / f"swapped{ONNX}") as session:
        (found,) = session.run(None, {"x": x})
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    with pytest.raises(SpecError, match="2 nodes wait for each other's results"):
        aieloom.Session(tmp_path / f"circle{ONNX}")
