"""A design that runs layer by layer: engines, tensors in device memory, commands, what the model says of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from aieloom.cost.power import Energy, Work, energy_of
from aieloom.hardware.margins import crowded
from aieloom.layout.channel_words import LANES
from aieloom.network.tensor import TensorType
from aieloom.pl.steps import PlStep
from aieloom.plan.energy import plan_work
from aieloom.plan.processor import PsStep
from aieloom.sequential import array as on_aie
from aieloom.sequential import commands as c
from aieloom.sequential.array import ArrayEngine
from aieloom.sequential.builder import TYPES
from aieloom.sequential.cost import (
    ISSUES,
    LAYING,
    MODEL,
    PROCESSOR,
    StepCost,
)
from aieloom.sequential.engine import DTYPES, ConvEngine, Element
from aieloom.sequential.onchip.engine import RowEngine
from aieloom.sequential.recurrent import RecurrentStep
from aieloom.sequential.recurrent_unit import RecurrentUnit
from aieloom.sequential.row_unit import RowStep, RowUnit
from aieloom.sequential.spatial import SpatialStep
from aieloom.sequential.steps import ConvStep, RoundStep, Step, ViewStep, gives
from aieloom.sequential.vector import VectorForm, VectorUnit
from aieloom.spec.board import Board
from aieloom.words import duration, plural

# What is counted of the logic, and what engines call it: those that take none of a kind say nothing of it.
TAKEN = {"dsp": "dsp", "lut": "lut", "ff": "ff", "bram36": "bram", "uram288": "uram"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialPlan:
    """A design that runs layer by layer."""

    project: str
    element: Element  # that layers on the engines exchange
    engine: ConvEngine
    unit: VectorUnit | None  # None: no layer needs one
    array: ArrayEngine | None  # None: products run in the logic alone
    row_unit: RowUnit | None  # None: no layer is one of whole rows
    x: TensorType
    y: TensorType
    reason: str  # why it runs so
    batch: int
    memory_bytes: int
    weights_bytes: int
    steps: tuple[Step, ...] = field(metadata={"printed": False})  # in order of evaluation
    forms: Mapping[str, VectorForm] = field(metadata={"printed": False})  # layers on the vector unit
    commands: tuple[c.Command, ...]
    costs: tuple[StepCost, ...]
    spatial: SpatialStep | None = None  # the part whose layers have cores of their own; None: all take turns
    recurrent: RecurrentUnit | None = None  # None: no recurrence is on it

    @property
    def staying(self) -> RowEngine | None:
        """The engine on the array where each of its rows owns an image, whose tensors stay on the chip."""
        return self.array if isinstance(self.array, RowEngine) else None

    @property
    def functions(self) -> tuple[PlStep | PsStep, ...]:
        """The layers on the processor, in the order of their numbers."""
        return tuple(s for s in self.steps if isinstance(s, PlStep | PsStep) and s.layer not in self.forms)

    @property
    def placed(self) -> tuple[Step, ...]:
        """The layers that have a command: all but those that leave values where they lie, or round them."""
        return tuple(s for s in self.steps if not isinstance(s, ViewStep | RoundStep))

    @property
    def products(self) -> tuple[ConvStep, ...]:
        """The layers on the engine."""
        return tuple(s for s in self.steps if isinstance(s, ConvStep))

    @property
    def recurrences(self) -> tuple[RecurrentStep, ...]:
        """The layers on the recurrent unit."""
        return tuple(s for s in self.steps if isinstance(s, RecurrentStep))

    @property
    def macs(self) -> int:
        """Products of an image on all engines."""
        return sum(s.products for s in self.products) + sum(s.products for s in self.recurrences)

    @property
    def reads_tensors_as_weights(self) -> bool:
        """Whether a port of weights reads tensors too, so that both lie in one bank: products of two activations."""
        return self.row_unit is not None or any(s.sets for s in self.products)

    @property
    def in_one_bank(self) -> bool:
        """Whether weights lie in the bank of the tensors: where they have to, or where it carries all that a layer moves."""
        rate = self.engine.board.memory.bank_mb_s
        return self.reads_tensors_as_weights or all(c.bytes <= rate * c.total_us for c in self.costs)

    @property
    def in_logic(self) -> tuple[ConvStep, ...]:
        """The layers on the engine in the logic: all products, or those that the array does not take."""
        return tuple(
            s for s in self.products if not (self.array and on_aie.on_array(s)) and s.layer not in self.forms
        )

    @property
    def has_engine(self) -> bool:
        """Whether there is an engine in the logic: where no array multiplies, and for what it does not take."""
        return not self.array or bool(self.in_logic)

    @property
    def threads(self) -> int:
        """Threads of the host program that lay out the next batch's images: a core each."""
        return self.engine.board.processor.cores

    @property
    def list(self) -> c.CommandList:
        """The command list."""
        return c.CommandList(
            element=TYPES[DTYPES[self.element]],
            out=self.engine.out,
            batch=self.batch,
            memory_bytes=self.memory_bytes,
            weights_bytes=self.weights_bytes,
            store_bytes=self.staying.store_words * LANES if self.staying else 0,
            program=self.program,
            commands=self.commands,
        )

    @property
    def program(self) -> int:
        """A number that says which functions the host program has."""
        own = (*self.functions, *([self.spatial] if self.spatial else []))
        names = "\n".join(f"{s.layer} {s.op} {[t.elements for t in (s.x, s.y)]}" for s in own)
        return int.from_bytes(hashlib.sha256(names.encode()).digest()[:8], "little")

    @property
    def interval_us(self) -> float:
        """Modelled time of an image, of a whole batch's."""
        return max(self._beside_us(meanwhile=False), self._processor_us) / self.batch

    @property
    def latency_us(self) -> float:
        """Modelled time of a batch, from its images in the host program's memory to its results."""
        return sum(s.total_us for s in self.costs)

    @property
    def _processor_us(self) -> float:
        """A batch's time of the processor, whose cores share layers and the laying out of images."""
        layers = sum(s.us.get(PROCESSOR, 0.0) for s in self.costs if not s.meanwhile)
        return self._beside_us(meanwhile=True) + layers / self.engine.board.processor.cores

    def _beside_us(self, *, meanwhile: bool) -> float:
        return sum(s.total_us for s in self.costs if s.meanwhile is meanwhile)

    @property
    def pace(self) -> str:
        """How the layers' times make the rate, in words."""
        laid = self._beside_us(meanwhile=True) / self.batch
        return (
            f"Layers follow one another, {self.batch} images at a time: their times add up. Meanwhile the processor lays out "
            f"the next batch's images, {laid:,.1f} us each."
        )

    @property
    def leaves_out(self) -> tuple[str, ...]:
        """What the modelled rate does not count, in words."""
        clocks = sorted({self.engine.clock_mhz, *([on_aie.MOVER_MHZ] if self.array else [])})
        shown = " and ".join(f"{mhz:g}" for mhz in clocks)
        return (
            "how images come into the host program's memory: reading, decoding and scaling of pictures",
            f"synthesis: that the logic closes timing at {shown} MHz is assumed",
            "everybody else at the memory controllers, and refreshes beyond the board file's rates",
            "the first start: configuration of the device, weights on their way into its memory",
        )

    @property
    def issued_by(self) -> str:
        """Who issues commands, and how often a kernel is started for a batch."""
        if not self.array:
            return "the host program's, one at a time"
        starts = next((cost.op for cost in self.costs if cost.layer == ISSUES), "no start")
        if self.array.sequencer == "host":
            return f"the host program's, one at a time: {starts} of the issuer a batch"
        return f"a sequencer's in the logic, which reads them from device memory: {starts} a batch"

    @property
    def _in_use(
        self,
    ) -> Iterator[ConvEngine | VectorUnit | ArrayEngine | RowUnit | RecurrentUnit | SpatialStep]:
        in_logic = self.engine if self.has_engine else None
        return filter(None, (in_logic, self.unit, self.array, self.row_unit, self.recurrent, self.spatial))

    @property
    def masters(self) -> int:
        """Masters of the network on chip that all kernels' m_axi ports take."""
        return sum(u.masters for u in self._in_use)

    @property
    def logic_use(self) -> dict[str, int]:
        """What engine, vector unit and movers take of the logic, modelled; UltraRAM and block RAM of those that have some."""
        return {what: sum(getattr(unit, name, 0) for unit in self._in_use) for what, name in TAKEN.items()}

    @property
    def crowded(self) -> tuple[str, ...]:
        """What is said where all of it takes more of the logic than the board's margin."""
        board = self.engine.board
        mhz = on_aie.MOVER_MHZ if self.array else self.engine.clock_mhz
        return tuple(crowded(board.logic, self.logic_use, mhz))

    @property
    def board(self) -> Board:
        """What it is for."""
        return self.engine.board

    @property
    def energy(self) -> Energy | None:
        """What an image takes, modelled; None where nothing public says what the board draws."""
        array, beside = self.array, plan_work(self.spatial.plan, 1.0) if self.spatial else None
        busy = 0.0
        if array:
            products = sum(
                s.products for s in self.products if s not in self.in_logic and s.layer not in self.forms
            )
            busy = products / (1e3 * array.peak_gops / 2 / array.cores)
        mhz = on_aie.MOVER_MHZ if array else self.engine.clock_mhz
        work = Work(
            interval_us=self.interval_us,
            busy_us=busy + (beside.busy_us if beside else 0.0),
            tiles=(array.cores if array else 0) + (beside.tiles if beside else 0.0),
            logic=((mhz, self.logic_use),),
            bytes=self.bytes_per_image,
        )
        return energy_of(self.engine.board, work)

    def time_by_cause(self) -> dict[str, float]:
        """Return the modelled microseconds of an image by what they go to, the most first."""
        found: dict[str, float] = {}
        for cost in self.costs:
            for what, us in cost.us.items() if not cost.meanwhile else ():
                found[what] = found.get(what, 0.0) + us / self.batch
        waits = self._processor_us - self._beside_us(meanwhile=False)
        if waits > 0:
            found[LAYING] = waits / self.batch
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def lines(self) -> tuple[str, ...]:
        """Return what is decided, in a few lines."""
        on_them = sum(s.layer not in self.forms for s in self.products)
        times = self.time_by_cause()
        shown = ", ".join(f"{duration(us)} {what}" for what, us in times.items())
        slowest = sorted(self.costs, key=lambda s: -s.total_us)[:5]
        return (
            f"execution: {'spatial and sequential' if self.spatial else 'sequential'}: {self.reason}",
            *self._parts(),
            *self._engines(),
            *(f"  {line}" for line in self.crowded),
            f"  {on_them} layers on {'them' if self.array and self.in_logic else 'it'}, "
            f"{self.macs / 1e6:,.1f} million products an image; "
            f"{len(self.forms)} {self._unit()}, {self._row_layers()}{self._recurrent()}{len(self.functions)} on the processor",
            f"  commands: {self.issued_by}",
            f"  device memory: {self.weights_bytes / 1e6:,.1f} MB of weights, {self.memory_bytes / 1e6:,.1f} MB of tensors "
            f"for {self.batch} image{'s' * (self.batch > 1)} at a time; "
            f"{self.bytes_per_image / 1e6:,.1f} MB cross the engine's ports an image",
            f"  an image: {shown}; bound by {next(iter(times), 'nothing')}",
            *(self._line(s) for s in slowest),
            *(f"  energy: {e.text}" for e in [self.energy] if e),
        )

    def _parts(self) -> tuple[str, ...]:
        """Return a line for each part of a network whose layers do not all run alike."""
        if not self.spatial:
            return ()
        found: list[str] = []
        at = self.steps.index(self.spatial)
        for steps in (self.steps[:at], self.steps[at + 1 :]):
            us = (
                sum(cost.total_us for cost in self.costs if cost.layer in {s.layer for s in steps})
                / self.batch
            )
            names = f"{steps[0].layer} to {gives(steps[-1])}" if steps else ""
            found += [f"sequential: {names}: {us:,.1f} us an image (modelled)"] if steps else []
        own = self.spatial.why
        found.insert(1 if at else 0, f"spatial: {own[0]}; {own[1]}")
        return tuple(f"  {line}" for line in found)

    def _engines(self) -> tuple[str, ...]:
        engine, found = self.engine, []
        if self.array:
            found += [f"engine on the AI Engine array of {engine.board.name} ({MODEL}):"]
            found += [f"  {line}" for line in self.array.why()]
        if self.in_logic:
            found += [f"convolution engine in the logic of {engine.board.name} ({MODEL}):"]
            found += [f"  {line}" for line in engine.why()]
            if self.array:
                found += [f"  for {', '.join(s.layer for s in self.in_logic)}"]
        if self.recurrent:
            found += [f"recurrent unit in the logic of {engine.board.name} ({MODEL}):"]
            found += [f"  {line}" for line in self.recurrent.why()]
        return tuple(found)

    def _unit(self) -> str:
        if self.staying:
            return "by the rows' movers"
        return "on the vector unit" + (f" ({self.unit.lanes} elements a cycle)" if self.unit else "")

    def _row_layers(self) -> str:
        count = sum(isinstance(s, RowStep) for s in self.steps)
        return f"{count} on {plural(self.row_unit.units, 'row unit')}, " if self.row_unit else ""

    def _recurrent(self) -> str:
        return f"{len(self.recurrences)} on the recurrent unit, " if self.recurrent else ""

    def _line(self, cost: StepCost) -> str:
        took = duration(cost.total_us / self.batch)
        return f"  {cost.layer}: {cost.op} on the {cost.on}, {took} an image, most of it {cost.bound}"

    @property
    def bytes_per_image(self) -> float:
        """Bytes that cross the engine's memory ports."""
        return sum(s.bytes for s in self.costs) / self.batch
