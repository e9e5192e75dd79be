"""What a core keeps: two tiles of A and of B, its result, and sums between passes where C's type cannot hold them."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.plan.memory import MemoryMap, Need, arrange
from aieloom.spec.device import Device
from aieloom.strategies.array_gemm.grid import ArrayGrid
from aieloom.strategies.array_gemm.types import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreMemory:
    """A core's blocks and their places."""

    needs: tuple[Need, ...]
    places: MemoryMap


def memory_of(device: Device, request: Request, cut: ArrayGrid) -> CoreMemory | None:
    """Arrange a core's data in its own memory; None when it does not fit.

    Inputs have two buffers each, so that streams flow while the core works.
    """
    needs = _needs(request, cut)
    places = arrange(device, needs, memories=1)
    return CoreMemory(needs=needs, places=places) if places else None


def _needs(request: Request, cut: ArrayGrid) -> tuple[Need, ...]:
    a, b, c = cut.elements
    size = request.dtype.bytes
    waiting = cut.times[1] > 1 and request.out is not request.sums
    return (
        Need(role="in[0]", label="A", bytes=a * size + request.tail_bytes, copies=2, operand="A"),
        Need(role="in[1]", label="B", bytes=b * size, copies=2, operand="B"),
        Need(role="out[0]", label="C", bytes=c * request.out.bytes, copies=cut.results),
        *([Need(role="param[0]", label="sums", bytes=c * request.sums.bytes)] if waiting else []),
    )
