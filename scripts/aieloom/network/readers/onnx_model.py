"""What the readers ask of any ONNX model: dimensions, opset, how messages call a node, the refusal of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aieloom.errors import SpecError

if TYPE_CHECKING:
    import onnx

RULE = "onnx"


def problem(shown: str, text: str, remedy: str) -> SpecError:
    """Return the refusal of a whole file."""
    return SpecError(rule=RULE, file=shown, text=text, remedy=remedy)


def first_line(e: Exception) -> str:
    """Return the first line of an exception's text that says something, or its kind."""
    return next((line for line in str(e).splitlines() if line.strip()), type(e).__name__)


def dims_of(value: onnx.ValueInfoProto) -> tuple[int, ...]:
    """Return a value's dimensions; -1 for one that is not fixed."""
    shape = value.type.tensor_type.shape
    return tuple(int(d.dim_value) if d.HasField("dim_value") else -1 for d in shape.dim)


def opset_of(model: onnx.ModelProto) -> int:
    """Return the version of ONNX's own operators that a model asks for; 0 of one that has none."""
    return max((int(o.version) for o in model.opset_import if o.domain in ("", "ai.onnx")), default=0)


def title_of(node: onnx.NodeProto, index: int) -> str:
    """Return how messages call a node: its name and operator."""
    domain = f"{node.domain}." if node.domain not in ("", "ai.onnx") else ""
    name = f"'{node.name}'" if node.name else f"number {index + 1}, which makes '{', '.join(node.output)}',"
    return f"node {name} ({domain}{node.op_type})"


def is_matrix(shape: tuple[int, ...]) -> bool:
    """Tell whether a tensor is one sample of rows: (rows, features) with more than one, or (1, rows, features)."""
    return (len(shape) == 3 and shape[0] == 1) or (len(shape) == 2 and shape[0] > 1)
