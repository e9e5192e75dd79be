"""ONNX operators that are functions of a value, norms, reductions and arithmetic with one constant.

Facts: ONNX operator specifications, by operator and opset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.onnx_graph import Node
from aieloom.network.readers.onnx_nodes import (
    TRANSLATORS,
    Piece,
    Pieces,
    axes_of,
    by_channel,
    for_each_channel,
    number,
    weights_name,
)
from aieloom.network.readers.onnx_quant import added_to_elements, current
from aieloom.network.readers.refused import Refused

AXES = ("channels", "height", "width")  # behind the batch
ROW_AXES = ("height", "channels")  # of rows of features


def _gelu(node: Node, pieces: Pieces) -> Pieces:
    rough = node.get("approximate", b"none") == b"tanh"
    return [*pieces, Piece("gelu_tanh" if rough else "gelu")]


def _swish(node: Node, pieces: Pieces) -> Pieces:
    if (alpha := node.get("alpha", 1.0)) != 1:
        raise Refused(f"has alpha {alpha:g}", "use alpha 1")
    return [*pieces, Piece("silu")]


def _scalar(node: Node) -> tuple[float, bool]:
    """Return the constant of an operation on one tensor, and whether it stands first.

    Raises:
        Refused: it is no single number.
    """
    first = node.inputs[0] != node.x
    value = node.constant(0 if first else 1, "second operand")
    if value.size != 1:
        raise Refused(
            f"computes with a constant of shape {value.shape}; a single number is supported",
            "put it into the weights of a Conv or Linear layer",
        )
    return float(value.reshape(())), first


def _of_channels(node: Node, pieces: Pieces) -> Values | None:
    """Return the second operand's value for each channel; None of a single number, and of elements, which a table scales.

    Raises:
        Refused: it has others.
    """
    value = node.optional(0 if node.inputs[0] != node.x else 1)
    if value is None or value.size == 1 or node.matrix or current(pieces) is not None:
        return None
    return by_channel(node, value)


def _of_rows(node: Node, factors: Values | None, offsets: Values | None) -> Piece:
    """Return the layer that multiplies rows by constants and adds others: one for each feature, or for each value.

    Raises:
        Refused: they have another shape.
    """
    rows, features = node.x_shape[-2:]
    tensors, over = {}, "channels"
    for name, value in (("weight", factors), ("bias", offsets)):
        if value is None:
            continue
        if value.size not in (features, rows * features) or value.shape[-1] != features:
            raise Refused(
                f"computes with a constant of shape {value.shape} on {node.x_shape}",
                "use one number, one for each feature, or one for each value",
            )
        over = "all" if value.size > features else over
        tensors[name] = value
    shape = (rows, features) if over == "all" else (features,)
    laid = {
        name: np.broadcast_to(v.reshape(shape), shape).T.reshape(*shape[::-1], *(1,) * (over == "all"))
        for name, v in tensors.items()
    }
    keys = {"over": over, "scale": factors is not None, "bias": offsets is not None}
    return Piece("affine", {k: v for k, v in keys.items() if v is not True}, laid)


def _constant_of_rows(node: Node) -> Values | None:
    """Return the constant that a node computes with on rows, where it has several values."""
    value = node.optional(0 if node.inputs[0] != node.x else 1)
    return None if value is None or value.size == 1 or not node.matrix else value


def _batch_norm(node: Node, pieces: Pieces) -> Pieces:
    if mode := node.get("training_mode", 0):
        raise Refused(f"is in training mode (training_mode: {mode})", "call model.eval() before the export")
    if (pieces and pieces[-1].scales is not None) or current(pieces) is not None:
        raise Refused(
            f"scales {node.x_shape}, the results of integer weights",
            "fold it into the weights before they are quantised",
        )
    if len(node.x_shape) == 3:
        raise Refused(f"scales the rows of {node.x_shape}, not its features", "give it (rows, features)")
    names = ("weight", "bias", "running_mean", "running_var")
    tensors = {name: node.constant(i, name) for i, name in enumerate(names, 1)}
    keys = {"eps": number(node.get("epsilon", 1e-5))}
    return [*pieces, Piece("batch_norm", keys, tensors, weights_name(node, 1))]


def _scaled(pieces: Pieces, factor: float = 1.0, offset: float = 0.0) -> Pieces:
    return [*pieces, Piece("scale", {"factor": number(factor), "offset": number(offset)})]


def _mul(node: Node, pieces: Pieces) -> Pieces:
    of_rows, factors = _constant_of_rows(node), _of_channels(node, pieces)
    if of_rows is not None:
        return [*pieces, _of_rows(node, of_rows, None)]
    if factors is not None:
        return [*pieces, for_each_channel(factors)]
    return _scaled(pieces, factor=_scalar(node)[0])


def _div(node: Node, pieces: Pieces) -> Pieces:
    of_rows, factors = _constant_of_rows(node), _of_channels(node, pieces)
    if of_rows is not None and node.inputs[0] == node.x and of_rows.all():
        return [*pieces, _of_rows(node, 1 / of_rows.astype(np.float64), None)]
    if factors is not None and node.inputs[0] == node.x and factors.all():
        return [*pieces, for_each_channel(1 / factors.astype(np.float64))]
    value, first = _scalar(node)
    if first:
        return _scaled([*pieces, Piece("reciprocal")], factor=value)
    if value == 0:
        raise Refused(f"divides by {value:g}", "export a model that does not")
    return _scaled(pieces, factor=1 / value)


def _sub(node: Node, pieces: Pieces) -> Pieces:
    of_rows, offsets = _constant_of_rows(node), _of_channels(node, pieces)
    if of_rows is not None:
        first = node.inputs[0] != node.x
        return [
            *pieces,
            _of_rows(node, np.full(of_rows.shape, -1.0) if first else None, of_rows if first else -of_rows),
        ]
    if offsets is not None:
        sign = 1.0 if node.inputs[0] == node.x else -1.0
        return [*pieces, for_each_channel(np.full(len(offsets), sign), -sign * offsets)]
    value, first = _scalar(node)
    return _scaled(pieces, factor=-1.0, offset=value) if first else _scaled(pieces, offset=-value)


def _add(node: Node, pieces: Pieces) -> Pieces:
    """Take a constant as a bias of the product before it, or else a single number."""
    try:
        return TRANSLATORS["Add"](node, pieces)
    except Refused:
        constant = node.optional(1 if node.inputs[0] == node.x else 0)
        if constant is None:
            raise
        if constant.size == 1:
            return _scaled(pieces, offset=float(constant.reshape(())))
        x = current(pieces)
        if node.matrix and (
            x is None or constant.size > node.x_shape[-1]
        ):  # of elements a value for each too
            return [*pieces, _of_rows(node, None, constant)]
        if x is None:
            return [*pieces, for_each_channel(np.ones(node.x_shape[1]), by_channel(node, constant))]
        return [*pieces, added_to_elements(node, x, by_channel(node, constant))]


def _neg(_node: Node, pieces: Pieces) -> Pieces:
    return _scaled(pieces, factor=-1.0)


def _pow(node: Node, pieces: Pieces) -> Pieces:
    value, first = _scalar(node)
    op = {2.0: "square", 0.5: "sqrt", -1.0: "reciprocal"}.get(value)
    if first or op is None:
        raise Refused(f"is the power {value:g}; 2, 0.5 and -1 are supported", "write it as products")
    return [*pieces, Piece(op)]


def _argmax(node: Node, pieces: Pieces) -> Pieces:
    rank = len(node.x_shape)
    if node.get("axis", 0) % rank != 1 or node.get("select_last_index", 0):
        raise Refused(f"is taken along axis {node.get('axis', 0)}; only channels are supported", "use axis 1")
    if rank == 4 and not node.get("keepdims", 1):
        raise Refused(f"drops the axis of the channels of {node.x_shape}", "use keepdims=1")
    return [*pieces, Piece("argmax")]


def _layer_norm(node: Node, pieces: Pieces) -> Pieces:
    rank = len(node.x_shape)
    axis = node.get("axis", -1) % rank
    if node.matrix and axis == rank - 1:
        return [*pieces, _normalised(node, "channels", node.x_shape[-1:])]
    if axis != 1 and (rank != 4 or axis != 3):
        raise Refused(
            f"normalises {node.x_shape} from axis {axis} on; from axis 1, or the last one, is supported",
            "normalise everything, or rows",
        )
    over = "width" if axis == 3 else "all"
    shape = node.x_shape[axis:]
    return [*pieces, _normalised(node, over, shape)]


def _normalised(node: Node, over: str, whole: tuple[int, ...]) -> Piece:
    """Return the layer of a LayerNormalization over values of shape `whole`."""
    given, bias = {"weight": node.constant(1, "scale")}, node.optional(2)
    if bias is not None:
        given["bias"] = bias
    tensors = {n: _for_layer(node, _fitted(v, whole), over) for n, v in given.items()}
    keys: dict[str, object] = {"over": over, "eps": number(node.get("epsilon", 1e-5))}
    prefix, dot, last = node.name_of(1).rpartition(".")
    name = prefix if dot and last == "weight" else ""
    return Piece("layer_norm", keys if bias is not None else {**keys, "bias": False}, tensors, name)


def _fitted(values: Values, whole: tuple[int, ...]) -> Values:
    """Return constants of a norm over values of shape `whole`, one for each.

    Raises:
        Refused: they have another shape.
    """
    if values.size == int(np.prod(whole)):
        return values.reshape(whole)
    try:
        return np.broadcast_to(values, whole)
    except ValueError as e:
        text = f"scales values of shape {whole} by constants of shape {values.shape}"
        raise Refused(text, "use one for each value, or for each of the last axis") from e


def _for_layer(node: Node, values: Values, over: str) -> Values:
    """Return a norm's constants as its layer has them: of rows the features first, of one pixel its channels alone."""
    if over != "all":
        return values
    if node.matrix:
        return values.T[..., None]
    return values.reshape(values.shape[:1]) if values.size == values.shape[0] else values


def _reduce_mean(node: Node, pieces: Pieces) -> Pieces:
    axes, rank = axes_of(node), len(node.x_shape)
    places = sorted({a % rank for a in axes}) if axes is not None else []
    if node.matrix and rank == 3 and places and places[0] > 0:
        made = Piece("reduce_mean", {"axes": [ROW_AXES[a - 1] for a in places]})
        turned = places == [2] and len(node.y_shape) == 2  # the rows are features now
        return [*pieces, made, *([Piece("flatten")] if turned else [])]
    if rank == 4 and places == [2, 3]:
        return [*pieces, Piece("global_avg_pool")]
    if not places or places[0] == 0 or (rank == 4 and not node.get("keepdims", 1)):
        raise Refused(
            f"averages {node.x_shape} over the axes {axes}",
            "average height and width, or keep the dimensions (keepdims=1)",
        )
    return [*pieces, Piece("reduce_mean", {"axes": [AXES[a - 1] for a in places]})]


def _transpose(node: Node, pieces: Pieces) -> Pieces:
    """Take a permutation behind the batch; one that moves nothing is a reshape."""
    try:
        return TRANSLATORS["Transpose"](node, pieces)
    except Refused:
        order = node.integers("perm") or []
        if len(order) != 4 or order[0] != 0:
            raise
        return [*pieces, Piece("transpose", {"axes": [AXES[a - 1] for a in order[1:]]})]


FUNCTIONS: Mapping[str, Callable[[Node, Pieces], Pieces]] = {
    "Add": _add,
    "ArgMax": _argmax,
    "BatchNormalization": _batch_norm,
    "Div": _div,
    "Gelu": _gelu,
    "LayerNormalization": _layer_norm,
    "Mul": _mul,
    "Neg": _neg,
    "Pow": _pow,
    "ReduceMean": _reduce_mean,
    "Sub": _sub,
    "Swish": _swish,
    "Transpose": _transpose,
}
