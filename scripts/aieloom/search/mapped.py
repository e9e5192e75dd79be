"""A mapping of layers to the array as a design of the search, with what the event simulation says of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from aieloom.cost.blocks import Loops
from aieloom.errors import CannotFit
from aieloom.network.layers import Network
from aieloom.network.operator import Operators
from aieloom.plan.build import make_plan, outline
from aieloom.plan.energy import plan_energy
from aieloom.plan.rates import Rates
from aieloom.plan.rules_streams import crowded_logic
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.search.design import Design
from aieloom.search.figures import present
from aieloom.search.goal import Area, Modelled
from aieloom.search.scope import Choice, remapped
from aieloom.simulation.events import SimulatedRun
from aieloom.simulation.of_plan import modelled_rates, simulate_plan
from aieloom.spec.device import Device
from aieloom.spec.network import NetworkSpec, TilesSpec
from aieloom.units.plan import Settings


@dataclass(frozen=True, kw_only=True)
class Mapped(Design):
    """A mapping whose figures are the event simulation's, held to what movers, memory and the host program carry."""

    head = (
        f"{'images/s':>10} {'the array':>10} {'at memory':>10} {'interval us':>12} {'latency us':>11} {'mJ':>8} {'cores':>6} "
        f"{'tiles':>6} {'plio':>5}"
    )
    plan: ArrayPart
    rates: Rates
    choices: Mapping[str, Choice]  # of layers; none where they have no choice, as in a chain
    row: int | None = None  # of the front; None: its layers are cut as network.yaml says now
    written: bool = False  # it is what network.yaml says now, PL clocks included

    @property
    def plio(self) -> int:
        """Streams between PL and array."""
        return len(self.plan.plios)

    @property
    def line(self) -> str:
        """The line of a table under `head`."""
        three = (self.rates.system, self.rates.array, self.rates.memory)
        return (
            f"{' '.join(f'{rate.images_per_s:>10,.0f}' for rate in three)} {self.interval_us:>12.3f} {self.latency_us:>11.2f} "
            f"{self.drawn:>8} {self.cores:>6} {self.plan.tiles_in_use:>6} {self.plio:>5}"
        )

    @property
    def figures(self) -> Mapping[str, object]:
        """Its figures as JSON has them."""
        rates = {"array": self.rates.array, "memory": self.rates.memory, "system": self.rates.system}
        return {
            "images_per_s": {name: rate.images_per_s for name, rate in rates.items()},
            "interval_us": self.interval_us,
            "energy_mj": self.energy.mj if self.energy else None,
            "latency_us": self.latency_us,
            "cores": self.cores,
            "tiles": self.plan.tiles_in_use,
            "plio": self.plio,
            "copies": self.plan.copies,
            "as_written": self.written,
        }

    @property
    def told(self) -> tuple[str, ...]:
        """Its rates in words."""
        return (
            f"{self.rates.system.images_per_s:,.0f} images/s, {self.latency_us:.2f} us, {self.cores} cores, modelled by "
            f"{self.plan.cost.produced_by}.",
            f"End to end, that is; {self.rates.array.images_per_s:,.0f} the array, "
            f"{self.rates.memory.images_per_s:,.0f} with movers and memory.",
        )


def as_it_is(network: Network, plan: ArrayPart) -> Mapped:
    """Return a plan as a design of the search."""
    return designed(network, plan, {la.name: present(plan, la)[0] for la in plan.aie})


def as_whole(network: Network, plan: ArrayPart, *, written: bool = False) -> Mapped:
    """Return a plan no layer of which has choices, such as a chain, as a design of the search."""
    return replace(designed(network, plan, {}), written=written)


def planned(network: Network, device: Device, operators: Operators) -> Mapped | None:
    """Return a network's design; None where a rule refuses it."""
    try:
        return as_whole(network, make_plan(network, device, operators))
    except CannotFit:
        return None


def designed(
    network: Network, plan: ArrayPart, choices: Mapping[str, Choice], row: int | None = None
) -> Mapped:
    """Return a plan as a design of the search, of that row of a front."""
    modelled, rates = _simulated(plan)
    plio = len(plan.plios)
    return Mapped(
        network=network,
        plan=plan,
        modelled=modelled,
        area=Area(plan.cores, plan.tiles_in_use, plio),
        energy=plan_energy(plan, modelled.interval_us),
        taken={"aie_cores": plan.cores, "plio": plio, "latency_us": modelled.latency_us},
        said=_said(network.spec, choices),
        rates=rates,
        choices=choices,
        row=row,
    )


def _said(spec: NetworkSpec, choices: Mapping[str, Choice]) -> Settings:
    tiles = {"tiles": {"size": spec.tiles.size}} if isinstance(spec.tiles, TilesSpec) else {}
    copies = {"copies": spec.copies} if spec.copies > 1 else {}
    cuts = {
        name: {key: value for key, value in choice._asdict().items() if value is not None}
        for name, choice in choices.items()
        if set(Choice._fields) <= set(type(spec.mapping[name]).model_fields)
    }
    return {**tiles, **copies, "mapping": cuts}


def timed(plan: ArrayPart, run: SimulatedRun | None = None) -> Modelled:
    """Return what is modelled of a plan; `run` is its simulation where that is there already."""
    return _simulated(plan, run)[0]


def _simulated(plan: ArrayPart, run: SimulatedRun | None = None) -> tuple[Modelled, Rates]:
    run = run or simulate_plan(plan, slices=False)
    rates = modelled_rates(plan, run)
    left, crowded = left_to_compiler(plan.aie), any(crowded_logic(plan))
    return Modelled(rates.system.interval_us, run.latency_us, left, crowded), rates


def unplaced(network: Network, plan: ArrayPart, operators: Operators) -> ArrayPart:
    """Return a network's design beside its `plan` as it was, without places, for which the simulation does not ask.

    Raises:
        CannotFit: a rule refuses a layer's cut.
    """
    made = outline(network, plan.device, operators)
    return replace(
        plan,
        aie=tuple(AieLayerPlan(draft=d, kernels=()) for d in made.drafts),
        pl=made.pl,
        subgraphs=made.subgraphs,
        frame=made.frame,
        copies=network.spec.copies,
        others=(),
    )


def left_to_compiler(layers: Iterable[AieLayerPlan]) -> int:
    """Return how many loops the layers' figures count as flattened into a loop around them, of which one pipeline is made then.

    The source asks for that, and whether a compiler finds registers for so long a body is its luck: without it conv1 of
    mnist_int8 takes six times as long. An innermost loop that is marked counts nothing: every kernel has those. Each kind of
    core of a chain counts its own.
    """
    return sum(flattened_loops(layer.draft.loops) for layer in layers)


def flattened_loops(loops: Iterable[Loops]) -> int:
    """Return how many loops a kernel's source asks to flatten; one of a single trip is none."""
    return sum(trips > 1 for nest in loops if nest.flattened for trips in nest.trips)


def with_choices(
    network: Network, choices: Mapping[str, Choice], keep: Sequence[str] = (), *, copies: int | None = None
) -> Network:
    """Return the network with the layers cut as chosen, and placed by the planner; those of `keep` stay as they are."""
    mapping = dict(network.spec.mapping)
    for name, choice in choices.items():
        fields = type(mapping[name]).model_fields
        if name not in keep and set(Choice._fields) <= set(fields):
            place = {"place": None} if "place" in fields else {}
            mapping[name] = mapping[name].model_copy(update={**choice._asdict(), **place})
    if set(choices) - set(keep):  # other cuts want other readers: the planner chooses them
        for name, spec in mapping.items():
            if getattr(spec, "readers", None):
                mapping[name] = spec.model_copy(update={"readers": None})
    return remapped(network, mapping, copies=copies or network.spec.copies)
