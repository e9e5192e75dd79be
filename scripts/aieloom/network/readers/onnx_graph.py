"""An ONNX file as nodes in order: read, batch set to one, shapes inferred, constants folded, everything else refused.

Facts: ONNX IR and operator specifications (onnx.ai). Only the `onnx` package is used.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from aieloom.arrays import Values
from aieloom.errors import Problem, SpecError
from aieloom.network.readers.onnx_constants import Constants, initializer, rescaled
from aieloom.network.readers.onnx_contrib import in_onnx_alone
from aieloom.network.readers.onnx_ends import Ends, in_reals
from aieloom.network.readers.onnx_expanded import expand
from aieloom.network.readers.onnx_masks import are_masks, in_floats
from aieloom.network.readers.refused import Refused
from aieloom.network.readers.suffixes import EXPORTED, KERAS, LITE
from aieloom.spec.network import MASK

if TYPE_CHECKING:
    import onnx

ValueT = TypeVar("ValueT")
RULE = "onnx"
RECORD, GRAPH_INPUT = "aieloom.Record", "aieloom.GraphInput"  # a tensor and a node that no file has
RESULTS, GRAPH_OUTPUTS = "aieloom.Results", "aieloom.GraphOutputs"  # the same of outputs
OLDEST_OPSET = 9
MOST_TOKENS = 1 << 24  # of a table that is computed
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


@dataclass(frozen=True, slots=True)
class Node:
    """A node: the tensors that flow go in as `xs`, the first as `x`, of shape `x_shape` (with batch 1)."""

    title: str
    op: str
    attributes: Mapping[str, object]
    inputs: tuple[str, ...]
    x: str
    x_shape: tuple[int, ...]
    y_shape: tuple[int, ...]
    y: str
    xs: tuple[str, ...]
    x_shapes: tuple[tuple[int, ...], ...]
    constants: Mapping[str, Values] = field(repr=False)
    opset: int
    scales: Mapping[str, Values] = field(repr=False)  # of constants that were integers

    @property
    def matrix(self) -> bool:
        """Whether the tensor that flows in is a matrix: rows of features."""
        return is_matrix(self.x_shape)

    def constant(self, index: int, what: str) -> Values:
        """Return the constant that input `index` is.

        Raises:
            Refused: it is absent.
        """
        value = self.optional(index)
        if value is None:
            raise Refused(
                f"its {what} is no constant", "export the model with its weights inside, in eval mode"
            )
        return value

    def optional(self, index: int) -> Values | None:
        """Return the constant that input `index` is, or None when there is none."""
        name = self.inputs[index] if index < len(self.inputs) else ""
        return self.constants.get(name)

    def name_of(self, index: int) -> str:
        """Return the name of input `index`."""
        return self.inputs[index]

    def get(self, attribute: str, default: ValueT) -> ValueT:
        """Return an attribute or its default, whose type it has: ONNX fixes each attribute's."""
        return cast(ValueT, self.attributes.get(attribute, default))

    def integers(self, attribute: str) -> list[int] | None:
        """Return an attribute that is a list of integers; None where the node has it not."""
        found: list[int] = self.get(attribute, [])
        return list(found) if attribute in self.attributes else None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphInput:
    """An input of a file: its shape as the file has it, with batch 1; `below`: as of network.yaml's inputs."""

    name: str
    dims: tuple[int, ...]
    below: int | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape without batch; of a matrix its rows and features."""
        return self.dims if len(self.dims) == 2 and is_matrix(self.dims) else self.dims[1:]


@dataclass(frozen=True, slots=True)
class Graph:
    """What a file holds: its inputs, and the nodes in order.

    Of several inputs the first nodes are GRAPH_INPUT, which read the record of all, `input_name` (spec/graph_inputs.py).
    """

    input_name: str
    inputs: tuple[GraphInput, ...]
    nodes: tuple[Node, ...]
    ends: Ends

    def readers(self, tensor: str) -> int:
        """Return how often nodes read a tensor."""
        return sum(node.xs.count(tensor) for node in self.nodes)


def load_graph(path: Path, *, shown_as: str) -> Graph:
    """Read an ONNX file, or one of TensorFlow Lite, Keras or torch.export as ONNX.

    Raises:
        SpecError: it is no ONNX model, or one whose constants are not known; every node at fault is named.
    """
    scales: Mapping[str, Values] = {}
    if path.suffix == LITE:
        from aieloom.network.readers.tflite_onnx import read_lite  # noqa: PLC0415  (other formats do without)

        lite = read_lite(path, shown_as)
        model, scales = lite.model, lite.scales
    elif path.suffix in KERAS:
        from aieloom.network.readers.keras_onnx import read_keras  # noqa: PLC0415

        model = read_keras(path, shown_as)
    elif path.suffix == EXPORTED:
        from aieloom.network.readers.torch_archive import read_exported  # noqa: PLC0415

        model = read_exported(path, shown_as)
    else:
        model = _read(path, shown_as)
    return graph_of(model, shown_as, scales)


def graph_of(
    model: onnx.ModelProto,
    shown_as: str,
    scales: Mapping[str, Values] | None = None,
    known: Mapping[str, Values] | None = None,
) -> Graph:
    """Return a model's nodes; `scales` are those of constants that were integers. The model is used up.

    `known` are values of constants that the model has without (onnx_constants.initializer).

    Raises:
        SpecError: its constants are not known, or its shapes do not fit; every node at fault is named.
    """
    _check_versions(model, shown_as)
    in_onnx_alone(model)
    ends = in_reals(model)
    constants = _constants(model, shown_as, known or {})
    inputs = _inputs(model, shown_as)
    constants = _fold(model, shown_as, constants)
    if expand(model, constants):
        before, constants = constants, _fold(model, shown_as, constants)
        constants.scales |= before.scales
    constants.scales |= scales or {}
    _split_into_slices(model, constants)
    nodes = tuple(_nodes(model, constants, frozenset(i.name for i in inputs), shown_as))
    read = {x for node in nodes for x in node.xs}
    inputs = tuple(i for i in inputs if i.name in read)  # of others the outputs are independent
    if len(inputs) == 1:
        return Graph(inputs[0].name, inputs, nodes, ends)
    return Graph(RECORD, inputs, (*_picked(inputs, nodes[0]), *nodes), ends)


def _picked(inputs: tuple[GraphInput, ...], like: Node) -> Iterator[Node]:
    """Yield the nodes that pick each input out of the record of all."""
    whole, at = sum(prod(i.dims) for i in inputs), 0
    for given in inputs:
        yield replace(
            like,
            title=f"input '{given.name}'",
            op=GRAPH_INPUT,
            attributes={"shape": list(given.shape), "offset": at},
            inputs=(RECORD,),
            x=RECORD,
            xs=(RECORD,),
            x_shape=(1, whole),
            x_shapes=((1, whole),),
            y=given.name,
            y_shape=given.dims,
        )
        at += prod(given.dims)


def problem(shown: str, text: str, remedy: str) -> SpecError:
    """Return the refusal of a whole file."""
    return SpecError(Problem(rule=RULE, file=shown, text=text, remedy=remedy))


def _read(path: Path, shown: str) -> onnx.ModelProto:
    try:
        import onnx  # noqa: PLC0415 - only this format needs it
    except ImportError as e:
        raise problem(
            shown, "reading ONNX files needs the package 'onnx', which is not installed", "pip install onnx"
        ) from e
    if not path.is_file():
        raise problem(shown, "there is no such file", "correct the path of the ONNX model")
    try:
        model = onnx.load(path)
        onnx.checker.check_model(model)
    except onnx.checker.ValidationError as e:
        raise problem(shown, f"not a valid ONNX model: {_first_line(e)}", "export it again") from e
    except Exception as e:  # protobuf and the file system raise many kinds for damaged files
        raise problem(shown, f"not a readable ONNX file: {_first_line(e)}", "export or copy it again") from e
    return model


def _first_line(e: Exception) -> str:
    return next((line for line in str(e).splitlines() if line.strip()), type(e).__name__)


def _check_versions(model: onnx.ModelProto, shown: str) -> None:
    import onnx  # noqa: PLC0415

    newest = onnx.defs.onnx_opset_version()
    opset = _opset(model)
    if not OLDEST_OPSET <= opset <= newest:
        raise problem(
            shown,
            f"the model uses opset {opset}; {OLDEST_OPSET} to {newest} are known",
            "export it with opset_version=17",
        )


def _opset(model: onnx.ModelProto) -> int:
    return max((int(o.version) for o in model.opset_import if o.domain in ("", "ai.onnx")), default=0)


def _dims(value: onnx.ValueInfoProto) -> tuple[int, ...]:
    """Return a value's dimensions; -1 for one that is not fixed."""
    shape = value.type.tensor_type.shape
    return tuple(int(d.dim_value) if d.HasField("dim_value") else -1 for d in shape.dim)


def _inputs(model: onnx.ModelProto, shown: str) -> tuple[GraphInput, ...]:
    """Return the model's inputs, whose batch is set to 1 in the model, and of which all but tokens are made float32."""
    import onnx  # noqa: PLC0415

    graph = model.graph
    known = {t.name for t in graph.initializer}
    inputs = [i for i in graph.input if i.name not in known]
    if not inputs or not graph.output:
        ends = f"inputs {[i.name for i in inputs]}, outputs {[o.name for o in graph.output]}"
        raise problem(
            shown,
            f"the model has {len(inputs)} inputs and {len(graph.output)} outputs ({ends}); one of each at least is needed",
            "export the part between inputs and outputs",
        )
    integers = [o.name for o in graph.output if o.type.tensor_type.elem_type != onnx.TensorProto.FLOAT]
    if len(graph.output) > 1 and integers:
        raise problem(
            shown,
            f"of {len(graph.output)} outputs {', '.join(integers)} {'are' if len(integers) > 1 else 'is'} no float32",
            "end the model in DequantizeLinear, or export the part before one output",
        )
    _check_idle(frozenset(i.name for i in inputs), graph, shown)
    found = tuple(_checked_input(model, given, shown) for given in inputs)
    try:
        in_floats(model, frozenset(i.name for i in inputs) - _tokens(graph, inputs))
    except Refused as e:
        raise problem(shown, e.problem, e.remedy) from e
    for output in graph.output:
        output.type.tensor_type.ClearField("shape")
        output.type.tensor_type.ClearField("elem_type")
    del graph.value_info[:]
    return found


def _tokens(graph: onnx.GraphProto, inputs: Sequence[onnx.ValueInfoProto]) -> frozenset[str]:
    return frozenset(i.name for i in inputs if _table_rows(graph, i))


def _checked_input(model: onnx.ModelProto, given: onnx.ValueInfoProto, shown: str) -> GraphInput:
    """Return an input, whose batch is set to 1.

    Raises:
        SpecError: it has a type or a shape that none has here.
    """
    import onnx  # noqa: PLC0415

    types = onnx.TensorProto
    kind, rows = given.type.tensor_type.elem_type, _table_rows(model.graph, given)
    whole = kind in (types.INT64, types.INT32, types.BOOL, types.UINT8, types.INT8, types.UINT16, types.INT16)
    elements = any(n.op_type == "DequantizeLinear" and given.name in n.input for n in model.graph.node)
    if kind != types.FLOAT and (not whole or elements):
        names = {number: name.lower() for name, number in types.DataType.items()}
        word = names.get(kind, f"of the unknown type {kind}")
        text = (
            f"input '{given.name}' is {word}; float32 is known, uint8 or int8 that DequantizeLinear alone reads, and whole "
            "numbers and truth values: tokens, by which Gather picks rows of a table, and masks"
        )
        raise problem(shown, text, "export it in float32")
    dims = _dims(given)
    if len(dims) not in (2, 3, 4) or any(d < 1 for d in dims[1:]) or (len(dims) == 3 and dims[0] > 1):
        raise problem(
            shown,
            f"input '{given.name}' has the shape {_show(dims)}; (batch, channels, height, width), "
            "(batch, features), (rows, features) or (1, rows, features) with fixed sizes is needed",
            "export it with a fixed input size",
        )
    if not is_matrix(dims):  # a batch, open or of any size
        given.type.tensor_type.shape.dim[0].dim_value = 1
        dims = (1, *dims[1:])
    below = rows or (MASK if whole and are_masks(model, given.name) else None)
    return GraphInput(name=given.name, dims=dims, below=below)


def _table_rows(graph: onnx.GraphProto, given: onnx.ValueInfoProto) -> int:
    """Return the rows of the smallest table of an input of tokens: integers by which Gather alone picks rows; 0 of another."""
    import onnx  # noqa: PLC0415

    kinds = (onnx.TensorProto.INT64, onnx.TensorProto.INT32)
    readers = [n for n in graph.node if given.name in n.input]
    picks = all(n.op_type == "Gather" and n.input[1] == given.name != n.input[0] for n in readers)
    if not readers or not picks or given.type.tensor_type.elem_type not in kinds:
        return 0
    tables = {t.name: t.dims[0] for t in graph.initializer if t.dims}
    return min((int(tables[n.input[0]]) for n in readers if n.input[0] in tables), default=MOST_TOKENS)


def is_matrix(shape: tuple[int, ...]) -> bool:
    """Tell whether a tensor is one sample of rows: (rows, features) with more than one, or (1, rows, features)."""
    return (len(shape) == 3 and shape[0] == 1) or (len(shape) == 2 and shape[0] > 1)


def image_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return (channels, height, width) of a shape without batch, features are channels of one pixel; or rows as they are."""
    if len(shape) == 2:
        return shape
    channels, height, width = (*shape, 1, 1)[:3]
    return channels, height, width


def _show(dims: tuple[int, ...]) -> str:
    return f"({', '.join('?' if d < 0 else str(d) for d in dims)})"


def title_of(node: onnx.NodeProto, index: int) -> str:
    """Return how messages call a node: its name and operator."""
    domain = f"{node.domain}." if node.domain not in ("", "ai.onnx") else ""
    name = f"'{node.name}'" if node.name else f"number {index + 1}, which makes '{', '.join(node.output)}',"
    return f"node {name} ({domain}{node.op_type})"


def _fold(model: onnx.ModelProto, shown: str, known: Mapping[str, Values]) -> Constants:
    """Evaluate every node whose inputs are constants, and take it out; `model` gets inferred shapes."""
    import onnx  # noqa: PLC0415

    constants = _constants(model, shown, known)
    room = FOLD_GROWTH * sum(v.size for v in constants.values()) + FOLD_FREE
    for _ in range(MAX_FOLDS):
        try:
            model.CopyFrom(onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True))
        except Exception as e:  # InferenceError, and others for damaged files
            raise problem(
                shown, f"the shapes do not fit together: {_first_line(e)}", "export it again"
            ) from e
        graph = model.graph
        shapes = {v.name: _dims(v) for v in (*graph.input, *graph.value_info, *graph.output)}
        kept = [n for n in graph.node if not _evaluated(n, constants, shapes, _opset(model), room)]
        if len(kept) == len(graph.node):
            break
        copies = [deepcopy(n) for n in kept]  # deleting the list empties its elements
        del graph.node[:]
        graph.node.extend(copies)
        there = {t.name for t in graph.initializer}
        graph.initializer.extend(initializer(v, name) for name, v in constants.items() if name not in there)
    return constants


def _constants(model: onnx.ModelProto, shown: str, known: Mapping[str, Values]) -> Constants:
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
        text = f"the tensor '{tensor.name}' cannot be read: {_first_line(e)}"
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


def _split_into_slices(model: onnx.ModelProto, constants: Constants) -> None:
    """Write each Split of a tensor that flows as a Slice for each of its results, whose sizes are inferred."""
    import onnx  # noqa: PLC0415

    graph = model.graph
    shapes = {v.name: _dims(v) for v in (*graph.input, *graph.value_info, *graph.output)}
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        sizes = [shapes.get(o, ()) for o in node.output]
        copy = deepcopy(node)
        if node.op_type != "Split" or node.domain not in ("", "ai.onnx") or not all(sizes):
            nodes.append(copy)
            continue
        axis = next((a.i for a in node.attribute if a.name == "axis"), 0)
        begin = 0
        for output, size in zip(node.output, sizes, strict=True):
            length = size[axis]
            values = {"starts": begin, "ends": begin + length, "axes": axis}
            names = [f"{output}/{what}" for what in values]
            constants.update(
                {n: np.array([v], np.int64) for n, v in zip(names, values.values(), strict=True)}
            )
            nodes.append(onnx.helper.make_node("Slice", [node.input[0], *names], [output], node.name))
            begin += length
    del graph.node[:]
    graph.node.extend(nodes)


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


def _nodes(
    model: onnx.ModelProto, constants: Constants, starts: frozenset[str], shown: str
) -> Iterator[Node]:
    """Yield the nodes on which the outputs depend, in order of evaluation; of several outputs the last is GRAPH_OUTPUTS."""
    import onnx  # noqa: PLC0415

    graph = model.graph
    outputs = [o.name for o in graph.output]
    used = _needed(graph, outputs)
    faults = list(_faults(graph, used, constants, starts))
    if faults:
        raise SpecError(_problems(faults, shown))
    _check_idle(constants, graph, shown)
    shapes = {v.name: _dims(v) for v in (*graph.input, *graph.value_info, *graph.output)}
    for index in used:
        node = graph.node[index]
        xs = tuple(i for i in node.input if i and i not in constants)
        yield Node(
            title=title_of(node, index),
            op=node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}.{node.op_type}",
            attributes={a.name: onnx.helper.get_attribute_value(a) for a in node.attribute},
            inputs=tuple(node.input),
            x=xs[0],
            x_shape=shapes.get(xs[0], ()),
            y_shape=shapes.get(node.output[0], ()),
            y=node.output[0],
            xs=xs,
            x_shapes=tuple(shapes.get(x, ()) for x in xs),
            constants=constants,
            opset=_opset(model),
            scales=constants.scales,
        )
    if len(outputs) > 1:
        of = tuple(shapes.get(o, ()) for o in outputs)
        yield Node(
            title=f"outputs {outputs}",
            op=GRAPH_OUTPUTS,
            attributes={},
            inputs=tuple(outputs),
            x=outputs[0],
            x_shape=of[0],
            y_shape=(1, sum(prod(s) for s in of)),
            y=RESULTS,
            xs=tuple(outputs),
            x_shapes=of,
            constants=constants,
            opset=_opset(model),
            scales=constants.scales,
        )


def _check_idle(known: Container[str], graph: onnx.GraphProto, shown: str) -> None:
    """Refuse outputs that are inputs, or constants.

    Raises:
        SpecError: there is one.
    """
    for output in graph.output:
        if output.name in known:
            text = f"the output '{output.name}' does not depend on the input through any node"
            raise problem(shown, text, "export another model, or without that output")


def _needed(graph: onnx.GraphProto, outputs: Sequence[str]) -> list[int]:
    """Return the nodes on which the outputs depend, in the file's order, which is that of evaluation."""
    wanted, used = {*outputs}, []
    for index in reversed(range(len(graph.node))):
        node = graph.node[index]
        if wanted.intersection(node.output):
            used.append(index)
            wanted.update(node.input)
    return used[::-1]


def _faults(
    graph: onnx.GraphProto, used: list[int], constants: Mapping[str, Values], starts: frozenset[str]
) -> Iterator[tuple[str, str, str]]:
    """Yield what keeps nodes from being followed: (node, text, remedy)."""
    known = {*starts, *(graph.node[i].output[0] for i in used)}
    for index in used:
        title = title_of(graph.node[index], index)
        flowing = [i for i in dict.fromkeys(graph.node[index].input) if i and i not in constants]
        if not flowing:
            yield (
                title,
                "gives a constant that cannot be computed beforehand, or is too large",
                "put the constant itself into the model",
            )
        strange = [name for name in flowing if name not in known]
        if strange:
            text = f"reads '{strange[0]}', which is not the first result of any node"
            yield title, text, "leave the second result (a mask, indices) unused"


def _problems(faults: list[tuple[str, str, str]], shown: str) -> list[Problem]:
    return [Problem(rule=RULE, file=shown, text=f"{n}: {text}", remedy=remedy) for n, text, remedy in faults]
