"""Deciding everything about a network that runs layer by layer: engines and units, what each computes, commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from aieloom.errors import CannotFit, Problem
from aieloom.matrix_engine.block import Budget
from aieloom.network.layers import Network
from aieloom.network.tensor import TensorType, as_float
from aieloom.plan.processor import Function
from aieloom.sequential import array as on_aie
from aieloom.sequential.array import ArrayEngine
from aieloom.sequential.array_cost import ABOUT, array_cost, solve_array
from aieloom.sequential.builder import Builder, placed, within_reach
from aieloom.sequential.cost import conv_cost, issues_cost, vector_cost
from aieloom.sequential.engine import DTYPES, MASTERS, ConvEngine, Element, solve_engines
from aieloom.sequential.fusion import (
    depthwise_forms,
    larger_first,
    vector_forms,
    with_bfloat16,
    with_folded_input,
    with_sums,
)
from aieloom.sequential.lowering import element_of, on_processor, steps_of, with_columns
from aieloom.sequential.made import plan_of
from aieloom.sequential.memory import allocated
from aieloom.sequential.onchip.builder import RowBuilder
from aieloom.sequential.onchip.choose import OnChip, on_chip
from aieloom.sequential.plan import InTurn
from aieloom.sequential.recurrent_unit import RecurrentUnit, with_recurrences
from aieloom.sequential.row_choice import (
    fitted,
    fitting,
    heads_apart,
    no_unit,
    unit_widths,
    with_float_rows,
)
from aieloom.sequential.row_unit import ROW_MASTERS, RowUnit
from aieloom.sequential.spatial import SpatialStep
from aieloom.sequential.step_costs import Engines, issued, processor_step_cost, runs, step_costs
from aieloom.sequential.steps import AddOrder, ConvStep, Step, products_of
from aieloom.sequential.vector import Operation, VectorForm, VectorUnit, vector_unit, vector_units
from aieloom.spec.board import Board, LogicRoom
from aieloom.spec.device import Device
from aieloom.spec.network import NetworkSpec
from aieloom.strategies.array_gemm.search import modes
from aieloom.units.plan import Plan
from aieloom.words import duration

BATCH = 4  # images that share loads of weights
ARRAY_BATCH = 16  # the same on the array
SHARED = "rows with a store are not made beside layers with cores of their own"
UNITS = (1, 2, 4)  # vector units side by side
MOST_MEMORY = 1 << 28  # bytes of tensors of a batch


def plan_sequential(
    network: Network,
    board: Board,
    operators: Mapping[str, Any],
    reason: str,
    spatial: SpatialStep | None = None,
) -> Plan:
    """Decide everything about a network that runs layer by layer, but for the part `spatial`, if there is one.

    Raises:
        CannotFit: a layer has no form here, or the board has no room for the engine.
    """
    spec = network.spec
    element = element_of(network)
    apart = partial(heads_apart, board, element) if element != "int8" else None
    steps = steps_of(network, operators, spatial, heads_apart=apart)
    if element == "bfloat16":
        steps = with_bfloat16(steps, network)
    forms = vector_forms(spec, steps, element)
    unit = vector_unit(board, element) if forms else None
    on_it = with_folded_input(with_sums(larger_first(steps, forms), forms, on_aie.on_array), on_aie.on_array)
    engine = _beside(board, element, unit, spatial, block=spec.sized.block)[0]
    stays = SHARED if spatial else _staying(network, board, on_it, forms, element)
    if isinstance(stays, OnChip):
        array, why = None, _faster(stays.products_us, on_aie.on_array_of(on_it), steps, engine, BATCH)
        why = "aie, as network.yaml says" if spec.engine == "aie" else why
        if why.startswith("aie"):
            return _of_rows(network, on_it, stays, f"{reason}; engine: {why}; tensors stay on the chip")
    else:
        if spec.sized.tensors == "chip":
            text = f"engine: tensors: chip: tensors leave the chip, since {stays}"
            raise CannotFit(spec.source.problem("sequential-1", ("engine",), text, "leave tensors: out"))
        array, why = _array_of(network, board, on_it, element, spatial)
    array, why = _compared(network, steps, on_it, engine, forms=forms, array=array, spatial=spatial, why=why)
    if array:
        why = f"{why}; tensors leave the chip, since {stays}"
        steps = _in_order(on_it, array)
        forms, unit = _vectors(steps, forms, array, board)
        if element == "bfloat16":
            _check_array_alone(network, steps, array, forms, "the logic has no room for their weights")
    most = spec.sized.batch or (ARRAY_BATCH if array or spatial else BATCH)
    steps, recurrent, said = _recurrences(network, steps, board, most)
    reason = f"{reason}; engine: {why}{said}" if why else f"{reason}{said}"
    start_us = 0.0 if array else board.processor.kernel_start_us
    left = partial(_on_processor_us, network, board, most, forms)
    steps = with_float_rows(steps, network, board, element, left, batch=most, start_us=start_us)
    engines = _engines(
        network, steps, forms, board, element, array=array, unit=unit, recurrent=recurrent, spatial=spatial
    )
    engine, unit = engines.engine, engines.unit
    shapes = {(la.name, p.name): p.shape for la in network.layers for p in la.parameters}
    steps = with_columns(steps, network, engine.out)
    made, batch = _built(most, partial(Builder, steps, engine, forms=forms, shapes=shapes, array=array))
    places, memory = within_reach(made, batch, spec)
    design = InTurn(
        element=element,
        engine=engine,
        unit=unit,
        array=array,
        row_unit=engines.row_unit,
        reason=reason,
        spatial=spatial,
        recurrent=recurrent,
        memory_bytes=memory,
        weights_bytes=made.weights_bytes,
        steps=steps,
        forms=forms,
    )
    _check_masters(design, spec)
    costs = (*step_costs(steps, engines, forms, network, batch), *issued(made.turns, engines, batch))
    return plan_of(design, spec.name, _ends(network), batch=batch, turns=placed(made, places), costs=costs)


def _ends(network: Network) -> tuple[TensorType, TensorType]:
    """Return what the host program is given, and what it gives."""
    return as_float(network.x), as_float(network.y)


def _check_masters(design: InTurn, spec: NetworkSpec) -> None:
    """noc-1: the kernels have no more ports to memory than the network on chip has masters for.

    Raises:
        CannotFit: they have.
    """
    most = on_aie.masters_of(design.engine.board)
    if design.masters > most:
        board = design.engine.board.name
        text = f"its kernels' m_axi ports take {design.masters} masters of the network on chip; {board} has {most:g}"
        remedy = "give engine: {where: aie, grid: [X, Y, Z]} fewer rows X, or use engine: pl"
        raise CannotFit(spec.source.problem("noc-1", ("engine",), text, remedy))


def _recurrences(
    network: Network, steps: tuple[Step, ...], board: Board, batch: int
) -> tuple[tuple[Step, ...], RecurrentUnit | None, str]:
    """Return the steps with recurrences where they are the faster by the model, the recurrent unit, and why."""
    return with_recurrences(steps, board, batch, partial(_on_processor_us, network, board, batch, {}))


def _on_processor_us(
    network: Network, board: Board, batch: int, forms: Mapping[str, VectorForm], step: Function
) -> float | None:
    """Return what a batch of a layer takes on the processor; None of one that stays there, or that a vector unit takes."""
    stays = on_processor(step.layer, network.spec) or step.layer in forms
    return None if stays else processor_step_cost(step, board, batch).total_us


def _compared(
    network: Network,
    steps: tuple[Step, ...],
    on_it: tuple[Step, ...],
    engine: ConvEngine,
    *,
    forms: Mapping[str, VectorForm],
    array: ArrayEngine | None,
    spatial: SpatialStep | None,
    why: str,
) -> tuple[ArrayEngine | None, str]:
    """Return the engine on the array, if products run there, and why; `on_it` are the steps as they would be on it.

    Raises:
        CannotFit: layers that are computed beside an array alone have none.
    """
    if element_of(network) == "bfloat16":
        _check_array_alone(network, on_it, array, depthwise_forms(on_it), why)
        return array, "aie, which alone multiplies bfloat16"
    if not array or network.spec.engine != "auto":
        return array, why
    taken = on_aie.on_array_of(on_it)
    names = {*forms, *(p.layer for p in taken)}
    held = [s.layer in names for s in on_it]
    starts = issues_cost(array.device, array.sequencer, programs=runs(held), layers=sum(held)).total_us
    aie = (sum(array_cost(s, array, ARRAY_BATCH).total_us for s in taken) + starts) / ARRAY_BATCH
    why = _faster(aie, taken, steps, engine, ARRAY_BATCH if spatial else BATCH)
    return (array if why.startswith("aie") else None), why


def _built(most: int, builder: Callable[..., Builder]) -> tuple[Builder, int]:
    """Return what builds for as many images at a time as memory holds, `most` at most, built, and that number."""
    one = builder(images=1)
    one.build()
    image = allocated(one.lifetimes(1))[1]
    batch = max(1, min(most, MOST_MEMORY // max(1, image)))
    made = builder(images=batch)
    made.build()
    return made, batch


def _staying(
    network: Network, board: Board, steps: tuple[Step, ...], forms: Mapping[str, VectorForm], element: str
) -> OnChip | str:
    """Return how a network runs with its tensors on the chip, or why it does not."""
    if network.spec.sized.tensors == "memory":
        return "network.yaml says tensors: memory"
    if network.spec.engine == "pl" or not isinstance(board, Device) or element != "int8":
        return (
            "no products are on the array"
            if network.spec.engine == "pl"
            else f"rows keep int8 alone, not {element}"
        )
    return on_chip(steps, forms, network, board)


def _of_rows(network: Network, steps: tuple[Step, ...], stays: OnChip, reason: str) -> Plan:
    """Return the plan of a network whose tensors stay in the stores of the array's rows."""
    spec, engine = network.spec, _beside(stays.rows.device, "int8")[0]
    shapes = {(la.name, p.name): p.shape for la in network.layers for p in la.parameters}
    made = RowBuilder(steps, engine, forms=stays.forms, shapes=shapes, rows=stays.rows, count=stays.count)
    made.build()
    places, memory = within_reach(made, stays.batch, spec)
    design = InTurn(
        element="int8",
        engine=engine,
        array=stays.rows,
        staying=stays.rows,
        reason=reason,
        memory_bytes=memory,
        weights_bytes=made.weights_bytes,
        steps=steps,
        forms=stays.forms,
    )
    turns = placed(made, places)
    return plan_of(design, spec.name, _ends(network), batch=stays.batch, turns=turns, costs=stays.costs)


def _array_of(
    network: Network, board: Board, steps: tuple[Step, ...], element: Element, spatial: SpatialStep | None
) -> tuple[ArrayEngine | None, str]:
    """Return the engine on the array that a network may have, and why not where it may have none.

    Raises:
        CannotFit: the user wants one, and the board has no room.
    """
    products = on_aie.on_array_of(steps)
    spec = network.spec
    if spec.engine == "pl":
        return None, "pl, as network.yaml says"
    if not isinstance(board, Device) or not products or not modes(board, DTYPES[element]):
        lacks = f"does not multiply {element}" if isinstance(board, Device) else "has no array"
        if spec.engine == "aie":
            text = f"engine: aie: the array of {board.name} {lacks}, or no layer is a product"
            raise CannotFit(spec.source.problem("sequential-1", ("engine",), text, "leave engine: out"))
        return None, ""
    try:
        room = spatial.leaves if spatial else board
        array = solve_array(
            room,
            products,
            ARRAY_BATCH,
            element,
            sized=spec.sized,
            sequencer=spec.sequencer,
            row_units=element != "int8" and any(p.heads for p in products_of(steps)),
        )
        _check_ways(spatial, array)
        return array, "aie, as network.yaml says"
    except CannotFit as e:
        if spec.engine == "aie":
            raise
        return None, f"pl, since {e.problems[0].text}"


def _check_ways(spatial: SpatialStep | None, array: ArrayEngine) -> None:
    """Refuse an engine whose graph, or its streams, cannot stand beside those of layers with cores of their own.

    Raises:
        CannotFit: they have one name, or streams find no ways.
    """
    if not (spatial and array.gemm):
        return
    own, other = spatial.plan, array.gemm.array
    if own.graph_name == other.graph_name:
        text = f"both graphs would be called {own.graph_name}"
        raise CannotFit(Problem(rule="hybrid-1", text=text, remedy="give the project another name"))
    if spatial.crosses(other):
        text = f"the engine's streams and those of {', '.join(spatial.layers)} find no ways through the array's switches"
        raise CannotFit(Problem(rule="hybrid-1", text=text, remedy="use engine: pl, or a smaller grid"))


def _check_array_alone(
    network: Network,
    steps: tuple[Step, ...],
    array: ArrayEngine | None,
    forms: Mapping[str, VectorForm],
    why: str,
) -> None:
    """Refuse products in bfloat16 that neither the array nor, by `forms`, a vector unit takes: nothing else multiplies it.

    Raises:
        CannotFit: there are such.
    """
    left = [
        p.layer for p in products_of(steps) if not (array and on_aie.on_array(p)) and p.layer not in forms
    ]
    if left or not array:
        names = ", ".join(left) or "all"
        text = f"bfloat16 is multiplied on an array of AIE-ML alone, and of the products it does not take: {names}"
        remedy = "give them engine: ps, or use int8 or float32"
        raise CannotFit(
            network.spec.source.problem(
                "sequential-1", ("quantize",), f"{text}; {why}" if why else text, remedy
            )
        )


def _in_order(steps: tuple[Step, ...], array: ArrayEngine) -> tuple[Step, ...]:
    """Return the steps with the order in which the array adds floats; sums of integers are the same in any."""
    if array.element == "int8":
        return steps
    order = AddOrder(parts=array.parts, depth=array.depth)
    return tuple(replace(p, order=order) if (p := s.product) and on_aie.on_array(p) else s for s in steps)


def _beside(
    board: Board,
    element: Element,
    *others: VectorUnit | ArrayEngine | RowUnit | RecurrentUnit | SpatialStep | None,
    block: tuple[int, int] | None = None,
    rooms: Sequence[LogicRoom] = (),
) -> tuple[ConvEngine, ...]:
    """Return the engines in the logic for which there is room beside others, that of most products a cycle first."""
    there = [u for u in others if u]
    return solve_engines(
        board,
        "float32" if element == "bfloat16" else element,  # which it does not multiply: it is not made then
        beside_dsp=sum(u.dsp for u in there),
        beside_lut=sum(u.lut for u in there),
        beside_bram=sum(u.bram for u in there),
        block=block,
        rooms=rooms,
    )


def _vectors(
    steps: tuple[Step, ...], forms: Mapping[str, VectorForm], array: ArrayEngine, board: Board
) -> tuple[dict[str, VectorForm], VectorUnit | None]:
    """Return what vector units take of the layers beside the array, depthwise ones where there is room, and the units."""
    plain = {s.layer: forms[s.layer] for s in steps if s.layer in forms}
    depthwise = depthwise_forms(steps)
    adds = any(form.operation is Operation.ADD for form in plain.values())
    unit = replace(vector_unit(board, array.element), adds=adds, weighted=bool(depthwise))
    found = _units(unit, steps, plain | depthwise, array) if plain or depthwise else None
    if found or not depthwise:
        return plain | depthwise, found
    return plain, _units(replace(unit, weighted=False), steps, plain, array) if plain else None


def _engines(
    network: Network,
    steps: tuple[Step, ...],
    forms: Mapping[str, VectorForm],
    board: Board,
    element: Element,
    *,
    array: ArrayEngine | None,
    unit: VectorUnit | None,
    recurrent: RecurrentUnit | None,
    spatial: SpatialStep | None,
) -> Engines:
    """Return the vector units, row units, and where it is needed the engine in the logic, that together take least time.

    Without an array the vector unit is as wide as makes it and the engine, which has the rest of the logic, take least time.
    Beside one there are as many as leave row units room.

    Raises:
        CannotFit: the board has no room for the engine.
    """
    needed = not array or not all(p.layer in forms or on_aie.on_array(p) for p in products_of(steps))

    def made(row_unit: RowUnit | None, width: VectorUnit | None, room: LogicRoom) -> list[Engines]:
        beside = (width, array, row_unit, spatial, recurrent) if needed else ()
        solved = _beside(board, element, *beside, block=network.spec.sized.block, rooms=(room,))
        return [
            Engines(engine=engine, unit=width, array=array, row_unit=row_unit, recurrent=recurrent)
            for engine in (solved if needed else solved[:1])
        ]

    def beside(width: VectorUnit | None) -> list[RowUnit | None]:
        others = tuple(u for u in (array, width, spatial, recurrent) if u)
        masters = (
            on_aie.masters_of(board) - sum(u.masters for u in others) - (MASTERS if needed and array else 0)
        )
        return _row_units(steps, others, board, network.spec, element, array=array, masters=masters)

    widths: Sequence[VectorUnit | None] = vector_units(board, element) if unit else (None,)
    pairs = [*product(beside(widths[-1]), widths)]
    if unit and array:
        each = [replace(unit, units=n) for n in UNITS if n <= unit.units]
        pairs = [(row_unit, width) for width in each for row_unit in beside(width)]
    found, refused = list[Engines](), None
    for room in board.rooms:  # beyond the margin only where nothing is within it
        for row_unit, width in pairs if not found else ():
            try:
                found += made(row_unit, width, room)
            except CannotFit as e:
                refused = e
    if refused and not found:
        raise refused
    return min(found, key=lambda e: sum(c.total_us for c in step_costs(steps, e, forms, network, BATCH)))


def _row_units(
    steps: tuple[Step, ...],
    others: tuple[VectorUnit | ArrayEngine | RecurrentUnit | SpatialStep, ...],
    board: Board,
    spec: NetworkSpec,
    element: Element,
    *,
    array: ArrayEngine | None,
    masters: float,
) -> list[RowUnit | None]:
    """Return the row units beside an array and other units; beside an engine in the logic one, of each width.

    `masters` of the network on chip are left for them.

    Raises:
        CannotFit: there is no room for one.
    """
    ones = unit_widths(steps, board, element)
    if not ones:
        return [None]
    for whole in map(Budget.of, board.rooms):
        room = replace(
            whole,
            dsp=whole.dsp - sum(u.dsp for u in others),
            lut=whole.lut - sum(u.lut for u in others),
            bram=whole.bram - sum(u.bram for u in others),
        )
        if array:
            many = fitted(ones, room, masters)
            found = [many] if many else []
        else:
            found = [*fitting(ones, room)]
        if found:
            return [*found]
    raise no_unit(ones, board, room, masters, spec)


def _units(
    unit: VectorUnit, steps: tuple[Step, ...], forms: Mapping[str, VectorForm], array: ArrayEngine
) -> VectorUnit | None:
    """Return the fewest vector units side by side of those for which there is room and that take about the least time.

    A start is counted too, so that units which wait for it most of the time are not made more.
    """
    board = array.device
    mhz = board.clocks.default_pl_mhz

    def total(many: VectorUnit) -> float:
        layers = [s for s in steps if s.layer in forms]
        costs = (
            vector_cost(
                s,
                form=forms[s.layer],
                unit=many,
                board=board,
                mhz=mhz,
                batch=ARRAY_BATCH,
                start_us=0.0,
            )
            for s in layers
        )
        return sum(cost.total_us for cost in costs) + board.processor.kernel_start_us

    room, _ = board.rooms
    found = [replace(unit, units=n) for n in UNITS]
    masters = on_aie.masters_of(board) - array.masters - ROW_MASTERS  # rows of floats are found later
    held = [
        u
        for u in found
        if u.dsp + array.dsp <= room.dsp and u.lut + array.lut <= room.lut and u.masters <= masters
    ]
    enough = ABOUT * min(map(total, held), default=0.0)
    return next((u for u in held if total(u) <= enough), None)


def _faster(
    aie: float, taken: tuple[ConvStep, ...], steps: tuple[Step, ...], engine: ConvEngine, batch: int
) -> str:
    """Say which of two engines is the faster by the model, for the products that the array takes, in `aie` us an image."""
    names = {s.layer for s in taken}
    pl = sum(conv_cost(p, engine, batch).total_us for p in products_of(steps) if p.layer in names) / batch
    said = f"{duration(aie)} an image on the array, {duration(pl)} in the logic (modelled)"
    return f"{'aie' if aie < pl else 'pl'}, since products take {said}"
