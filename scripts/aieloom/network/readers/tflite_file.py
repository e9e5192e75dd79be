"""A TensorFlow Lite file as tensors and operators: a flatbuffer, of which nothing is run and no length is trusted.

Facts: tensorflow/compiler/mlir/lite/schema/schema.fbs; the package `tflite` is what flatc makes of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from aieloom.arrays import Values
from aieloom.errors import SpecError
from aieloom.spec.types import MAX_ELEMENTS

RULE = "tflite"
MAGIC = b"TFL3"  # at byte 4
MOST = 100_000  # tensors or operators: no network has so many, a damaged file may say so
TYPES: dict[int, np.dtype[Any]] = {
    0: np.dtype(np.float32),
    1: np.dtype(np.float16),
    2: np.dtype(np.int32),
    3: np.dtype(np.uint8),
    4: np.dtype(np.int64),
    6: np.dtype(np.bool_),
    7: np.dtype(np.int16),
    9: np.dtype(np.int8),
}  # of TensorType


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteTensor:
    """A tensor: `scales` and `zeros` are empty where its elements are no quantised numbers; `data` is None of activations."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any] | None  # None: of a type that no network here has
    scales: Values = field(repr=False)
    zeros: Values = field(repr=False)
    data: Values | None = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteOperator:
    """An operator by its name in the schema; `options` is its table of options, None where the file has none."""

    number: int
    kind: str
    inputs: tuple[int, ...]  # tensors; -1: absent
    outputs: tuple[int, ...]
    options: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteModel:
    """The one graph of a file."""

    tensors: tuple[LiteTensor, ...]
    operators: tuple[LiteOperator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def refused(shown: str, text: str, remedy: str) -> SpecError:
    """Return the refusal of a file."""
    return SpecError(rule=RULE, file=shown, text=text, remedy=remedy)


def load_lite(path: Path, shown: str) -> LiteModel:
    """Read a file.

    Raises:
        SpecError: it is none of TensorFlow Lite's, truncated or damaged, or has several graphs.
    """
    try:
        import tflite  # noqa: PLC0415 - only this format needs it
    except ImportError as e:
        text = "reading .tflite files needs the package 'tflite', which is not installed"
        raise refused(shown, text, "pip install 'aieloom[tflite]'") from e
    if not path.is_file():
        raise refused(shown, "there is no such file", "correct the path of the model")
    data = path.read_bytes()
    if data[4:8] != MAGIC:
        text = f"is no TensorFlow Lite file: bytes 4 to 7 are {data[4:8]!r}, not {MAGIC!r}"
        raise refused(shown, text, "convert it with TFLiteConverter, or copy it again")
    try:
        model = tflite.Model.GetRootAs(data, 0)
        graphs = model.SubgraphsLength()
        if graphs == 1:
            return _graph(model, model.Subgraphs(0), data)
    except SpecError:
        raise
    except (
        Exception
    ) as e:  # offsets beyond the file raise struct.error, IndexError, TypeError, ValueError ...
        said = str(e).splitlines()[0] if str(e) else type(e).__name__
        text = f"is a truncated or damaged TensorFlow Lite file ({len(data)} bytes): {said}"
        raise refused(shown, text, "convert or copy it again") from e
    text = f"has {graphs} graphs; models of one are supported, without control flow"
    raise refused(shown, text, "convert it without loops and conditions")


def _graph(model: Any, graph: Any, data: bytes) -> LiteModel:
    if max(graph.TensorsLength(), graph.OperatorsLength(), model.BuffersLength()) > min(MOST, len(data)):
        raise ValueError("it says that it has more tensors or operators than bytes")
    tensors = tuple(_tensor(model, graph.Tensors(i)) for i in range(graph.TensorsLength()))
    operators = tuple(_operator(model, graph.Operators(i), i) for i in range(graph.OperatorsLength()))
    found = LiteModel(
        tensors=tensors,
        operators=operators,
        inputs=_indices(graph.InputsAsNumpy(), graph.InputsLength()),
        outputs=_indices(graph.OutputsAsNumpy(), graph.OutputsLength()),
    )
    named = [*found.inputs, *found.outputs, *(t for o in operators for t in (*o.inputs, *o.outputs))]
    wrong = [t for t in named if not -1 <= t < len(tensors)]
    if wrong:
        raise ValueError(f"tensor {wrong[0]} of {len(tensors)} is named")
    return found


def _indices(values: Any, length: int) -> tuple[int, ...]:
    return tuple(int(v) for v in values) if length else ()


def _tensor(model: Any, tensor: Any) -> LiteTensor:
    shape = _indices(tensor.ShapeAsNumpy(), tensor.ShapeLength())
    dtype = TYPES.get(tensor.Type())
    said = tensor.Quantization()
    has = said is not None and said.ScaleLength() > 0
    scales = np.array(said.ScaleAsNumpy(), np.float32) if has else np.zeros(0, np.float32)
    zeros = np.array(said.ZeroPointAsNumpy(), np.int64) if has and said.ZeroPointLength() else scales * 0
    if min(shape, default=0) < 0 or prod(shape) > MAX_ELEMENTS:
        raise ValueError(f"a tensor has the shape {shape}")
    if has and not (np.isfinite(scales).all() and (scales > 0).all()):
        raise ValueError("a tensor has a scale that is no number above 0")
    buffer = model.Buffers(tensor.Buffer())
    name = (tensor.Name() or b"").decode("utf-8", "replace")
    values = None
    if buffer is not None and buffer.DataLength():
        raw = buffer.DataAsNumpy().tobytes()
        if dtype is not None:
            values = np.frombuffer(raw, dtype.newbyteorder("<")).astype(dtype).reshape(shape)
    return LiteTensor(
        name=name, shape=shape, dtype=dtype, scales=scales, zeros=zeros.astype(np.int64), data=values
    )


def _operator(model: Any, operator: Any, number: int) -> LiteOperator:
    import tflite  # noqa: PLC0415

    if operator.OpcodeIndex() >= model.OperatorCodesLength():
        raise ValueError(f"operator {number} is of kind {operator.OpcodeIndex()}")
    code = model.OperatorCodes(operator.OpcodeIndex())
    kind = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())  # the second is of files before 2020
    names = {v: k for k, v in vars(tflite.BuiltinOperator).items() if isinstance(v, int)}
    name = names.get(kind, f"number {kind}")
    if name == "CUSTOM":
        name = f"CUSTOM {(code.CustomCode() or b'').decode('utf-8', 'replace')}"
    return LiteOperator(
        number=number,
        kind=name,
        inputs=_indices(operator.InputsAsNumpy(), operator.InputsLength()),
        outputs=_indices(operator.OutputsAsNumpy(), operator.OutputsLength()),
        options=_options(operator),
    )


def _options(operator: Any) -> Any:
    """Return an operator's table of options, as the class that its type names."""
    import tflite  # noqa: PLC0415

    kinds = {v: k for k, v in vars(tflite.BuiltinOptions).items() if isinstance(v, int)}
    name, table = kinds.get(operator.BuiltinOptionsType(), "NONE"), operator.BuiltinOptions()
    if table is None or name == "NONE":
        return None
    found = getattr(tflite, name)()
    found.Init(table.Bytes, table.Pos)
    return found
