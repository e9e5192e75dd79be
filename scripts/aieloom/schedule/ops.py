"""An operation of a core as a schedule takes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from aieloom.schedule.machine import Machine


@dataclass(slots=True)
class Op:
    """An operation to schedule: where it issues and for how long, and what it waits for.

    `inputs` are (producer, cycles after its issue); `carried` the same of the iteration before.
    """

    name: str
    unit: str
    slots: int
    latency: int
    debug: str
    kind: str = ""
    accumulate: int = 0  # cycles until an accumulation into the same accumulator may follow; 0: none
    inputs: dict[int, int] = field(default_factory=dict)
    carried: dict[int, int] = field(default_factory=dict)
    base: str = ""  # memory object of a load or store
    offset: int | None = None
    size: int = 0
    is_load: bool = False
    is_store: bool = False
    only_addresses: bool = False
    is_pointer: bool = False  # what is loaded is an address: numbers are never stored over it
    results: tuple[tuple[str, int], ...] = ()  # registers that it writes: file and bits
    # those that it reads from before the run
    outside: dict[str, tuple[str, int]] = field(default_factory=dict)
    varies: bool = False  # it reads what an iteration hands to the next, a pointer that moves on for one
    line: int = -1  # of the function's text, where the operation is one of it
    is_fixed: bool = False  # found before the loop, because each iteration would find it again

    def read_outside(self, name: str, registers: Sequence[tuple[str, int]]) -> None:
        """Note a value that is there before the run."""
        for register in registers:
            self.outside[name] = register


def shorten(ops: Sequence[Op], machine: Machine) -> None:
    """Let results of some units reach each other a cycle sooner: the machine's bypass."""
    kinds = frozenset(machine.bypass)
    for op in ops if kinds else ():
        for of in (op.inputs, op.carried) if op.kind in kinds else ():
            for p in of:
                if ops[p].kind in kinds:
                    of[p] = max(1, of[p] - 1)
