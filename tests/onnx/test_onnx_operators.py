"""Each operator of ONNX behind a product, in several forms: what is planned of it is onnxruntime's result, or it is refused by name.

A model is a Conv or a MatMul of seeded weights, named c, and the nodes in question, the last of which gives y.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import aieloom
from aieloom.arrays import Values
from aieloom.errors import SpecError
from aieloom.flow.designs import design_of
from aieloom.flow.onnx_project import write_onnx_project
from aieloom.flow.opening import open_any
from tests.heavy import TensorProto, helper, numpy_helper, onnx
from tests.onnx_session import session as onnx_session

IMAGE, ROWS, BATCH = (1, 4, 10, 9), (1, 6, 16), 3
CHANNELS, FEATURES = 8, 12
random = np.random.default_rng(20)


@dataclass(frozen=True, kw_only=True)
class Model:
    """A model's input, nodes and constants."""

    shape: tuple[int, ...]
    nodes: tuple[onnx.NodeProto, ...]
    constants: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    opset: int = 20
    result: tuple[int, ...] | None = None  # of what onnx infers no shape of

    def proto(self) -> onnx.ModelProto:
        graph = helper.make_graph(
            [_named(n, i) for i, n in enumerate(self.nodes)],
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, self.result)],
            [numpy_helper.from_array(v, k) for k, v in self.constants.items()],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=9)
        inferred = onnx.shape_inference.infer_shapes(model)
        onnx.checker.check_model(inferred)
        return inferred


def _named(node: onnx.NodeProto, index: int) -> onnx.NodeProto:
    made = onnx.NodeProto()
    made.CopyFrom(node)
    made.name = f"{node.op_type.lower()}_{index}"
    return made


def weights(*shape: int) -> NDArray[np.float32]:
    scale = max(1, math.prod(shape[1:])) ** -0.5
    return random.normal(0, scale, shape).astype(np.float32)


def node(op: str, *inputs: str, y: str | Sequence[str] = "y", **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op, inputs, [y] if isinstance(y, str) else list(y), **attributes)


def integers(*values: int) -> NDArray[np.int64]:
    return np.array(values, np.int64)


def floats(*values: float) -> NDArray[np.float32]:
    return np.array(values, np.float32)


def number(value: float) -> NDArray[np.float32]:
    return np.array(value, np.float32)


def conv(*nodes: onnx.NodeProto, shape: tuple[int, ...] = IMAGE, **constants: Any) -> Model:
    """Return nodes behind a convolution of 3 x 3 to 8 channels."""
    first = node("Conv", "x", "cw", "cb", y="c", pads=[1, 1, 1, 1])
    given = {"cw": weights(CHANNELS, shape[1], 3, 3), "cb": weights(CHANNELS)}
    return Model(shape=shape, nodes=(first, *nodes), constants=given | constants)


def rows(*nodes: onnx.NodeProto, **constants: Any) -> Model:
    """Return nodes behind a product of rows, 12 features each."""
    first = (node("MatMul", "x", "mw", y="m"), node("Add", "m", "mb", y="c"))
    given = {"mw": weights(ROWS[-1], FEATURES), "mb": weights(FEATURES)}
    return Model(shape=ROWS, nodes=(*first, *nodes), constants=given | constants)


def alone(*nodes: onnx.NodeProto, shape: tuple[int, ...] = IMAGE, **constants: Any) -> Model:
    """Return nodes that have their product themselves."""
    return Model(shape=shape, nodes=nodes, constants=constants)


def norm(channels: int) -> dict[str, Any]:
    return {
        "g": weights(channels),
        "b": weights(channels),
        "mu": weights(channels),
        "va": np.abs(weights(channels)) + np.float32(0.5),
    }


def image(op: str, *names: str, **given: Any) -> Model:
    """Return an operator of images with constants (arrays) and attributes (anything else)."""
    constants: dict[str, Any] = {k: v for k, v in given.items() if isinstance(v, np.ndarray)}
    attributes = {k: v for k, v in given.items() if k not in constants}
    return conv(node(op, "c", *names, **attributes), **constants)


def of_rows(op: str, *names: str, **given: Any) -> Model:
    """Return an operator of rows, in the same way."""
    constants: dict[str, Any] = {k: v for k, v in given.items() if isinstance(v, np.ndarray)}
    attributes = {k: v for k, v in given.items() if k not in constants}
    return rows(node(op, "c", *names, **attributes), **constants)


def attention(masked: onnx.NodeProto, **constants: Any) -> Model:
    """Return three heads of attention, scores s with a mask: n."""
    turned = node("Transpose", "k", y="kt", perm=[0, 2, 3, 1])
    return rows(
        node("Reshape", "c", "heads", y="k"),
        node("Transpose", "k", y="q", perm=[0, 2, 1, 3]),
        turned,
        node("MatMul", "q", "kt", y="s"),
        masked,
        node("Softmax", "n", y="p", axis=-1),
        node("MatMul", "p", "q", y="z"),
        node("Transpose", "z", y="t", perm=[0, 2, 1, 3]),
        node("Reshape", "t", "back"),
        heads=integers(1, 6, 3, 4),
        back=integers(1, 6, 12),
        **constants,
    )


def of_opset(version: int, model: Model) -> Model:
    """Return a model of another opset, whose forms its nodes have."""
    return replace(model, opset=version)


def behind_relu(op: str, *inputs: str, **constants: Any) -> Model:
    return conv(node("Relu", "c", y="r"), node(op, *inputs), **constants)


BORDER = integers(0, 0, 1, 2, 0, 0, 2, 1)
TAKEN: dict[str, Callable[[], Model]] = {
    # norms, and what transformers have
    "LayerNormalization": lambda: of_rows(
        "LayerNormalization", "g", "b", g=weights(FEATURES), b=weights(FEATURES), axis=-1
    ),
    "LayerNormalization without bias": lambda: of_rows(
        "LayerNormalization", "g", g=weights(FEATURES), axis=-1, epsilon=1e-3
    ),
    "Gelu of rows": lambda: of_rows("Gelu"),
    "Gelu of rows by tanh": lambda: of_rows("Gelu", approximate="tanh"),
    "Gelu of an image": lambda: image("Gelu"),
    "Erf of rows": lambda: of_rows("Erf"),
    "Erf of an image": lambda: image("Erf"),
    "Gelu by Erf": lambda: rows(
        node("Div", "c", "root", y="d"),
        node("Erf", "d", y="e"),
        node("Add", "e", "one", y="f"),
        node("Mul", "c", "f", y="h"),
        node("Mul", "h", "half"),
        root=number(2**0.5),
        one=number(1),
        half=number(0.5),
    ),
    "MatMul of two activations": lambda: rows(
        node("MatMul", "x", "kw", y="k"),
        node("Transpose", "k", y="kt", perm=[0, 2, 1]),
        node("MatMul", "c", "kt"),
        kw=weights(ROWS[-1], FEATURES),
    ),
    "Softmax of rows": lambda: of_rows("Softmax", axis=-1),
    "Softmax of channels": lambda: image("Softmax", axis=1),
    "ReduceMean of rows": lambda: of_rows("ReduceMean", "ax", ax=integers(1), keepdims=0),
    "ReduceMean of an image": lambda: image("ReduceMean", "ax", ax=integers(2, 3), keepdims=1),
    # moving values
    "Transpose to height last": lambda: image("Transpose", perm=[0, 1, 3, 2]),
    "Transpose to channels last": lambda: image("Transpose", perm=[0, 2, 3, 1]),
    "Split of channels, added": lambda: conv(
        node("Split", "c", "at", y=("a", "b"), axis=1), node("Add", "a", "b"), at=integers(4, 4)
    ),
    "Split of channels, unequal, the other way round": lambda: conv(
        node("Split", "c", "at", y=("a", "b"), axis=1), node("Concat", "b", "a", axis=1), at=integers(3, 5)
    ),
    "Split of channels, a part through a product": lambda: conv(
        node("Split", "c", "at", y=("a", "b"), axis=1),
        node("Conv", "b", "dw", y="d", pads=[1, 1, 1, 1]),
        node("Concat", "c", "b", "d", axis=1),
        at=integers(4, 4),
        dw=weights(4, 4, 3, 3),
    ),
    "Split of rows": lambda: rows(
        node("Split", "c", y=("a", "b"), axis=-1, num_outputs=2), node("Mul", "a", "b")
    ),
    "Slice of channels": lambda: image("Slice", "s", "e", "ax", s=integers(2), e=integers(7), ax=integers(1)),
    "Slice of rows and columns": lambda: image(
        "Slice", "s", "e", "ax", s=integers(1, 2), e=integers(9, 8), ax=integers(2, 3)
    ),
    "Slice by two": lambda: image(
        "Slice",
        "s",
        "e",
        "ax",
        "st",
        s=integers(0, 0),
        e=integers(10, 9),
        ax=integers(2, 3),
        st=integers(2, 2),
    ),
    "Slice of rows of features": lambda: of_rows(
        "Slice", "s", "e", "ax", s=integers(0), e=integers(1), ax=integers(1)
    ),
    "Reshape of an image to rows": lambda: conv(
        node("Reshape", "c", "to", y="q"),
        node("Transpose", "q", y="t", perm=[0, 2, 1]),
        node("MatMul", "t", "fw"),
        to=integers(1, 8, 90),
        fw=weights(8, 6),
    ),
    "Flatten and Gemm": lambda: conv(
        node("Flatten", "c", y="f"), node("Gemm", "f", "fw"), fw=weights(720, 5)
    ),
    "DepthToSpace CRD": lambda: image("DepthToSpace", blocksize=2, mode="CRD"),
    "DepthToSpace DCR": lambda: image("DepthToSpace", blocksize=2, mode="DCR"),
    "Resize to the nearest": lambda: image(
        "Resize",
        "",
        "s",
        s=floats(1, 1, 2, 2),
        mode="nearest",
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    ),
    "Pad by reflection": lambda: image("Pad", "p", p=BORDER, mode="reflect"),
    "Pad by the edge": lambda: image("Pad", "p", p=BORDER, mode="edge"),
    "Pad by a number": lambda: image("Pad", "p", "v", p=BORDER, v=number(1.5)),
    "Pad by reflection before a convolution": lambda: alone(
        node("Pad", "x", "p", y="q", mode="reflect"),
        node("Conv", "q", "w"),
        p=integers(0, 0, 1, 1, 0, 0, 1, 1),
        w=weights(8, 4, 3, 3),
    ),
    # convolutions
    "ConvTranspose": lambda: image(
        "ConvTranspose",
        "tw",
        "tb",
        tw=weights(8, 4, 3, 3),
        tb=weights(4),
        strides=[2, 2],
        pads=[1, 1, 1, 1],
        output_padding=[1, 1],
    ),
    "ConvTranspose by its kernel": lambda: image(
        "ConvTranspose", "tw", tw=weights(8, 4, 2, 2), strides=[2, 2]
    ),
    "ConvTranspose of groups": lambda: image(
        "ConvTranspose", "tw", tw=weights(8, 1, 2, 2), strides=[2, 2], group=4
    ),
    "ConvTranspose dilated": lambda: image("ConvTranspose", "tw", tw=weights(8, 4, 2, 2), dilations=[2, 2]),
    "Conv dilated": lambda: alone(
        node("Conv", "x", "w", dilations=[2, 3], pads=[2, 3, 2, 3]), w=weights(8, 4, 3, 3)
    ),
    "Conv of groups": lambda: alone(
        node("Conv", "x", "w", "b", group=2, pads=[1, 1, 1, 1]), w=weights(8, 2, 3, 3), b=weights(8)
    ),
    "Conv of a group for each channel": lambda: alone(
        node("Conv", "x", "w", group=4, pads=[1, 1, 1, 1]), w=weights(8, 1, 3, 3)
    ),
    "Conv of unlike sides": lambda: alone(
        node("Conv", "x", "w", pads=[0, 1, 2, 3], strides=[2, 1]), w=weights(8, 4, 3, 3)
    ),
    "Conv of SAME_UPPER": lambda: alone(
        node("Conv", "x", "w", auto_pad="SAME_UPPER", strides=[2, 2]), w=weights(8, 4, 3, 3)
    ),
    "MaxPool of ceil_mode": lambda: image("MaxPool", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1),
    "AveragePool": lambda: image("AveragePool", kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1),
    "GlobalMaxPool": lambda: image("GlobalMaxPool"),
    # functions and constants
    "PRelu of channels": lambda: image("PRelu", "a", a=weights(8, 1, 1)),
    "PRelu of one slope": lambda: image("PRelu", "a", a=floats(0.25)),
    "PRelu of rows": lambda: of_rows("PRelu", "a", a=weights(FEATURES)),
    "BatchNormalization behind a function": lambda: behind_relu(
        "BatchNormalization", "r", "g", "b", "mu", "va", **norm(CHANNELS)
    ),
    "BatchNormalization first": lambda: alone(
        node("BatchNormalization", "x", "g", "b", "mu", "va", y="n"),
        node("Conv", "n", "w", pads=[1, 1, 1, 1]),
        w=weights(8, 4, 3, 3),
        **norm(4),
    ),
    "BatchNormalization of features": lambda: alone(
        node("Gemm", "x", "w", y="m"),
        node("BatchNormalization", "m", "g", "b", "mu", "va"),
        shape=(1, 16),
        w=weights(16, FEATURES),
        **norm(FEATURES),
    ),
    "Mul by a constant of each channel": lambda: behind_relu("Mul", "r", "k", k=weights(1, 8, 1, 1)),
    "Add of a constant of each channel": lambda: behind_relu("Add", "k", "r", k=weights(8, 1, 1)),
    "Sub from a constant of each channel": lambda: behind_relu("Sub", "k", "r", k=weights(8, 1, 1)),
    "Div by a constant of each channel": lambda: behind_relu(
        "Div", "r", "k", k=np.abs(weights(8, 1, 1)) + np.float32(1)
    ),
    "Mul by a constant of each feature": lambda: rows(
        node("Sigmoid", "c", y="r"), node("Mul", "r", "k"), k=weights(FEATURES)
    ),
    "Sigmoid times its input": lambda: conv(node("Sigmoid", "c", y="s"), node("Mul", "c", "s")),
    "HardSwish": lambda: image("HardSwish"),
    "HardSigmoid": lambda: image("HardSigmoid", alpha=1 / 6),
    "Mish": lambda: image("Mish"),
    "Elu": lambda: image("Elu", alpha=0.7),
    "Softplus": lambda: image("Softplus"),
    "LeakyRelu": lambda: image("LeakyRelu", alpha=0.1),
    "Clip": lambda: image("Clip", "lo", "hi", lo=number(-0.5), hi=number(0.7)),
    "Abs and Sqrt": lambda: conv(node("Abs", "c", y="a"), node("Sqrt", "a")),
    "Exp": lambda: image("Exp"),
    "Pow of two": lambda: image("Pow", "p", p=number(2)),
    "Neg": lambda: image("Neg"),
    # what is other operators by definition
    "Selu": lambda: image("Selu"),
    "Celu": lambda: image("Celu", alpha=0.7),
    "Softsign": lambda: image("Softsign"),
    "Max and Min with numbers": lambda: conv(
        node("Max", "c", "lo", y="m"), node("Min", "hi", "m"), lo=number(-0.2), hi=number(0.4)
    ),
    "Mean of two": lambda: conv(node("Neg", "c", y="n"), node("Relu", "c", y="r"), node("Mean", "n", "r")),
    "ReduceSum of an image": lambda: image("ReduceSum", "ax", ax=integers(2, 3), keepdims=1),
    "ReduceSum of rows": lambda: of_rows("ReduceSum", "ax", ax=integers(-1), keepdims=1),
    "InstanceNormalization": lambda: image("InstanceNormalization", "g", "b", g=weights(8), b=weights(8)),
    "GroupNormalization": lambda: replace(
        image("GroupNormalization", "g", "b", g=weights(8), b=weights(8), num_groups=4),
        opset=21,
        result=(1, CHANNELS, *IMAGE[2:]),
    ),
    "GroupNorm as PyTorch writes it": lambda: of_opset(
        13,
        conv(
            node("Reshape", "c", "to", y="q"),
            node("InstanceNormalization", "q", "one", "zero", y="n"),
            node("Reshape", "n", "back", y="m"),
            node("Mul", "m", "g", y="s"),
            node("Add", "s", "b"),
            to=integers(0, 2, -1),
            back=integers(1, 8, 10, 9),
            one=np.ones(2, np.float32),
            zero=np.zeros(2, np.float32),
            g=weights(8, 1, 1),
            b=weights(8, 1, 1),
        ),
    ),
    "SpaceToDepth": lambda: conv(node("SpaceToDepth", "c", blocksize=2), shape=(1, 4, 8, 10)),
    "Resize by lines": lambda: image("Resize", "", "s", s=floats(1, 1, 2, 2), mode="linear"),
    "Resize by lines, three times, asymmetric": lambda: image(
        "Resize", "", "s", s=floats(1, 1, 3, 3), mode="linear", coordinate_transformation_mode="asymmetric"
    ),
    "Resize by lines to sizes, as PyTorch writes it": lambda: image(
        "Resize",
        "",
        "",
        "s",
        s=integers(1, 8, 40, 36),
        mode="linear",
        coordinate_transformation_mode="pytorch_half_pixel",
    ),
    "Upsample by lines, opset 9": lambda: of_opset(
        9, image("Upsample", "s", s=floats(1, 1, 2, 2), mode="linear")
    ),
    "Einsum with a matrix": lambda: rows(
        node("Einsum", "c", "w", equation="bij,jk->bik"), w=weights(FEATURES, 5)
    ),
    "Einsum of attention": lambda: rows(
        node("Reshape", "c", "heads", y="q"),
        node("Tanh", "q", y="k"),
        node("Einsum", "q", "k", y="s", equation="bihd,bjhd->bhij"),
        node("Softmax", "s", y="p", axis=-1),
        node("Einsum", "p", "q", y="z", equation="bhij,bjhd->bihd"),
        node("Reshape", "z", "back"),
        heads=integers(1, 6, 3, 4),
        back=integers(1, 6, 12),
    ),
    "a causal mask, minus infinity": lambda: attention(
        node("Add", "s", "mask", y="n"), mask=np.triu(np.full((6, 6), -np.inf, np.float32), 1)
    ),
    "a mask of heads": lambda: attention(
        node("Add", "mask", "s", y="n"), mask=np.where(weights(1, 3, 6, 6) > 0.2, -1e4, 0).astype(np.float32)
    ),
    "a mask by Where": lambda: attention(
        node("Where", "mask", "s", "no", y="n"), mask=np.tri(6, dtype=bool)[None, None], no=number(-np.inf)
    ),
    "a mask by Where, the other way round": lambda: attention(
        node("Where", "mask", "no", "s", y="n"), mask=~np.tri(6, dtype=bool), no=number(-np.inf)
    ),
    "Where between a tensor and a number": lambda: rows(
        node("Where", "mask", "c", "no"), mask=weights(1, 6, FEATURES) > 0, no=number(0.5)
    ),
    "Clip of opset 6": lambda: of_opset(10, image("Clip", min=-0.5, max=0.7)),
    "ReduceMean of opset 13": lambda: of_opset(13, image("ReduceMean", axes=[2, 3], keepdims=0)),
    "Squeeze of opset 11": lambda: of_opset(
        11, conv(node("GlobalAveragePool", "c", y="p"), node("Squeeze", "p", axes=[2, 3]))
    ),
    "Pad of opset 9": lambda: of_opset(9, image("Pad", pads=[0, 0, 1, 2, 0, 0, 2, 1], mode="reflect")),
    "Split of opset 11": lambda: of_opset(
        11, conv(node("Split", "c", y=("a", "b"), axis=1, split=[2, 6]), node("Concat", "b", "a", axis=1))
    ),
    "Slice of opset 9": lambda: of_opset(9, image("Slice", starts=[1, 2], ends=[9, 8], axes=[2, 3])),
    "Softmax of opset 11": lambda: of_opset(
        11, conv(node("Flatten", "c", y="f"), node("Softmax", "f", axis=1))
    ),
    "Gather of a row": lambda: rows(node("Gather", "c", "at", axis=1), at=np.array(2, np.int64)),
    "Gather of channels by two": lambda: image("Gather", "at", at=integers(1, 3, 5), axis=1),
}
# What is refused, and how: the node, its operator, why.
REFUSED: dict[str, tuple[Callable[[], Model], str]] = {
    "Pad by wrapping": (
        lambda: image("Pad", "p", p=BORDER, mode="wrap"),
        r"node 'pad_1' \(Pad\): pads by mode 'wrap'; these are supported: constant, reflect, edge",
    ),
    "Resize by lines, corners on corners": (
        lambda: image(
            "Resize",
            "",
            "s",
            s=floats(1, 1, 2, 2),
            mode="linear",
            coordinate_transformation_mode="align_corners",
        ),
        r"node 'resize_1' \(Resize\): interpolates \(linear\)",
    ),
    "Resize by cubes": (
        lambda: image("Resize", "", "s", s=floats(1, 1, 2, 2), mode="cubic"),
        r"node 'resize_1' \(Resize\): interpolates \(cubic\)",
    ),
    "Einsum of a trace": (
        lambda: rows(node("Einsum", "c", equation="bij->bi")),
        r"node 'einsum_2' \(Einsum\): the operator is not supported",
    ),
    "Max of two activations": (
        lambda: conv(node("Neg", "c", y="n"), node("Max", "c", "n")),
        r"node 'max_2' \(Max\): the operator is not supported",
    ),
    "Conv of rows": (
        lambda: alone(node("Conv", "x", "w", pads=[1, 1]), shape=(1, 4, 20), w=weights(8, 4, 3)),
        r"node 'conv_0' \(Conv\): computes with \(1, 4, 20\); images are taken",
    ),
}
# Through sessions: the emulated design, and onnxruntime for what the device does not take.
EMULATED = (
    "LayerNormalization",
    *(
        pytest.param(name, marks=pytest.mark.slow)
        for name in (
            "Split of channels, a part through a product",
            "MatMul of two activations",
            "Pad by reflection",
            "PRelu of rows",
            "ConvTranspose of groups",
            "BatchNormalization first",
        )
    ),
)


def by_onnxruntime(model: onnx.ModelProto, x: Values) -> Values:
    session = onnx_session(model)
    y: Values = session.run(None, {"x": x})[0]
    return y


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_planned_is_onnxruntimes_result(name: str, tmp_path: Path) -> None:
    model = TAKEN[name]().proto()
    onnx.save(model, tmp_path / "model.onnx")
    folder = tmp_path / "net"
    write_onnx_project(folder, tmp_path / "model.onnx", "vck190")
    with (folder / "network.yaml").open("a") as file:
        file.write("execution: sequential\n")
    project = open_any(folder, build=folder / "build")
    shape = tuple(d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim)
    for _ in range(BATCH):
        x = random.normal(0, 1, shape).astype(np.float32)
        y = by_onnxruntime(model, x)
        found = design_of(project).reference(project.taken(x))
        if project.plan.y.rows:  # (1, features, rows, 1)
            found = found[..., 0].transpose(0, 2, 1)
        assert found.size == y.size
        np.testing.assert_allclose(found.reshape(y.shape), y, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_taken_is_refused_by_node_and_operator(name: str, tmp_path: Path) -> None:
    make, said = REFUSED[name]
    onnx.save(make().proto(), tmp_path / "model.onnx")
    with pytest.raises(SpecError, match=said):
        write_onnx_project(tmp_path / "net", tmp_path / "model.onnx", "vck190")


def masked_in_integers(folder: Path) -> tuple[Path, Values, Values]:
    """Write a project in int8 of attention with a causal mask; return it, an input and onnxruntime's result."""
    random.bit_generator.state = np.random.default_rng(5).bit_generator.state  # whatever ran before
    model = TAKEN["a causal mask, minus infinity"]().proto()
    folder.mkdir()
    onnx.save(model, folder / "model.onnx")
    net = folder / "net"
    write_onnx_project(net, folder / "model.onnx", "vck190")
    np.savez(net / "calib.npz", x=random.normal(0, 1, (16, *ROWS[1:])).astype(np.float32))
    with (net / "network.yaml").open("a") as file:
        file.write(
            "execution: sequential\nquantize: {activations: int8, weights: int8, calibration: calib.npz,"
        )
        file.write(" scales: multiplier}\n")
    x = random.normal(0, 1, ROWS).astype(np.float32)
    return net, x, by_onnxruntime(model, x)


def test_a_mask_leaves_scores_their_steps_in_integers(tmp_path: Path) -> None:
    """The scale of masked scores is that of the others: elements of -1e30 would leave one step for all scores."""
    net, x, wanted = masked_in_integers(tmp_path / "all")
    project = open_any(net, build=net / "build")
    found = design_of(project).reference(project.taken(x))[..., 0].transpose(0, 2, 1)
    assert np.abs(found - wanted).max() < 0.1 * np.abs(wanted).max()


@pytest.mark.slow
def test_masks_in_integers_are_emulated_to_the_bit(tmp_path: Path) -> None:
    net, x, _ = masked_in_integers(tmp_path / "all")
    design = aieloom.design(net)
    np.testing.assert_array_equal(design.emulate(x), design.reference(x))


@pytest.mark.integration
@pytest.mark.parametrize("name", EMULATED)
def test_a_session_gives_onnxruntimes_result(name: str, tmp_path: Path) -> None:
    model = TAKEN[name]().proto()
    onnx.save(model, tmp_path / "model.onnx")
    shape = tuple(d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim)
    x = random.normal(0, 1, shape).astype(np.float32)
    with aieloom.Session(tmp_path / "model.onnx", target="vck190") as session:
        (y,) = session.run(None, {"x": x})
    wanted = by_onnxruntime(model, x)
    assert y.shape == wanted.shape
    np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-4)
