"""What was read of each node of a file: an attribute or a constant that no reader looked at may change what the node computes.

A reader that takes a node without looking at one of its attributes computes what the node is without it. So what is said of a
node, other than the default of its operator's schema, and was not read, is refused by name: never a guess.
Facts: the schemas of onnx.defs, which give each operator's attributes and their defaults by opset.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.recorded import Recorded
from aieloom.network.readers.refused import Refused

if TYPE_CHECKING:
    import onnx

# What follows from the shape of the result, which is inferred, and what changes no value of the first result.
SETTLED: Mapping[str, frozenset[str]] = {
    "BatchNormalization": frozenset({"momentum"}),
    "Cast": frozenset({"saturate"}),  # of 8-bit floats, which are refused
    "ConvTranspose": frozenset({"output_padding"}),
    "DequantizeLinear": frozenset({"axis"}),  # of activations, which have one scale
    "Dropout": frozenset({"seed"}),
    "Flatten": frozenset({"axis"}),
    "MaxPool": frozenset({"storage_order"}),  # of the indices
    "QuantizeLinear": frozenset({"axis", "saturate"}),
    "ReduceMean": frozenset({"keepdims", "noop_with_empty_axes"}),  # it has axes, or is refused
    "ReduceSum": frozenset({"noop_with_empty_axes"}),
    "Reshape": frozenset({"allowzero"}),
    "Resize": frozenset({"axes", "cubic_coeff_a", "extrapolation_value"}),  # of modes that are refused
    "Squeeze": frozenset({"axes"}),
    "Unsqueeze": frozenset({"axes"}),
    "Upsample": frozenset({"scales"}),
}
# The same of inputs, by their place.
SETTLED_INPUTS: Mapping[str, frozenset[int]] = {
    "Dropout": frozenset({1}),  # the share that training leaves out
    "Expand": frozenset({1}),
    "Reshape": frozenset({1}),
    "Resize": frozenset({1, 2, 3}),
    "Squeeze": frozenset({1}),
    "Unsqueeze": frozenset({1}),
    "Upsample": frozenset({1}),
}
REMEDY = "leave it at its default, or use aieloom.Session, which leaves such nodes to the processor"


class Attributes(Recorded):
    """A node's attributes, of which `read` are those that somebody asked for; `defaults` are those of its schema."""

    def __init__(
        self, values: Mapping[str, Any], defaults: Mapping[str, Any], read: set[str] | None = None
    ) -> None:
        super().__init__(values, read)
        self.defaults = defaults

    def __contains__(self, key: object) -> bool:
        self.read.add(str(key))
        return super().__contains__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return an attribute, or the schema's default, or where it has none another."""
        return super().get(key, self.defaults.get(key, default))


def changed(attributes: Mapping[str, Any], more: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return attributes with `more`; what is read of them is read of the given ones too."""
    whole = {**dict(attributes.items()), **more}
    if not isinstance(attributes, Attributes):
        return whole
    return Attributes(whole, attributes.defaults, attributes.read)


class Taken(Protocol):
    """A node of a file that readers have taken."""

    @property
    def title(self) -> str:
        """What messages call it."""
        ...

    @property
    def op(self) -> str:
        """Its operator."""
        ...

    @property
    def opset(self) -> int:
        """That of the file."""
        ...

    @property
    def attributes(self) -> Mapping[str, Any]:
        """What is said of it."""
        ...

    @property
    def inputs(self) -> tuple[str, ...]:
        """What it reads."""
        ...

    @property
    def constants(self) -> Mapping[str, Values]:
        """The file's constants."""
        ...

    @property
    def read(self) -> set[str]:
        """The constants that a reader asked for."""
        ...


def unread(nodes: Iterable[Taken]) -> Iterator[tuple[str, Refused]]:
    """Yield the nodes of a file, as messages call them, of which something was not read that may change their result."""
    for node in nodes:
        if isinstance(node.attributes, Attributes):
            yield from ((node.title, e) for e in _unread_of(node, node.attributes))


def _unread_of(node: Taken, attributes: Attributes) -> Iterator[Refused]:
    for name in strange(node.op, node.opset, attributes, attributes.read):
        value = _shown(dict.__getitem__(attributes, name))
        yield Refused(f"its attribute {name} = {value} is not supported", REMEDY)
    settled = SETTLED_INPUTS.get(node.op, frozenset())
    for place, name in enumerate(node.inputs):
        if name in node.constants and name not in node.read and place not in settled:
            given = node.constants[name]
            shown = f" = {given.reshape(-1)[0]}" if given.size == 1 else ""
            yield Refused(f"its input {place + 1}, '{name}'{shown}, is not supported", REMEDY)


def strange(op: str, opset: int, attributes: Mapping[str, Any], read: set[str]) -> list[str]:
    """Return the attributes that were not read and are not what the operator's schema gives without them."""
    left = [name for name in attributes if name not in read | SETTLED.get(op, frozenset())]
    defaults = defaults_of(op, opset) if left else {}
    return [n for n in left if n not in defaults or not _same(dict(attributes.items())[n], defaults[n])]


def check_read(node: onnx.NodeProto, opset: int, read: set[str]) -> None:
    """Refuse a node of a file that other nodes are to stand for, of whose attributes only `read` were looked at.

    Raises:
        Refused: another one may change the result.
    """
    from onnx.helper import get_attribute_value  # noqa: PLC0415

    attributes = {a.name: get_attribute_value(a) for a in node.attribute}
    for name in strange(node.op_type, opset, attributes, read):
        shown = f"node '{node.name or node.output[0]}' ({node.op_type}): its attribute {name} = {_shown(attributes[name])}"
        raise Refused(f"{shown} is not supported", REMEDY)


@cache
def defaults_of(op: str, opset: int) -> Mapping[str, Any]:
    """Return the defaults of an operator's attributes in an opset; nothing of those without one."""
    import onnx  # noqa: PLC0415 - only this format needs it

    try:
        schema = onnx.defs.get_schema(op, opset)
    except (
        onnx.defs.SchemaError
    ):  # an operator of another domain, or of later opsets: it is written by patterns
        return {}
    said = {name: a.default_value for name, a in schema.attributes.items()}
    return {name: onnx.helper.get_attribute_value(v) for name, v in said.items() if v.name}


def _same(a: Any, b: Any) -> bool:
    return bool(np.array_equal(np.asarray(a), np.asarray(b)))


def _shown(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
