"""What an image costs in energy: the power model on what a design takes and does, while images follow one another.

Four shares. The rest of the device draws as much whatever the design is: leakage, processor, network on chip, controllers of
memory. The array draws for each tile in use and for the products that its cores make: a core that multiplies in every cycle
draws the same whatever its type is, so that a product's share is its part of a cycle. The logic draws for what the design
takes of it, at its clock. Device memory draws for each bit. Coefficients and their errors: docs/energy.md. Nothing of it was
measured by this project.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import cast

from typing_extensions import TypedDict

from aieloom.spec.board import Board
from aieloom.spec.device import Device
from aieloom.spec.tables import read_table

MODEL = "model of power on published figures; nothing of it is measured"
REST, ARRAY, LOGIC, MEMORY = "the rest of the device", "the array", "the logic", "device memory"


_KINDS = ("lut", "bram36", "dsp", "uram288")


class _Array(TypedDict):
    fixed: float
    core: float
    tile: float


class _Tables(TypedDict):
    array: dict[str, float | _Array]
    logic: dict[str, float]
    memory: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a design takes, and what an image asks of it.

    `busy_us` are the microseconds of single cores that multiply in every cycle, summed over all cores; `logic` has for each
    clock in MHz what runs at it: lut, bram36, dsp, uram288; `bytes` cross the ports to device memory.
    """

    interval_us: float
    busy_us: float = 0.0
    tiles: float = 0.0  # of the array, of which the core or the memory is in use
    logic: tuple[tuple[float, Mapping[str, int]], ...] = ()
    bytes: float = 0.0


class EnergyFigures(TypedDict):
    """What an image takes, as JSON has it."""

    produced_by: str
    mj_per_image: float
    watts: float
    mj_by_share: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Energy:
    """Modelled millijoules of an image by who draws them."""

    shares: Mapping[str, float]
    interval_us: float

    @property
    def mj(self) -> float:
        """All of it."""
        return sum(self.shares.values())

    @property
    def watts(self) -> float:
        """What the design draws while images follow one another."""
        return 1e3 * self.mj / self.interval_us

    @property
    def text(self) -> str:
        """In words."""
        parts = ", ".join(f"{mj:.3g} {who}" for who, mj in self.shares.items() if mj)
        return f"{self.mj:.3g} mJ an image at {self.watts:.3g} W: {parts} (modelled)"

    def as_json(self) -> EnergyFigures:
        """Return it as summary.json and plan.json have it."""
        return {
            "produced_by": MODEL,
            "mj_per_image": _digits(self.mj),
            "watts": _digits(self.watts),
            "mj_by_share": {who: _digits(mj) for who, mj in self.shares.items()},
        }


def _digits(value: float) -> float:
    """Return a number in five digits."""
    return float(f"{value:.5g}")


def has_power(board: Board) -> bool:
    """Tell whether a board's power is modelled: its file has a figure, and its array, if there is one, is of a known kind."""
    known = not isinstance(board, Device) or board.architecture.value in _tables()["array"]
    return board.power is not None and known


def energy_of(board: Board, work: Work) -> Energy | None:
    """Return what an image takes; None where nothing public says what the board draws, or by the model it takes no time."""
    if board.power is None or not has_power(board) or not work.interval_us:
        return None
    tables, us = _tables(), work.interval_us
    array = 0.0
    if isinstance(board, Device) and work.tiles:
        facts = cast(_Array, tables["array"][board.architecture.value])
        scale = board.clocks.aie_mhz / cast(float, tables["array"]["mhz"])
        array = scale * ((facts["fixed"] + facts["tile"] * work.tiles) * us + facts["core"] * work.busy_us)
    logic = tables["logic"]
    used = sum(mhz * sum(logic[kind] * use.get(kind, 0) for kind in _KINDS) for mhz, use in work.logic)
    shares = {  # watts times microseconds are microjoules
        REST: board.power.rest_w * us / 1e3,
        ARRAY: array / 1e3,
        LOGIC: used / logic["mhz"] * us / 1e6,
        MEMORY: 8 * work.bytes * tables["memory"]["pj_per_bit"] / 1e9,
    }
    return Energy(shares=shares, interval_us=us)


@cache
def _tables() -> _Tables:
    text = (resources.files("aieloom.cost") / "power.yaml").read_text(encoding="utf-8")
    return cast(_Tables, read_table(text))
