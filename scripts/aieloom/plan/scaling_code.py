"""What it takes to make elements of 32-bit sums in a core: vectors beside the weights, a sentence, its code to schedule."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.cost.machine import SUM_BYTES
from aieloom.network.layers import Requant
from aieloom.schedule.code import Code, Total
from aieloom.spec.architecture import Architecture
from aieloom.spec.quantize import Scales

VECTOR_BYTES = 64  # that a vector operation takes


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """What makes elements of a vector of sums, as aie_templates/product/requant/ has it.

    Layers that differ in their numbers alone have equal ones, so that their code is scheduled once.
    """

    how: Scales | None  # None: sums of floats, which are rounded as they are taken
    left: bool  # some channel is shifted left first
    bounds: int  # of low and high, those that the element type does not have by itself
    lanes: int  # sums of the vector
    size: int  # bytes of an element
    architecture: Architecture

    @property
    def _words(self) -> int:
        return SUM_BYTES * self.lanes

    @property
    def _slots(self) -> int:
        return -(-self._words // VECTOR_BYTES)

    @property
    def _wide(self) -> int:
        return -(-self.lanes // self.architecture.facts.wide_products)

    def __call__(self, code: Code, sums: int, axes: tuple[int, ...]) -> int:
        """Write the code; `axes` are those along which the row of multipliers moves."""
        if self.how is None:
            return sums
        by_shift = self.how is Scales.POWER_OF_TWO
        if not by_shift:
            for _ in range(self.left):
                sums = self._times(code, sums, axes)
            once = self._twice if self.how is Scales.MULTIPLIER else self._times
            sums = once(code, sums, axes)
            sums = code.op(
                code.machine.sums, [sums, code.constant(self._words)], slots=self._slots, bits=8 * self._words
            )
        for _ in range(self.bounds):
            of = [sums, code.constant(self._words)]
            sums = code.op("compare", of, slots=self._slots, bits=8 * self._words)
        if by_shift and self.size > 1:
            return sums
        total = code.op("ups", [sums], bits=32 * self.lanes, file="accumulator")
        return code.op("srs", [total], bits=8 * self.size * self.lanes)

    def _row(self, code: Code, axes: tuple[int, ...]) -> int:
        return code.load(self._words, axes, "rows")

    def _times(self, code: Code, sums: int, axes: tuple[int, ...]) -> int:
        of = [sums, self._row(code, axes)]
        product = code.op("mac", of, slots=self._wide, bits=64 * self.lanes, file="accumulator")
        return code.op("srs", [product], bits=8 * self._words)

    def _twice(self, code: Code, sums: int, axes: tuple[int, ...]) -> int:
        """TensorFlow Lite's two roundings."""
        sums = self._times(code, sums, axes)
        less = sums
        for _ in ("zeros", "minus ones"):
            of = [less, code.constant(self._words)]
            less = code.op("compare", of, slots=self._slots, bits=8 * self._words)
        total = Total(f"less{sums}", "accumulator", 64 * self.lanes, is_float=False, is_matrix=False)
        code.begin(total, code.op("ups", [less], bits=64 * self.lanes, file="accumulator"))
        code.mac(total, [sums, self._row(code, axes)], slots=self._wide)
        return code.take(total, bits=8 * self._words)


def scaling_of(requant: Requant | None, *, lanes: int, size: int, architecture: Architecture) -> Scaling:
    """Return what makes elements of `size` bytes of so many sums; `requant` None of floats."""
    if requant is None:
        return Scaling(how=None, left=False, bounds=0, lanes=lanes, size=size, architecture=architecture)
    half = 1 << (8 * size - 1)
    return Scaling(
        how=requant.scaling,
        left=requant.left,
        bounds=(requant.low > -half) + (requant.high < half - 1),
        lanes=lanes,
        size=size,
        architecture=architecture,
    )


def row_vectors(requant: Requant | None) -> int:
    """Return how many vectors stand beside the weights for each row of mmul blocks.

    The bias; of `multiplier` also multipliers and dividing factors, of `onnx` multipliers, of both left shifts where a
    channel has one.
    """
    if requant is None or requant.scaling is Scales.POWER_OF_TWO:
        return 1
    return {Scales.MULTIPLIER: 3, Scales.MULTIPLIER16: 2, Scales.ONNX: 2}[requant.scaling] + requant.left


def rows_label(requant: Requant | None) -> str:
    """Return what these vectors are called in plans and reports."""
    return "bias" if row_vectors(requant) == 1 else "biases and multipliers"


def requant_note(requant: Requant) -> str:
    """Return how sums become elements, as a sentence of plan.json and the kernel's header."""
    how = {
        Scales.MULTIPLIER: "a 32-bit multiplier and a shift for each channel, rounded twice (TensorFlow Lite's definition)",
        Scales.MULTIPLIER16: f"a 16-bit multiplier for each channel and a shift by {requant.shift}, halves up",
        Scales.ONNX: "the scales' quotient as float32, a 24-bit multiplier for each channel, and a shift by "
        f"{requant.shift}, rounded once, halves to even (ONNX's definition)",
        Scales.POWER_OF_TWO: f"a shift by {requant.shift}, halves up; the zero point is in the bias",
    }[requant.scaling]
    edge = "wrapped" if requant.wrap else "saturated"
    return f"sums scaled by {how}, zero point {requant.zero_point}, {edge}, at least {requant.low}"
