"""An ONNX file as nodes in order: read, batch set to one, shapes inferred, constants folded, everything else refused.

Facts: ONNX IR and operator specifications (onnx.ai). Only the `onnx` package is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from aieloom.arrays import Values
from aieloom.errors import Problem, SpecError
from aieloom.network.readers import EXPORTED, KERAS, LITE
from aieloom.network.readers.onnx_constants import Constants
from aieloom.network.readers.onnx_contrib import in_onnx_alone
from aieloom.network.readers.onnx_ends import Ends, in_reals
from aieloom.network.readers.onnx_expanded import expand
from aieloom.network.readers.onnx_folding import constants_of, fold
from aieloom.network.readers.onnx_inputs import GraphInput, check_idle, inputs_of
from aieloom.network.readers.onnx_last_state import last_states
from aieloom.network.readers.onnx_model import (
    RULE,
    dims_of,
    first_line,
    is_matrix,
    opset_of,
    problem,
    title_of,
)
from aieloom.network.readers.onnx_order import sort_nodes
from aieloom.network.readers.onnx_reads import Attributes, defaults_of
from aieloom.network.readers.refused import Refused

if TYPE_CHECKING:
    import onnx

ValueT = TypeVar("ValueT")
RECORD, GRAPH_INPUT = "aieloom.Record", "aieloom.GraphInput"  # a tensor and a node that no file has
RESULTS, GRAPH_OUTPUTS = "aieloom.Results", "aieloom.GraphOutputs"  # the same of outputs
OLDEST_OPSET = 9


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
    read: set[str] = field(default_factory=set, repr=False)  # the constants that a reader asked for

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
        return self.named(name)

    def named(self, name: str) -> Values | None:
        """Return the constant of a name, or None when there is none."""
        self.read.add(name)
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


@dataclass(frozen=True, slots=True)
class Graph:
    """What a file holds: its inputs, and the nodes in order.

    Of several inputs the first nodes are GRAPH_INPUT, which read the record of all, `input_name` (spec/load.py).
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
    last_states(model)
    ends = in_reals(model)
    constants = constants_of(model, shown_as, known or {})
    inputs = inputs_of(model, shown_as)
    constants = fold(model, shown_as, constants)
    if _expanded(model, constants, shown_as):
        before, constants = constants, fold(model, shown_as, constants)
        constants.scales |= before.scales
    constants.scales |= scales or {}
    _split_into_slices(model, constants)
    nodes = tuple(_nodes(model, constants, frozenset(i.name for i in inputs), shown_as))
    read = {x for node in nodes for x in node.xs}
    inputs = tuple(i for i in inputs if i.name in read)  # of others the outputs are independent
    if len(inputs) == 1:
        return Graph(inputs[0].name, inputs, nodes, ends)
    return Graph(RECORD, inputs, (*_picked(inputs, nodes[0]), *nodes), ends)


def _expanded(model: onnx.ModelProto, constants: Constants, shown: str) -> bool:
    try:
        return expand(model, constants)
    except Refused as e:
        raise problem(shown, e.problem, e.remedy) from e


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
        sort_nodes(model.graph)
        onnx.checker.check_model(model)
    except Refused as e:
        raise problem(shown, e.problem, e.remedy) from e
    except onnx.checker.ValidationError as e:
        remedy = "correct what is named; onnx.checker.check_model(onnx.load(FILE)) says whether it is valid"
        raise problem(shown, f"not a valid ONNX model: {first_line(e)}", remedy) from e
    except Exception as e:  # protobuf and the file system raise many kinds for damaged files
        raise problem(shown, f"not a readable ONNX file: {first_line(e)}", "export or copy it again") from e
    return model


def _check_versions(model: onnx.ModelProto, shown: str) -> None:
    import onnx  # noqa: PLC0415

    newest = onnx.defs.onnx_opset_version()
    opset = opset_of(model)
    if not OLDEST_OPSET <= opset <= newest:
        raise problem(
            shown,
            f"the model uses opset {opset}; {OLDEST_OPSET} to {newest} are known",
            "export it with opset_version=17",
        )


def image_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return (channels, height, width) of a shape without batch, features are channels of one pixel; or rows as they are."""
    if len(shape) == 2:
        return shape
    channels, height, width = (*shape, 1, 1)[:3]
    return channels, height, width


def _split_into_slices(model: onnx.ModelProto, constants: Constants) -> None:
    """Write each Split of a tensor that flows as a Slice for each of its results, whose sizes are inferred."""
    import onnx  # noqa: PLC0415

    graph = model.graph
    shapes = {v.name: dims_of(v) for v in (*graph.input, *graph.value_info, *graph.output)}
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


def _nodes(
    model: onnx.ModelProto, constants: Constants, starts: frozenset[str], shown: str
) -> Iterator[Node]:
    """Yield the nodes on which the outputs depend, in order of evaluation; of several outputs the last is GRAPH_OUTPUTS."""
    import onnx  # noqa: PLC0415

    graph = model.graph
    outputs = [o.name for o in graph.output]
    used = _needed(graph, outputs)
    faults = list(_faults(model, used, constants, starts))
    if faults:
        raise SpecError(_problems(faults, shown))
    check_idle(constants, graph, shown)
    shapes = {v.name: dims_of(v) for v in (*graph.input, *graph.value_info, *graph.output)}
    opset = opset_of(model)
    for index in used:
        node = graph.node[index]
        op = node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}.{node.op_type}"
        said = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        xs = tuple(i for i in node.input if i and i not in constants)
        yield Node(
            title=title_of(node, index),
            op=op,
            attributes=Attributes(said, defaults_of(op, opset)),
            inputs=tuple(node.input),
            x=xs[0],
            x_shape=shapes.get(xs[0], ()),
            y_shape=shapes.get(node.output[0], ()),
            y=node.output[0],
            xs=xs,
            x_shapes=tuple(shapes.get(x, ()) for x in xs),
            constants=constants,
            opset=opset,
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
            opset=opset,
            scales=constants.scales,
        )


def _needed(graph: onnx.GraphProto, outputs: Sequence[str]) -> list[int]:
    """Return the nodes on which the outputs depend, in the file's order, which is that of evaluation."""
    wanted, used = {*outputs}, []
    for index in reversed(range(len(graph.node))):
        node = graph.node[index]
        if wanted.intersection(node.output):
            used.append(index)
            wanted.update(node.input)
    return used[::-1]


def _foreign(node: onnx.NodeProto, functions: set[tuple[str, str]]) -> tuple[str, str]:
    """Return what is wrong with a node that is no operator of ONNX's own, and what to do."""
    if (node.domain, node.op_type) in functions:
        remedy = (
            "write it as its nodes: onnx.save(onnx.inliner.inline_local_functions(onnx.load(FILE)), FILE)"
        )
        return f"{node.op_type} is a function of the model's own, which is not looked into", remedy
    if node.domain.startswith(("qonnx.", "onnx.brevitas")):
        remedy = "export it with QuantizeLinear and DequantizeLinear: brevitas.export.export_onnx_qcdq"
        return f"the operator {node.op_type} of QONNX is not supported", remedy
    remedy = "export it with ONNX's own operators; aieloom.Session leaves others to onnxruntime"
    return f"the operator {node.domain}.{node.op_type} is none of ONNX's own", remedy


def _faults(
    model: onnx.ModelProto, used: list[int], constants: Mapping[str, Values], starts: frozenset[str]
) -> Iterator[tuple[str, str, str]]:
    """Yield what keeps nodes from being followed: (node, text, remedy)."""
    graph, functions = model.graph, {(f.domain, f.name) for f in model.functions}
    known = {*starts, *(graph.node[i].output[0] for i in used)}
    for index in used:
        title = title_of(graph.node[index], index)
        flowing = [i for i in dict.fromkeys(graph.node[index].input) if i and i not in constants]
        if graph.node[index].domain not in ("", "ai.onnx"):
            yield title, *_foreign(graph.node[index], functions)
        elif not flowing:
            yield (
                title,
                "gives a constant that cannot be computed beforehand, or is too large",
                "put the constant itself into the model",
            )
        strange = [name for name in flowing if name not in known]
        if strange:
            text = f"reads '{strange[0]}', which is not the first result of any node"
            yield title, text, "leave the second result (a mask, indices) unused"
        later = {*graph.node[index].output[1:]}.intersection(o.name for o in graph.output)
        for name in sorted(later):
            text = f"gives the output '{name}', which is not its first result; only first results are taken"
            yield title, text, "export the model without that output"


def _problems(faults: list[tuple[str, str, str]], shown: str) -> list[Problem]:
    return [Problem(rule=RULE, file=shown, text=f"{n}: {text}", remedy=remedy) for n, text, remedy in faults]
