"""`quality:` of network.yaml: how much a design may lose before its run fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from pydantic import Field

from aieloom.spec.types import DataType, Frozen, Number

Decibels: TypeAlias = Annotated[Number, Field(allow_inf_nan=False)]
Loss: TypeAlias = Annotated[Number, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a run is held to; None where nothing is asked."""

    min_psnr_db: float | None  # mean of all pictures
    max_psnr_loss_db: float  # of any picture, against the float network
    min_sqnr_db: float | None  # of any layer
    max_accuracy_loss: float  # of all samples, against the float network


# In float32 tables alone lose anything, in int16 (6 dB a bit) roundings next to nothing. bfloat16 has 8 bits of mantissa,
# int8 some 7 bits of the range that calibration shows, and each layer's noise adds to the next one's.
DEFAULTS = {
    DataType.FLOAT32: Bounds(
        min_psnr_db=None, max_psnr_loss_db=0.15, min_sqnr_db=None, max_accuracy_loss=0.01
    ),
    DataType.INT16: Bounds(min_psnr_db=None, max_psnr_loss_db=0.15, min_sqnr_db=20.0, max_accuracy_loss=0.01),
    DataType.BFLOAT16: Bounds(
        min_psnr_db=None, max_psnr_loss_db=0.5, min_sqnr_db=15.0, max_accuracy_loss=0.02
    ),
    DataType.INT8: Bounds(min_psnr_db=None, max_psnr_loss_db=1.0, min_sqnr_db=10.0, max_accuracy_loss=0.03),
}


def _by_type(key: str) -> str:
    """Return a bound's defaults for people."""
    found = {dtype.value: getattr(bounds, key) for dtype, bounds in DEFAULTS.items()}
    return ", ".join(f"{name} {'none' if v is None else f'{v:g}'}" for name, v in found.items())


class QualitySpec(Frozen):
    """What makes a run fail though every element is as the hardware reference says; the defaults depend on the type."""

    min_psnr_db: Decibels | None = Field(
        default=None, description="least mean PSNR of the pictures, against what is expected (default: none)"
    )
    max_psnr_loss_db: Loss | None = Field(
        default=None,
        description="most PSNR that any picture may lose against the float network "
        f"(default: {_by_type('max_psnr_loss_db')})",
    )
    min_sqnr_db: Decibels | None = Field(
        default=None,
        description="least ratio of signal to quantisation noise of any layer "
        f"(default: {_by_type('min_sqnr_db')}; none for a model that was quantised before it came)",
    )
    max_accuracy_loss: Annotated[Loss, Field(le=1)] | None = Field(
        default=None,
        description="most accuracy that may be lost against the float network, where samples have labels "
        f"(default: {_by_type('max_accuracy_loss')})",
    )

    def bounds(self, dtype: DataType, *, given: bool = False) -> Bounds:
        """Return what a run in elements of `dtype` is held to.

        `given`: the model was quantised before it came, so that what its integers lose is nobody's here to judge by default.
        """
        default = DEFAULTS[dtype]
        least = None if given else default.min_sqnr_db

        def said(value: float | None, otherwise: float) -> float:
            return otherwise if value is None else value

        return Bounds(
            min_psnr_db=self.min_psnr_db,
            max_psnr_loss_db=said(self.max_psnr_loss_db, default.max_psnr_loss_db),
            min_sqnr_db=least if self.min_sqnr_db is None else self.min_sqnr_db,
            max_accuracy_loss=said(self.max_accuracy_loss, default.max_accuracy_loss),
        )
