"""What makes elements of sums as a kernel's code, for its schedule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aieloom.cost.machine import SUM_BYTES
from aieloom.network.layers import Requant
from aieloom.schedule.code import Code, Total
from aieloom.spec.architecture import Architecture
from aieloom.spec.quantize import Scales

VECTOR_BYTES = 64  # that a vector operation takes


def scaled_back(
    requant: Requant | None, *, lanes: int, size: int, architecture: Architecture
) -> Callable[[Code, int, tuple[int, ...]], int]:
    """Return what writes the code that makes elements of a vector of sums, as aie_templates/product/requant/ has it.

    Args:
        requant: how; None of floats, whose sums are rounded as they are taken.
        lanes: sums of the vector.
        size: bytes of an element.
        architecture: of the core.
    """
    return _Scaling(requant, lanes, size, architecture).write


@dataclass(frozen=True, slots=True)
class _Scaling:
    requant: Requant | None
    lanes: int
    size: int
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

    def write(self, code: Code, sums: int, axes: tuple[int, ...]) -> int:
        """Write the code; `axes` are those along which the row of multipliers moves."""
        requant = self.requant
        if requant is None:
            return sums
        by_shift = requant.scaling is Scales.POWER_OF_TWO
        if not by_shift:
            for _ in range(requant.left):
                sums = self._times(code, sums, axes)
            once = self._twice if requant.scaling is Scales.MULTIPLIER else self._times
            sums = once(code, sums, axes)
            sums = code.op(
                code.machine.sums, [sums, code.constant(self._words)], slots=self._slots, bits=8 * self._words
            )
        sums = self._bounded(code, sums, requant)
        if by_shift and self.size > 1:
            return sums
        total = code.op("ups", [sums], bits=32 * self.lanes, file="accumulator")
        return code.op("srs", [total], bits=8 * self.size * self.lanes)

    def _bounded(self, code: Code, sums: int, requant: Requant) -> int:
        half = 1 << (8 * self.size - 1)
        for bound in (requant.low > -half, requant.high < half - 1):
            if bound:
                of = [sums, code.constant(self._words)]
                sums = code.op("compare", of, slots=self._slots, bits=8 * self._words)
        return sums

    def _row(self, code: Code, axes: tuple[int, ...]) -> int:
        return code.load(self._words, axes, "rows")

    def _times(self, code: Code, sums: int, axes: tuple[int, ...]) -> int:
        of = [sums, self._row(code, axes)]
        product = code.op("mac", of, slots=self._wide, bits=64 * self.lanes, file="accumulator")
        return code.op("srs", [product], bits=8 * self._words)

    def _twice(self, code: Code, sums: int, axes: tuple[int, ...]) -> int:
        """TensorFlow Lite's two roundings."""
        sums = self._times(code, sums, axes)
        least = code.op("compare", [sums], slots=self._slots, bits=8 * self._words)
        less = code.op(
            "compare", [least, code.constant(self._words)], slots=self._slots, bits=8 * self._words
        )
        total = Total(f"less{sums}", "accumulator", 64 * self.lanes, is_float=False, is_matrix=False)
        code.begin(total, code.op("ups", [less], bits=64 * self.lanes, file="accumulator"))
        code.mac(total, [sums, self._row(code, axes)], slots=self._wide)
        return code.take(total, bits=8 * self._words)
