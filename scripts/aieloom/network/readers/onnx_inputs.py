"""The inputs of an ONNX model: their batch set to one, tokens and masks told from images, what is no input here refused."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aieloom.network.readers.onnx_masks import are_masks, in_floats
from aieloom.network.readers.onnx_model import dims_of, is_matrix, problem
from aieloom.network.readers.refused import Refused
from aieloom.spec.network import MASK

if TYPE_CHECKING:
    import onnx

MOST_TOKENS = 1 << 24  # of a table that is computed


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


def inputs_of(model: onnx.ModelProto, shown: str) -> tuple[GraphInput, ...]:
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
    check_idle(frozenset(i.name for i in inputs), graph, shown)
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
    dims = dims_of(given)
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


def _show(dims: tuple[int, ...]) -> str:
    return f"({', '.join('?' if d < 0 else str(d) for d in dims)})"


def check_idle(known: Container[str], graph: onnx.GraphProto, shown: str) -> None:
    """Refuse outputs that are inputs, or constants.

    Raises:
        SpecError: there is one.
    """
    for output in graph.output:
        if output.name in known:
            text = f"the output '{output.name}' does not depend on the input through any node"
            raise problem(shown, text, "export another model, or without that output")
