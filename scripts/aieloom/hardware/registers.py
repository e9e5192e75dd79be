"""What the inner loop of a kernel keeps in a core's registers, and whether the register files have room for it.

What does not fit is spilled: the compiler stores it to the stack and loads it again in every trip [UG1079 and UG1603, Vector
Registers]. So kernels keep no more blocks of sums in flight than there are registers for, beside the operands of a trip.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from aieloom.spec.architecture import Architecture

VECTOR_BYTES = 32  # of a W register, the unit in which operands are counted here
FLOAT_SUMS = "accfloat"
LANE_BITS = {"acc32": 32, "accfloat": 32, "acc48": 48, "acc48_or_acc80": 80, "acc64": 64, "acc80": 80}


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterFiles:
    """The vector and accumulator registers of an architecture."""

    vectors: int  # W registers of 256 bits
    accumulator_bits: int
    accumulator_step: int  # bits of the smallest accumulator register
    float_sums_in_vectors: bool
    operand_vectors: int  # the least that an operand of a product takes
    widening: int  # W registers more that an operand takes while a product reads it as half of an X register


@cache
def register_files(architecture: Architecture) -> RegisterFiles:
    """Return the registers of an architecture's core, which its file gives.

    Raises:
        KeyError: no public text gives them.
    """
    said = architecture.facts.registers
    if said is None:
        raise KeyError(f"spec/architectures/{architecture.value}.yaml gives no registers")
    return RegisterFiles(**said)  # type: ignore[arg-type]  # a truth is a number, too


@dataclass(frozen=True, slots=True, kw_only=True)
class Registers:
    """What a kernel's inner loop keeps at once: W registers, and bits of accumulators."""

    vectors: int
    accumulator_bits: int = 0

    def fit(self, files: RegisterFiles) -> bool:
        """Tell whether the files hold it."""
        return self.vectors <= files.vectors and self.accumulator_bits <= files.accumulator_bits


def operand_vectors(files: RegisterFiles, data: int) -> int:
    """Return the W registers of an operand of so many bytes."""
    return max(files.operand_vectors, -(-data // VECTOR_BYTES))


def kept(files: RegisterFiles, *, accumulator: str, lanes: int, sums: int, operands: int) -> Registers:
    """Return the registers of `sums` accumulators of so many lanes beside operands of so many W registers."""
    bits = LANE_BITS[accumulator] * lanes
    if accumulator == FLOAT_SUMS and files.float_sums_in_vectors:
        return Registers(vectors=operands + files.widening + sums * -(-bits // (8 * VECTOR_BYTES)))
    step = files.accumulator_step
    return Registers(vectors=operands + files.widening, accumulator_bits=sums * -(-bits // step) * step)


def block_registers(
    files: RegisterFiles,
    *,
    accumulator: str,
    shape: tuple[int, int, int],
    sizes: tuple[int, int],
    block: tuple[int, int],
) -> Registers:
    """Return what a register block of a matrix product keeps: its sums, its rows' A and its columns' B of one step over K.

    Args:
        files: of the core.
        accumulator: what sums are, as aie_api calls it: acc48, accfloat...
        shape: M, K and N of an mmul.
        sizes: bytes of an element of A and of B.
        block: mmuls in flight along M and along N.
    """
    (m, k, n), (rows, cols) = shape, block
    operands = rows * operand_vectors(files, m * k * sizes[0]) + cols * operand_vectors(
        files, k * n * sizes[1]
    )
    return kept(files, accumulator=accumulator, lanes=m * n, sums=rows * cols, operands=operands)
