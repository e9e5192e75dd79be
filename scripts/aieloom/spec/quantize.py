"""`quantize:` of network.yaml: how a float network becomes one of integers."""

from __future__ import annotations

from enum import Enum
from typing import Literal

from pydantic import Field, model_validator

from aieloom.spec.types import DataType, Flag, Frozen, Number, Text


class Scales(Enum):
    """How sums are scaled back to elements; the value is how YAML spells it."""

    # 32-bit multiplier and shift, rounded twice: TensorFlow Lite's published definition
    MULTIPLIER = "multiplier"
    MULTIPLIER16 = "multiplier16"  # 16-bit multiplier and shift, rounded once: its definition for 16 x 8 bits
    POWER_OF_TWO = "power_of_two"  # a shift alone: the hardware's own shift, round, saturate
    ONNX = "onnx"  # the float32 quotient of the scales, exactly, rounded once, halves to even: what quantised ONNX models have


class QuantizeSpec(Frozen):
    """Narrower types for activations and weights: what network.yaml says under `quantize:`."""

    activations: Literal["int8", "int16", "bfloat16"] = Field(
        default="int8", description="type of activations"
    )
    weights: Literal["int8", "int16", "bfloat16"] = Field(
        default="int8", description="type of weights, that of the activations; biases have 32 bits"
    )
    per_channel: Flag | None = Field(
        default=None,
        description="a scale for each output channel's weights (the default), or one for all (that of power_of_two)",
    )
    symmetric: Flag = Field(default=False, description="zero points of activations are 0")
    calibration: Text | None = Field(
        default=None,
        description="an .npz file beside this one whose `x` are inputs (n, channels, height, width) or (n, features)",
    )
    method: Literal["min_max", "percentile", "mse"] = Field(
        default="min_max",
        description="how the range of an activation follows from what calibration shows; mse: of weights too",
    )
    percentile: Number = Field(
        default=99.9, gt=50, le=100, description="of method percentile: the share of values kept, in per cent"
    )
    scales: Literal["multiplier", "multiplier16", "power_of_two", "onnx"] = Field(
        default="multiplier",
        description="multiplier (TensorFlow Lite's, 32 bits and a shift, rounded twice), multiplier16, "
        "power_of_two (a shift), or onnx (the scales' quotient as float32, rounded once, halves to even: what a quantised ONNX "
        "model always has)",
    )
    overflow: Literal["saturate", "wrap"] = Field(
        default="saturate", description="what a result beyond the type's range becomes"
    )
    bias_correction: Flag = Field(
        default=False,
        description="biases take back what rounding moves the mean of each channel by, as calibration shows it",
    )

    @model_validator(mode="before")
    @classmethod
    def _of_16_bits(cls, data: object) -> object:
        """Sums of 16-bit products are wider than a multiplier takes: they are shifted, and zero points are 0."""
        if isinstance(data, dict) and data.get("activations") == "int16":
            return {"scales": "power_of_two", "symmetric": True, **data}
        return data

    @model_validator(mode="after")
    def _check(self) -> QuantizeSpec:
        if self.activations == "int16" and (self.scales != "power_of_two" or not self.symmetric):
            raise ValueError("int16 has scales: power_of_two and symmetric: true: leave both keys out")
        if self.activations != self.weights:
            raise ValueError(
                f"activations are {self.activations}, weights {self.weights}: use one type for both"
            )
        if self.scaling is Scales.ONNX and self.overflow == "wrap":
            raise ValueError("ONNX's results saturate: use overflow: saturate, or scales: multiplier")
        if self.per_channel and self.scaling is Scales.POWER_OF_TWO:
            raise ValueError(
                "power_of_two shifts all channels alike: use per_channel: false, or scales: multiplier"
            )
        return self

    @property
    def dtype(self) -> DataType:
        """Type of activations and weights."""
        return DataType(self.activations)

    @property
    def by_channel(self) -> bool:
        """Whether each output channel's weights have a scale of their own."""
        return self.scaling is not Scales.POWER_OF_TWO if self.per_channel is None else self.per_channel

    @property
    def scaling(self) -> Scales:
        """How sums are scaled back."""
        return Scales(self.scales)


def settings_for(settings: QuantizeSpec | None, dtype: DataType) -> QuantizeSpec | None:
    """Return the settings with another type; None for float32. What a type has no choice in is left out."""
    if dtype is DataType.FLOAT32:
        return None
    kept = settings.model_dump(exclude_unset=True) if settings else {}
    fixed: tuple[str, ...] = (
        () if dtype is DataType.INT8 else ("scales", "symmetric", "per_channel", "overflow")
    )
    fixed += ("calibration", "method", "percentile", "bias_correction") if dtype is DataType.BFLOAT16 else ()
    types = {"activations": dtype.value, "weights": dtype.value}
    return QuantizeSpec.model_validate({k: v for k, v in kept.items() if k not in fixed} | types)
