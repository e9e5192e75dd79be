"""conv2d as it stands in network.yaml: its keys, its shapes, its trained tensors."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from aieloom.model.network import ShapeError
from aieloom.model.tensor import ParameterType, TensorType
from aieloom.plan.layout import Window
from aieloom.spec.network import MappingSpec, ParametricLayerSpec, check_engine
from aieloom.spec.types import Buffers, Flag, Frozen, NonNegative, Positive, Spatial, SpatialPadding, pair


class Conv2dSpec(ParametricLayerSpec):
    """y[m] = bias[m] + sum of weight[m, c, dy, dx] * x[c, y*stride + dy - padding, ...], zero outside x."""

    op: Literal["conv2d"]
    out_channels: Positive = Field(description="channels of the output: the product's M")
    kernel: Spatial = Field(description="one number, or [vertical, horizontal]")
    stride: Spatial = Field(default=1, description="one number, or [vertical, horizontal]")
    padding: SpatialPadding = Field(default=0, description="zeros around the input, one number or [y, x]")
    groups: Positive = Field(
        default=1, description="parts of the channels that do not mix; as many as channels: depthwise"
    )
    bias: Flag = Field(default=True, description="whether a trained bias is added")


class PlaceSpec(Frozen):
    """A rectangle of tiles: lower-left corner (row 0 is the lowest row with a core) and size."""

    col: NonNegative = Field(description="leftmost column")
    row: NonNegative = Field(default=0, description="lowest row; 0 is the lowest with a core")
    cols: Positive = Field(description="columns")
    rows: Positive = Field(description="rows")


class Conv2dMapping(MappingSpec):
    """How a conv2d is put on AI Engines; what is left out, the planner chooses."""

    engine: Literal["aie", "pl", "ps"] = Field(
        default="aie",
        description="where the layer runs: the AI Engine array, the matrix engine in the logic, or the processor",
    )
    strategy: Literal["im2col_gemm", "direct", "chained", "gemm"] = Field(
        default="im2col_gemm",
        description="a matrix product of the weights and the input's im2col matrix, the same from the input's lines, "
        "without that matrix, a chain of layers core to core through memory tiles (AIE-ML), or with engine: pl a product "
        "on the matrix engine (gemm)",
    )
    element: Literal["float32", "float16"] = Field(
        default="float32", description="with engine: pl: what the matrix engine computes with"
    )
    block: tuple[Positive, Positive, Positive] | None = Field(
        default=None,
        description="with engine: pl: [M, N, K] of the engine's block; by default solved from the board's resources",
    )
    cores: Positive | None = Field(
        default=None,
        description="of strategy chained: cores of the layer; by default the fewest that hold it",
    )
    bands: Positive | None = Field(
        default=None,
        description="of strategy chained: bands of output rows among the cores, the rest cuts the output's channels",
    )
    tile: tuple[Positive, Positive, Positive] | None = Field(
        default=None,
        description="[M, K, N] of one kernel pass: output channels x (inputs * kernel area) x pixels",
    )
    mmul: tuple[Positive, Positive, Positive] | None = Field(
        default=None, description="[M, K, N] of aie::mmul"
    )
    cascade: Positive | None = Field(
        default=None,
        description="neighbouring cores over which K is cut: each has its part of the weights and passes its sums on",
    )
    groups: Positive | None = Field(
        default=None, description="cores along N; by default one for every tile, fewer work in rounds"
    )
    buffers: Buffers | None = Field(
        default=None, description="copies of each buffer: with ping_pong transfers overlap with computation"
    )
    plio: Literal[32, 64, 128] = Field(default=64, description="bits of the streams between PL and array")
    plio_out: Literal[32, 64, 128] | None = Field(
        default=None, description="bits of the streams out of the array, when they are not those of plio"
    )
    weights: Literal["constant", "stream"] = Field(
        default="constant",
        description="compiled into the cores, or sent to them once from memory, before the first image",
    )
    place: PlaceSpec | None = Field(default=None, description="the rectangle of tiles that its kernels fill")
    pl: Literal["frame", "streaming"] = Field(
        default="frame",
        description="how the PL kernel that takes its results works, also one without a layer of its own: see strategy of "
        "layers on programmable logic",
    )

    @model_validator(mode="after")
    def _cores_of_a_chain(self) -> Conv2dMapping:
        """Refuse keys that another strategy, or the processor, would not read."""
        check_engine(self)
        on_engine = {"engine", "strategy", "element", "block"}
        others = sorted(self.model_fields_set - on_engine)
        if self.engine == "pl" and others:
            raise ValueError(
                f"engine: pl takes {', '.join(sorted(on_engine))} alone: leave {', '.join(others)} out"
            )
        if "strategy" in self.model_fields_set and (self.engine == "pl") != (self.strategy == "gemm"):
            raise ValueError("engine: pl and strategy: gemm belong together")
        if self.engine != "pl" and self.model_fields_set & {"element", "block"}:
            raise ValueError("element and block are keys of engine: pl")
        for key in ("cores", "bands"):
            if self.strategy != "chained" and getattr(self, key) is not None:
                raise ValueError(
                    f"{key} is a key of strategy: chained; cut other layers by tile: and groups:"
                )
        return self


def window_of(spec: Conv2dSpec, x: TensorType) -> Window:
    """Return how the layer reads its input."""
    channels, height, width = x.shape
    return Window(
        channels=channels,
        height=height,
        width=width,
        kernel=pair(spec.kernel),
        stride=pair(spec.stride),
        padding=pair(spec.padding),
    )


def infer(spec: Conv2dSpec, x: TensorType) -> TensorType:
    """Return `(out_channels, out_height, out_width)`.

    Raises:
        ShapeError: the kernel is larger than the padded input, or the groups do not divide the channels.
    """
    window = window_of(spec, x)
    padded = (x.shape[1] + 2 * window.padding[0], x.shape[2] + 2 * window.padding[1])
    if window.kernel[0] > padded[0] or window.kernel[1] > padded[1]:
        size = f"{window.kernel[0]}x{window.kernel[1]}"
        raise ShapeError(
            f"a kernel of {size} does not fit into {padded[0]}x{padded[1]} (input with padding)",
            "use a smaller kernel or more padding",
        )
    for name, channels in (("input's", x.shape[0]), ("output's", spec.out_channels)):
        if channels % spec.groups:
            raise ShapeError(
                f"{spec.groups} groups do not divide the {name} {channels} channels",
                "use a number of groups that divides both",
            )
    return TensorType((spec.out_channels, window.out_height, window.out_width), x.dtype)


def parameters(spec: Conv2dSpec, x: TensorType) -> tuple[ParameterType, ...]:
    """Return weight `(out, in / groups, kh, kw)` and, unless `bias: false`, bias `(out,)`."""
    weight = ParameterType("weight", (spec.out_channels, x.shape[0] // spec.groups, *pair(spec.kernel)))
    return (weight, ParameterType("bias", (spec.out_channels,))) if spec.bias else (weight,)
