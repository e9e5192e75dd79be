"""TensorFlow Lite files, written by the schema's own generated classes and judged by TensorFlow Lite's own interpreter."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from aieloom.arrays import Values
from tests.heavy import later

flatbuffers, tflite, litert = map(later, ("flatbuffers", "tflite", "ai_edge_litert.interpreter"))

TYPES = {"float32": 0, "int32": 2, "int8": 9}
NONE, RELU, RELU6 = 0, 1, 3
SAME, VALID = 0, 1
OLD = (
    "DEPTH_TO_SPACE",
    "HARD_SWISH",
    "LEAKY_RELU",
    "RESHAPE",
)  # whose first version is their last, or knows int8


@dataclass
class LiteBuilder:
    """Adds tensors and operators, and writes them."""

    b: Any = field(default_factory=lambda: flatbuffers.Builder(1 << 16))
    tensors: list[int] = field(default_factory=list)
    buffers: list[int] = field(default_factory=list)
    operators: list[int] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)

    def _vector(self, values: Any, dtype: str) -> int:
        return int(self.b.CreateNumpyVector(np.ascontiguousarray(values, dtype)))

    def _offsets(self, values: list[int]) -> int:
        self.b.StartVector(4, len(values), 4)
        for v in reversed(values):
            self.b.PrependUOffsetTRelative(v)
        return int(self.b.EndVector())

    def _table(self, name: str, **fields: Any) -> int:
        made = import_module(f"tflite.{name}")
        getattr(made, f"{name}Start")(self.b)
        for key, value in fields.items():
            getattr(made, f"{name}Add{key}")(self.b, value)
        return int(getattr(made, f"{name}End")(self.b))

    def tensor(
        self,
        shape: tuple[int, ...],
        kind: str,
        scales: Any = None,
        zero: int = 0,
        *,
        data: Values | None = None,
        axis: int = 0,
    ) -> int:
        """Add a tensor; return its number."""
        if not self.buffers:
            self.buffers.append(self._table("Buffer"))  # the first is empty, by definition
        buffer = 0
        if data is not None:
            raw = self._vector(np.frombuffer(np.ascontiguousarray(data, kind).tobytes(), np.uint8), "uint8")
            self.buffers.append(self._table("Buffer", Data=raw))
            buffer = len(self.buffers) - 1
        more: dict[str, Any] = {}
        if scales is not None:
            scales = np.atleast_1d(np.asarray(scales, np.float32))
            scale, zeros = self._vector(scales, "float32"), self._vector(np.full(len(scales), zero), "int64")
            more["Quantization"] = self._table(
                "QuantizationParameters", Scale=scale, ZeroPoint=zeros, QuantizedDimension=axis
            )
        name, sizes = self.b.CreateString(f"t{len(self.tensors)}"), self._vector(shape, "int32")
        self.tensors.append(
            self._table("Tensor", Shape=sizes, Type=TYPES[kind], Buffer=buffer, Name=name, **more)
        )
        return len(self.tensors) - 1

    def add(self, kind: str, inputs: list[int], output: int, options: str = "", **fields: Any) -> int:
        """Add an operator; return its result."""
        if kind not in self.codes:
            self.codes.append(kind)
        more: dict[str, Any] = {}
        if options:
            number = getattr(tflite.BuiltinOptions, options)
            more = {"BuiltinOptionsType": number, "BuiltinOptions": self._table(options, **fields)}
        xs, ys = self._vector(inputs, "int32"), self._vector([output], "int32")
        self.operators.append(
            self._table("Operator", OpcodeIndex=self.codes.index(kind), Inputs=xs, Outputs=ys, **more)
        )
        return output

    def save(self, path: Path, x: int, y: int) -> Path:
        """Write the file."""
        codes = []
        for code in self.codes:
            number = getattr(tflite.BuiltinOperator, code)
            version, old = 1 if code in OLD else 3, min(number, 127)
            codes.append(
                self._table("OperatorCode", BuiltinCode=number, DeprecatedBuiltinCode=old, Version=version)
            )
        ends = [self._vector([v], "int32") for v in (x, y)]
        tensors, operators = self._offsets(self.tensors), self._offsets(self.operators)
        graph = self._table("SubGraph", Tensors=tensors, Inputs=ends[0], Outputs=ends[1], Operators=operators)
        graphs, kinds, buffers = self._offsets([graph]), self._offsets(codes), self._offsets(self.buffers)
        model = self._table("Model", Version=3, OperatorCodes=kinds, Subgraphs=graphs, Buffers=buffers)
        self.b.Finish(model, b"TFL3")
        path.write_bytes(bytes(self.b.Output()))
        return path


def interpreted(path: Path, x: Values) -> Values:
    """Return what TensorFlow Lite's interpreter gives for each sample, by its reference kernels."""
    resolver = litert.OpResolverType.BUILTIN_REF
    interpreter = litert.Interpreter(str(path), experimental_op_resolver_type=resolver)
    interpreter.allocate_tensors()
    (given,), (made,) = interpreter.get_input_details(), interpreter.get_output_details()
    results = []
    for sample in x:
        interpreter.set_tensor(given["index"], sample[None])
        interpreter.invoke()
        results.append(interpreter.get_tensor(made["index"])[0])
    return np.array(results)


def images(path: Path, *, floats: bool = False, dead: bool = False) -> Path:
    """Write a network of images: convolutions with a scale for each channel, depthwise, a sum, a pool, a dense layer.

    `dead`: a channel of zeros whose scale is so small that its bias is 2^30, as converters leave them.
    """
    b, random = LiteBuilder(), np.random.default_rng(7)
    kind = "float32" if floats else "int8"

    def flow(*shape: int, scale: float = 0.05, zero: int = -128) -> int:
        return b.tensor((1, *shape), kind, None if floats else scale, zero)

    def weights(shape: tuple[int, ...], axis: int, x_scale: float, *, one: bool = False) -> list[int]:
        outputs = shape[axis]
        if floats:
            return [
                b.tensor(shape, kind, data=random.normal(0, 0.3, shape)),
                b.tensor((outputs,), kind, data=random.normal(0, 0.3, outputs)),
            ]
        scales = random.uniform(0.004, 0.02, 1 if one else outputs).astype(np.float32)
        values, bias = random.integers(-127, 128, shape), random.integers(-4000, 4000, outputs)
        if dead and not one:
            values[tuple(slice(None) if i != axis else 1 for i in range(len(shape)))] = 0
            scales[1], bias[1] = np.float32(2.0**-40), 1 << 30
        beside = scales * np.float32(x_scale)
        return [
            b.tensor(shape, kind, scales, data=values, axis=axis),
            b.tensor((outputs,), "int32", beside, data=bias),
        ]

    x = flow(9, 7, 3, scale=0.03, zero=-5)
    y = flow(5, 4, 8, scale=0.2)
    window = {"StrideH": 2, "StrideW": 2, "Padding": SAME, "DilationHFactor": 1, "DilationWFactor": 1}
    b.add(
        "CONV_2D",
        [x, *weights((8, 3, 3, 3), 0, 0.03)],
        y,
        "Conv2DOptions",
        **window,
        FusedActivationFunction=RELU6,
    )
    window |= {"StrideH": 1, "StrideW": 1, "DepthMultiplier": 1}
    deep = flow(5, 4, 8, scale=0.31, zero=3)
    b.add(
        "DEPTHWISE_CONV_2D",
        [y, *weights((1, 3, 3, 8), 3, 0.2)],
        deep,
        "DepthwiseConv2DOptions",
        **window,
        FusedActivationFunction=NONE,
    )
    total = flow(5, 4, 8, scale=0.27, zero=-90)
    b.add("ADD", [y, deep], total, "AddOptions", FusedActivationFunction=RELU)
    pooled = flow(2, 2, 8, scale=0.27, zero=-90)
    pool = {"StrideH": 2, "StrideW": 2, "FilterHeight": 2, "FilterWidth": 2, "Padding": VALID}
    b.add("AVERAGE_POOL_2D", [total], pooled, "Pool2DOptions", **pool, FusedActivationFunction=NONE)
    flat = flow(32, scale=0.27, zero=-90)
    b.add("RESHAPE", [pooled, b.tensor((2,), "int32", data=np.array([1, 32]))], flat)
    made = flow(6, scale=0.9, zero=11)
    dense = weights((6, 32), 0, 0.27, one=True)
    b.add("FULLY_CONNECTED", [flat, *dense], made, "FullyConnectedOptions", FusedActivationFunction=NONE)
    return b.save(path, x, made)
