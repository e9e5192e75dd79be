"""What a core does with an operation: units, slots, latencies and register files of each architecture, by machines/*.yaml."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
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
