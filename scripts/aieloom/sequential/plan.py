"""What is known of a design in turn beside its tasks and turns: the body of its plan."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from aieloom.layout.channel_words import LANES
from aieloom.plan.processor import Function
from aieloom.plan.types import ArrayPart
from aieloom.sequential import commands as c
from aieloom.sequential.array import MOVER_MHZ, ArrayEngine, on_array
from aieloom.sequential.builder import TYPES
from aieloom.sequential.engine import DTYPES, ConvEngine, Element
from aieloom.sequential.onchip.engine import RowEngine
from aieloom.sequential.recurrent_unit import RecurrentUnit
from aieloom.sequential.row_unit import RowUnit
from aieloom.sequential.spatial import SpatialStep
from aieloom.sequential.step_costs import Engines
from aieloom.sequential.steps import ConvStep, Step, products_of
from aieloom.sequential.vector import VectorForm, VectorUnit
from aieloom.units.plan import Plan
from aieloom.units.types import VIEW

# What is counted of the logic, and what engines call it: those that take none of a kind say nothing of it.
TAKEN = {"dsp": "dsp", "lut": "lut", "ff": "ff", "bram36": "bram", "uram288": "uram"}


@dataclass(frozen=True, slots=True, kw_only=True)
class InTurn(Engines):
    """The engines of a design, and the layers that take turns on them."""

    element: Element  # that layers on the engines exchange
    reason: str  # why it runs so
    memory_bytes: int  # of tensors in device memory
    weights_bytes: int
    steps: tuple[Step, ...] = field(metadata={"printed": False})  # in order of evaluation: the tasks' forms
    forms: Mapping[str, VectorForm] = field(metadata={"printed": False})  # layers on the vector unit
    spatial: SpatialStep | None = None  # the part whose layers have cores of their own; None: all take turns
    staying: RowEngine | None = field(
        default=None, metadata={"printed": False}
    )  # the array, whose rows own images

    @property
    def graph(self) -> ArrayPart | None:
        """The plan of the engine's graph on the array."""
        return self.array.gemm.array if self.array and self.array.gemm else None

    @property
    def mhz(self) -> float:
        """The clock of what is in the logic."""
        return MOVER_MHZ if self.array else self.engine.clock_mhz

    @property
    def functions(self) -> tuple[Function, ...]:
        """The layers on the processor, in the order of their numbers."""
        return tuple(
            s.called for s in self.steps if s.called and s.unit != VIEW and s.layer not in self.forms
        )

    @property
    def products(self) -> tuple[ConvStep, ...]:
        """The layers on the engine."""
        return products_of(self.steps)

    @property
    def macs(self) -> int:
        """Products of an image on all engines."""
        return sum(s.products for s in self.steps)

    @property
    def reads_tensors_as_weights(self) -> bool:
        """Whether a port of weights reads tensors too, so that both lie in one bank: products of two activations."""
        return self.row_unit is not None or any(s.sets for s in self.products)

    @property
    def in_logic(self) -> tuple[ConvStep, ...]:
        """The layers on the engine in the logic: all products, or those that the array does not take."""
        return tuple(
            s for s in self.products if not (self.array and on_array(s)) and s.layer not in self.forms
        )

    @property
    def has_engine(self) -> bool:
        """Whether there is an engine in the logic: where no array multiplies, and for what it does not take."""
        return not self.array or bool(self.in_logic)

    @property
    def in_use(
        self,
    ) -> Iterator[ConvEngine | VectorUnit | ArrayEngine | RowUnit | RecurrentUnit | SpatialStep]:
        """What takes something of the board."""
        in_logic = self.engine if self.has_engine else None
        return filter(None, (in_logic, self.unit, self.array, self.row_unit, self.recurrent, self.spatial))

    @property
    def masters(self) -> int:
        """Masters of the network on chip that all kernels' m_axi ports take."""
        return sum(u.masters for u in self.in_use)

    @property
    def program(self) -> int:
        """A number that says which functions the host program has."""
        own = (*self.functions, *([self.spatial] if self.spatial else []))
        names = "\n".join(f"{s.layer} {s.op} {[t.elements for t in (s.x, s.y)]}" for s in own)
        return int.from_bytes(hashlib.sha256(names.encode()).digest()[:8], "little")


def engines_of(plan: Plan) -> InTurn:
    """Return what is known of a plan whose layers take turns."""
    return plan.read(InTurn)


def commands(plan: Plan) -> tuple[c.Command, ...]:
    """Return the commands of a plan whose layers take turns."""
    records = (turn.record for turn in plan.schedule.turns if turn.record is not None)
    return tuple(cast(c.Command, record) for record in records)


def command_list(plan: Plan) -> c.CommandList:
    """Return the command list, as the host program reads it."""
    design = engines_of(plan)
    return c.CommandList(
        element=TYPES[DTYPES[design.element]],
        out=design.engine.out,
        batch=plan.schedule.batch,
        memory_bytes=design.memory_bytes,
        weights_bytes=design.weights_bytes,
        store_bytes=design.staying.store_words * LANES if design.staying else 0,
        program=design.program,
        commands=commands(plan),
    )
