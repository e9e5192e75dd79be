"""A way to compute a whole network on a unit of one kind: what planning, printing, reference and report ask of it.

A circuit and the matrix engine are such; a project's own stand in its `operators/` (docs/adding-a-unit.md). What is not asked
here exists once: emulation, judging, resources, energy, page, Vitis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from aieloom.cost.power import Energy
from aieloom.emit.files import Files
from aieloom.emit.library import copies
from aieloom.emit.names import CONFIGURATIONS, KERNEL_HEADERS, host_library, host_program
from aieloom.network.layers import Network, Parameters
from aieloom.ops.registry import UNITS
from aieloom.plan.energy import energy_in_logic
from aieloom.reference.evaluated import Evaluated
from aieloom.report.shape import FurtherFigures, Stage
from aieloom.spec.board import Board
from aieloom.units.plan import Choices, Plan, Settings, interval_us
from aieloom.units.types import Task

OWN = ("array", "sequential", "circuit", "matrix_engine")  # names of aieloom's own ways
Tensors: TypeAlias = Mapping[str, Parameters]  # of each layer: trained, or the integers made of them


def _names(plan: Plan) -> tuple[str, ...]:
    kernels = (f"src/pl/{kernel}.cpp" for kernel in plan.in_logic)
    return (*kernels, f"{host_program(plan.project)}.cpp", *host_library(KERNEL_HEADERS), *CONFIGURATIONS)


def _why(_plan: Plan, task: Task) -> Iterator[str]:
    yield f"{task.name}: {task.op}, {task.x} to {task.y}, on {task.unit}"


def _bottleneck(plan: Plan) -> str:
    return max(plan.schedule.turns, key=lambda turn: turn.total_us).units[0]


def _stages(plan: Plan) -> list[Stage]:
    return [{"name": task.name, "op": task.op, "on": task.unit} for task in plan.tasks]


def _choices(_network: Network, _board: Board) -> Choices:
    yield from ()


@dataclass(frozen=True, kw_only=True)
class Maker:
    """A way to compute a network; what has a default is seldom another's."""

    name: str  # of network.yaml's `unit:`; of aieloom's own their room
    how: str  # the network runs, for people: "as one circuit in the logic"
    model: str  # what says how long it takes, and what it takes of the logic
    plan: Callable[..., Plan]  # of network, board, operators, and a text, why it is asked; raises CannotFit
    render: Callable[[Plan, Tensors], Files]
    evaluated: Callable[[Plan, Tensors, NDArray[np.float32]], Iterator[Evaluated]]  # layers, of images
    names: Callable[[Plan], tuple[str, ...]] = _names  # of the files that `render` makes
    headers: tuple[
        str, ...
    ] = ()  # of the PL library, that kernels include: files too, with those that they include
    against: Callable[[Plan], str] = lambda _: "the integers' definition in NumPy"  # what the reference is
    why: Callable[[Plan, Task], Iterator[str]] = _why
    latency_us: Callable[[Plan], float] = interval_us
    bottleneck: Callable[[Plan], str] = _bottleneck
    stages: Callable[[Plan], list[Stage]] = _stages  # each layer's modelled figures
    further: Callable[[Plan], FurtherFigures] = lambda _: FurtherFigures()  # of no other design
    energy: Callable[[Plan], Energy | None] = energy_in_logic
    choices: Callable[[Network, Board], Choices] = _choices  # what network.yaml leaves open, for `doit dse`
    said: Callable[[Plan], Settings] = lambda _: {}  # what plans the same again
    kept: Callable[[Plan], Settings] = lambda _: {}  # arguments of `plan` that hold for every choice
    types: tuple[str, ...] = ()  # of elements that it can have, for `doit dse dtypes=`

    def files(self, plan: Plan) -> tuple[str, ...]:
        """Return the names of all files that `render` makes."""
        return (*self.names(plan), *copies(self.headers))


def register(maker: Maker) -> Maker:
    """Make a way to compute networks known by its name."""
    if maker.name in (*UNITS, *OWN):
        raise ValueError(f"two units are called '{maker.name}'")
    UNITS[maker.name] = maker
    return maker


def maker_of(name: str) -> Maker:
    """Return a way to compute networks that is registered, or aieloom's own of that name."""
    found = UNITS.get(name) or import_module(f"aieloom.{name}.maker").MAKER
    return cast(Maker, found)
