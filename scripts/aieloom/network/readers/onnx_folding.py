"""Constants of an ONNX model: what follows from them alone is computed, in bounded time and memory, and taken out.

Shapes are inferred on the way: each round uncovers what the last made constant.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.onnx_constants import Constants, initializer, rescaled
from aieloom.network.readers.onnx_model import dims_of, first_line, opset_of, problem

if TYPE_CHECKING:
    import onnx

MAX_FOLDS = 10  # rounds of folding and shape inference; each uncovers what the last made constant
GROWING = (
    "ConstantOfShape",
    "Expand",
    "OneHot",
    "Pad",
    "Range",
    "Resize",
    "Tile",
    "Upsample",
)  # by a constant's value
FOLD_LIMIT = 1 << 26  # values of a folded constant: more is a mistake in the model, or an attack
FOLD_GROWTH = 4  # all folded constants together are at most so many times the file's, and FOLD_FREE values
FOLD_FREE = 1 << 22


def fold(model: onnx.ModelProto, shown: str, known: Mapping[str, Values]) -> Constants:
    """Evaluate every node whose inputs are constants, and take it out; `model` gets inferred shapes.

    Raises:
        SpecError: the shapes do not fit together, or a constant cannot be read.
    """
    import onnx  # noqa: PLC0415

    constants = constants_of(model, shown, known)
    room = FOLD_GROWTH * sum(v.size for v in constants.values()) + FOLD_FREE
    for _ in range(MAX_FOLDS):
        try:
            model.CopyFrom(onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True))
        except Exception as e:  # InferenceError, and others for damaged files
            remedy = "correct the sizes that it names: of that node's constants, or of the model's inputs and outputs"
            raise problem(shown, f"the shapes do not fit together: {first_line(e)}", remedy) from e
        graph = model.graph
        shapes = {v.name: dims_of(v) for v in (*graph.input, *graph.value_info, *graph.output)}
        kept = [n for n in graph.node if not _evaluated(n, constants, shapes, opset_of(model), room)]
        if len(kept) == len(graph.node):
            break
        copies = [deepcopy(n) for n in kept]  # deleting the list empties its elements
        del graph.node[:]
        graph.node.extend(copies)
        there = {t.name for t in graph.initializer}
        graph.initializer.extend(initializer(v, name) for name, v in constants.items() if name not in there)
    return constants


def constants_of(model: onnx.ModelProto, shown: str, known: Mapping[str, Values]) -> Constants:
    """Return the values of a model's constants, which it keeps of small ones alone; `known` were taken out before."""
    tensors = model.graph.initializer
    found = Constants({t.name: known[t.name] if t.name in known else _array(t, shown) for t in tensors})
    for tensor in tensors:
        tensor.CopyFrom(initializer(found[tensor.name], tensor.name))
    return found


def _array(tensor: onnx.TensorProto, shown: str) -> Values:
    """Return an initializer's values."""
    import onnx  # noqa: PLC0415

    try:
        values: Values = onnx.numpy_helper.to_array(tensor)
    except (
        Exception
    ) as e:  # its bytes do not fill its shape, or its type has no array: ValueError, KeyError ...
        text = f"the tensor '{tensor.name}' cannot be read: {first_line(e)}"
        raise problem(shown, text, "export or copy it again") from e
    return values


def _evaluated(
    node: onnx.NodeProto,
    constants: Constants,
    shapes: Mapping[str, tuple[int, ...]],
    opset: int,
    room: int,
) -> bool:
    """Add a node's results to the constants when all it needs is known and all have `room`; tell whether it was."""
    if node.domain not in ("", "ai.onnx"):
        return False
    if node.op_type == "Shape" and node.input[0] not in constants:
        dims = shapes.get(node.input[0], (-1,))
        if any(d < 0 for d in dims):
            return False
        constants[node.output[0]] = _shape_of(node, dims)
        return True
    if any(i and i not in constants for i in node.input) or node.op_type.startswith("Random"):
        return False
    return _is_small(node, constants, shapes, room) and _run(node, constants, opset)


def _is_small(
    node: onnx.NodeProto, constants: Mapping[str, Values], shapes: Mapping[str, tuple[int, ...]], room: int
) -> bool:
    """Tell whether a node can be evaluated in bounded time and memory: no loops, no constant that explodes.

    Nodes that double what others doubled are bounded by the `room` of all constants together.
    """
    if any(a.HasField("g") or a.graphs for a in node.attribute):
        return False
    if any(constants[i].size > FOLD_LIMIT for i in node.input if i):
        return False
    made = [shapes.get(o) for o in node.output if o]
    sizes = [prod(max(d, 1) for d in dims) for dims in made if dims is not None]
    if max(sizes, default=0) > FOLD_LIMIT or sum(sizes) + sum(v.size for v in constants.values()) > room:
        return False
    grows = node.op_type in GROWING
    return not grows or all(dims is not None and all(d >= 0 for d in dims) for dims in made)


def _shape_of(node: onnx.NodeProto, dims: tuple[int, ...]) -> Values:
    bounds = {a.name: a.i for a in node.attribute}
    return np.array(dims[bounds.get("start", 0) : bounds.get("end", len(dims))], np.int64)


def _run(node: onnx.NodeProto, constants: Constants, opset: int) -> bool:
    """Evaluate one node as a model of its own: only so does the evaluator heed the opset."""
    from onnx import TypeProto, ValueInfoProto, helper  # noqa: PLC0415
    from onnx.reference import ReferenceEvaluator  # noqa: PLC0415

    made = [o for o in node.output if o]
    needed = {i: constants[i] for i in node.input if i}
    try:
        own = rescaled(node, constants)
        if own is not None:
            constants[made[0]] = own
            constants.keep_scale(node)
            return True
        inputs = [
            helper.make_tensor_value_info(i, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
            for i, v in needed.items()
        ]
        outputs = [ValueInfoProto(name=o, type=TypeProto()) for o in node.output if o]
        graph = helper.make_graph([node], "one", inputs, outputs)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        results = ReferenceEvaluator(model).run(None, needed)
    except Exception:  # whatever stops the evaluator, the node stays, and is refused by name
        return False
    constants.update(zip(made, (np.asarray(r) for r in results), strict=True))
    constants.keep_scale(node)
    return True
