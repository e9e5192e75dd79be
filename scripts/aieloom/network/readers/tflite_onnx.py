"""A TensorFlow Lite model as the ONNX model that it is by definition: the same layers, integers and scales.

A quantised tensor is a QuantizeLinear and a DequantizeLinear. What operators become: tflite_operators.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aieloom.arrays import Values
from aieloom.errors import Problem, SpecError
from aieloom.network.readers.refused import Refused
from aieloom.network.readers.tflite_build import INTEGERS, TO_NCHW, TO_NHWC, Builder, Flow
from aieloom.network.readers.tflite_file import RULE, LiteModel, LiteOperator, LiteTensor, load_lite, refused
from aieloom.network.readers.tflite_operators import TAKEN
from aieloom.network.readers.tflite_reads import recorded, refuse_unread

if TYPE_CHECKING:
    import onnx

OPSET = 17


@dataclass(frozen=True, slots=True, kw_only=True)
class FromLite:
    """`model` is of floats between QuantizeLinear; `scales` are those of its weights, which were integers."""

    model: onnx.ModelProto
    scales: Mapping[str, Values]


def read_lite(path: Path, shown: str) -> FromLite:
    """Return a TensorFlow Lite file as an ONNX model of one image.

    Raises:
        SpecError: it is none, or damaged; or operators cannot be taken, each of which is named.
    """
    lite = load_lite(path, shown)
    if len(lite.inputs) != 1 or len(lite.outputs) != 1 or min(*lite.inputs, *lite.outputs) < 0:
        text = f"has {len(lite.inputs)} inputs and {len(lite.outputs)} outputs; one of each is needed"
        raise refused(shown, text, "convert the part between one input and one output")
    builder = Builder(lite)
    problems: list[Problem] = []
    given = _begun(builder, shown)
    for op in lite.operators:
        try:
            if op.kind not in TAKEN:
                raise Refused("the operator is not supported", f"these are: {', '.join(sorted(TAKEN))}")
            if len(op.outputs) != 1 or op.outputs[0] < 0:
                raise Refused(f"has {len(op.outputs)} results", "operators of one result are supported")
            _take(builder, op)
        except Refused as e:
            made = lite.tensors[op.outputs[0]].name if op.outputs and op.outputs[0] >= 0 else ""
            title = f"operator {op.number} ({op.kind}), which makes '{made}'"
            problems.append(Problem(rule=RULE, file=shown, text=f"{title}: {e.problem}", remedy=e.remedy))
            for y in op.outputs:  # what reads it is read all the same, to name all operators at fault
                builder.flows.setdefault(y, Flow("refused"))
    if problems:
        raise SpecError(problems)
    return FromLite(model=_ended(builder, given, shown), scales=builder.scales)


def _take(b: Builder, op: LiteOperator) -> None:
    """Take an operator; its options are read as it asks for them, and may be damaged or another operator's.

    Raises:
        Refused: it cannot be taken.
    """
    known = recorded(op)
    try:
        TAKEN[op.kind](b, known)
        refuse_unread(known)
    except Refused:
        raise
    except (
        Exception
    ) as e:  # offsets beyond the file, shapes that do not fit: struct.error, TypeError, ValueError ...
        said = str(e).splitlines()[0] if str(e) else type(e).__name__
        raise Refused(f"its options or shapes are damaged: {said}", "convert or copy the file again") from e


def is_plain(lite: LiteModel) -> bool:
    """Tell whether a model's input is (n, channels, height, width), which it turns itself, as converters from PyTorch write."""
    (at,) = lite.inputs
    readers = [op for op in lite.operators if at in op.inputs]
    orders = [
        lite.tensors[op.inputs[1]].data for op in readers if op.kind == "TRANSPOSE" and len(op.inputs) > 1
    ]
    turned = all(o is not None and tuple(o.reshape(-1)) == TO_NHWC for o in orders)
    return bool(readers) and len(orders) == len(readers) and turned


def _begun(b: Builder, shown: str) -> Any:
    """Begin with the model's input; return what ONNX says of it."""
    from onnx import helper  # noqa: PLC0415

    (at,) = b.lite.inputs
    tensor = b.lite.tensors[at]
    shape = tensor.shape
    plain = is_plain(b.lite)
    if len(shape) == 4 and not plain:
        shape = tuple(shape[i] for i in TO_NCHW)
    name = tensor.name or "x"
    try:
        meaning = b.meaning(tensor)
    except Refused as e:
        raise refused(shown, f"the input {e.problem}", e.remedy) from e
    inside = name
    if meaning:
        inside = b.rounded(b.node("DequantizeLinear", [name, *meaning]), tensor)
    b.flows[at] = Flow(inside, plain=plain)
    return helper.make_tensor_value_info(name, _kind(tensor), [1, *shape[1:]])


def _kind(tensor: LiteTensor) -> int:
    from onnx import helper  # noqa: PLC0415

    assert tensor.dtype is not None
    return int(helper.np_dtype_to_tensor_dtype(tensor.dtype))


def _ended(b: Builder, given: Any, shown: str) -> onnx.ModelProto:
    """Return the whole model; its result is the file's, its elements included."""
    from onnx import helper  # noqa: PLC0415

    (at,) = b.lite.outputs
    flow, tensor = b.flows.get(at), b.lite.tensors[at]
    if flow is None:
        raise refused(shown, f"no operator makes its result '{tensor.name}'", "convert the model again")
    name = b.as_in_file(flow, tensor.shape) if flow.image else flow.name
    made = next((n for n in b.nodes if name in n.output), None)
    if made is not None and made.op_type == "DequantizeLinear" and tensor.dtype in INTEGERS:
        name = made.input[0]  # elements
    result = helper.make_tensor_value_info(name, _kind(tensor), None)
    return b.whole("tflite", given, result, OPSET)
