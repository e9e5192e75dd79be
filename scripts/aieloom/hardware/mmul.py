"""Which aie::mmul shapes an architecture has, and what one costs: its file in spec/architectures/ says so."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from aieloom.hardware.registers import LANE_BITS, RegisterFiles, Registers, block_registers, register_files
from aieloom.spec.architecture import Architecture
from aieloom.spec.device import Device, array_names, load_device
from aieloom.spec.types import DataType

Shape = tuple[int, int, int]
FLOAT_BYTES = 4

# DataType -> element type in the table (aie_api spells float32 "float")
_ELEMENT = {
    DataType.FLOAT32: "float",
    DataType.BFLOAT16: "bfloat16",
    DataType.INT8: "int8",
    DataType.INT16: "int16",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MmulMode:
    """One legal shape: A is M x K, B is K x N."""

    shape: Shape
    accumulator: str
    issue_cycles: int  # vector issue slots of one mac(), a lower bound
    shuffles: bool  # the header adds shuffles that are not counted
    files: RegisterFiles  # of the core
    sizes: tuple[int, int]  # bytes of an element of A and of B in the registers

    @property
    def emulated(self) -> bool:
        """Whether products are made of parts of the operands: float32 of bfloat16."""
        return self.sizes[0] > FLOAT_BYTES

    @property
    def accumulator_bits(self) -> int:
        """Bits of a lane of its accumulator."""
        return LANE_BITS[self.accumulator]

    def registers(self, rows: int, cols: int) -> Registers:
        """Return what a kernel keeps with so many blocks of C in flight along M and N."""
        return block_registers(
            self.files, accumulator=self.accumulator, shape=self.shape, sizes=self.sizes, block=(rows, cols)
        )

    def fits(self, rows: int, cols: int) -> bool:
        """Tell whether the registers hold so many blocks of C along M and N; one alone always counts as held."""
        return rows * cols == 1 or self.registers(rows, cols).fit(self.files)


def register_bytes(arch: Architecture, dtype: DataType) -> int:
    """Return the bytes that an element takes in the registers."""
    return arch.facts.float_bytes if dtype is DataType.FLOAT32 else dtype.bytes


def no_products(device: Device) -> tuple[str, str] | None:
    """Return what is missing to plan for a device, and what to do; None for the architectures that have mmul shapes."""
    arch = device.architecture
    if arch.facts.mmul:
        return None
    text = (
        f"{device.name} is {arch.facts.description} ({arch.value}): no public text gives its aie::mmul shapes"
    )
    known = ", ".join(n for n in array_names() if load_device(n).architecture.facts.mmul)
    return text, f"use another board: {known}"


@cache
def mmul_modes(arch: Architecture, a: DataType, b: DataType) -> tuple[MmulMode, ...]:
    """Return all legal shapes for A of type `a` and B of type `b`; empty when the pair does not exist."""
    for row in arch.facts.mmul:
        if _ELEMENT.get(a) in row["a"] and _ELEMENT.get(b) in row["b"]:
            return tuple(
                MmulMode(
                    shape=(m, k, n),
                    accumulator=acc,
                    issue_cycles=issue,
                    shuffles=bool(manip),
                    files=register_files(arch),
                    sizes=(register_bytes(arch, a), register_bytes(arch, b)),
                )
                for acc, shapes in row["shapes"].items()
                for m, k, n, issue, manip in shapes
            )
    return ()
