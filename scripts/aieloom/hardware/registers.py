"""What the inner loop of a kernel keeps in a core's registers, and whether the register files have room for it.

What does not fit is spilled: the compiler stores it to the stack and loads it again in every trip [UG1079 and UG1603, Vector
Registers]. So kernels keep no more blocks of sums in flight than there are registers for, beside the operands of a trip.
"""

from __future__ import annotations

from dataclasses import dataclass

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


FILES = {
    # vrl0-3, vrh0-3, vcl0-1, vch0-1, vdl0-1, vdh0-1 of 128 bits: 8 W = 4 X; 8 AM of 384 bits; float sums are vectors
    # [UG1079 Vector Registers, AM009 Register Files]. The headers grow one operand of each product to an X register.
    Architecture.AIE: RegisterFiles(
        vectors=8, accumulator_bits=8 * 384, accumulator_step=384, float_sums_in_vectors=True,
        operand_vectors=1, widening=1,
    ),
    # wl0-11, wh0-11 of 256 bits = 12 X; 9 CM of 1024 bits [UG1603 Vector Registers, Accumulator Registers]. Both operands of a
    # product are X registers [AM020].
    Architecture.AIE_ML: RegisterFiles(
        vectors=24, accumulator_bits=9 * 1024, accumulator_step=256, float_sums_in_vectors=False,
        operand_vectors=2, widening=0,
    ),
}  # fmt: skip


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
