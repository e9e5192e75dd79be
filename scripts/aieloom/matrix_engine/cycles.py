"""Modelled cycles of the matrix engine, and the time of a product on it and on the processor.

A block is loaded, A, B and C side by side at an element a cycle each, and then computed, an element of C a cycle behind the
depth of the chain. The depth is the adder's latency for each of the K steps and ENTRY_CYCLES for what is around it. Both are
calibrated on the cycles that SoCaffe publishes of its engine on an XC7Z020 (blocks of 32, 56, 64 x 64 x 56 and 96).
"""

from __future__ import annotations

from aieloom.matrix_engine.arithmetic import Element, step_cycles

ENTRY_CYCLES = 80  # first words from memory, multiplier, entering and leaving the two loops


def depth_cycles(k: int, element: Element) -> int:
    """Return the cycles from a chain's first operand to its result, and of entering the loops."""
    return step_cycles(element) * k + ENTRY_CYCLES


def block_cycles(m: int, n: int, k: int, element: Element, *, fused: bool = True) -> int:
    """Return the cycles of one block; not `fused`, A, B and C are loaded one after another."""
    loads = (m * k, k * n, m * n)
    return (max(loads) if fused else sum(loads)) + m * n + depth_cycles(k, element)
