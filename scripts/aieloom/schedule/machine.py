"""An operation of a core as a schedule takes it, and what the core does with it: units, latencies, by machines/*.yaml."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from aieloom.spec.architecture import Architecture

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Machine:
    """A core's units, latencies and slots: machines/*.yaml."""

    units: Mapping[str, int]
    latency: Mapping[str, int]
    unit_of: Mapping[str, str]  # of kinds that issue elsewhere than operations.yaml says
    sums: str  # the kind that sums of integer vectors are
    bypass: Sequence[str]  # kinds whose results go to each other a cycle sooner
    slots: Mapping[str, int]
    branch: int
    call: int
    vector_bytes: int
    stream_bytes: int
    bank_bytes: int
    registers: Mapping[str, int]  # bits of each file
    spills: Sequence[str]  # files whose values a loop can keep on the stack
    lane_bits: Mapping[str, int]  # of accumulators, by the number that the emulator keeps a lane in
    splits_floats: bool  # its multiplier has no float32: operands are taken apart into bfloat16
    float_sums: str  # the file that holds them


@cache
def machine_of(architecture: Architecture) -> Machine:
    """Return the table of an architecture; AIE-MLv2 has AIE-ML's."""
    name = "aie" if architecture is Architecture.AIE else "aie-ml"
    data: dict[str, Any] = yaml.safe_load((_FOLDER / "machines" / f"{name}.yaml").read_text(encoding="utf-8"))
    return Machine(**{f.name: data[f.name] for f in fields(Machine)})


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
