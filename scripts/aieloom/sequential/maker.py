"""Layers in turn as a way to compute a whole network, and the engines that a search chooses among.

The batch trades the rate, for which images share loads of weights, for the time until results are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aieloom.makers import Maker
from aieloom.network.layers import Network
from aieloom.report.shape import FurtherFigures, Stage
from aieloom.sequential.array import GRIDS
from aieloom.sequential.cost import MODEL
from aieloom.sequential.emit import output_names, render
from aieloom.sequential.engine import BLOCKS
from aieloom.sequential.listing import weights_of
from aieloom.sequential.onchip.engine import GRIDS as ROW_GRIDS
from aieloom.sequential.plan import engines_of
from aieloom.sequential.planning import plan_sequential
from aieloom.sequential.reference import evaluated
from aieloom.sequential.remarks import bytes_per_image, costed, energy, latency_us, leaves_out, on
from aieloom.sequential.told import why
from aieloom.spec.board import Board
from aieloom.spec.device import Device
from aieloom.spec.network import NetworkSpec
from aieloom.units.plan import Choices, Plan, Settings, interval_us, time_by_cause

BATCHES = (1, 2, 4, 8, 16)
AGAINST = {
    "int8": "the integers' definition in NumPy",
    "float32": "NumPy in the engine's order of accumulation, float32",
    "bfloat16": "NumPy, bfloat16 products summed in float32 in the engine's order of accumulation",
}


def choices(network: Network, board: Board) -> Choices:
    """Yield each kind of engine, with each of its sizes, and these with other batches; all with what network.yaml says."""
    for kind, sizes in _kinds(network.spec, board):
        if (yield {"engine": kind}) is None:  # no size helps
            continue
        for size in sizes:
            plan = yield {"engine": size}
            if plan and network.spec.sized.batch is None:
                staying = engines_of(plan).staying
                rows = staying.rows if staying else 1  # each of which owns images
                others = (b * rows for b in BATCHES if b * rows != plan.schedule.batch)
                for batch in others:
                    yield {"engine": {**size, "batch": batch}}


def _kinds(spec: NetworkSpec, board: Board) -> Iterator[tuple[Settings, Sequence[Settings]]]:
    """Yield each kind of engine without a size, and the sizes that are looked at; where: auto leaves the place open."""
    keys = spec.sized.model_dump(exclude_none=True)
    fixed = {key: value for key, value in keys.items() if (key, value) != ("where", "auto")}
    kinds: list[tuple[Settings, str, Sequence[object]]] = [({"where": "pl"}, "block", BLOCKS)]
    if isinstance(board, Device):
        kinds.append(({"where": "aie", "tensors": "chip"}, "grid", ROW_GRIDS))
        kinds.append(({"where": "aie", "tensors": "memory"}, "grid", GRIDS))
    for kind, key, sizes in kinds:
        if all(kind.get(other) in (None, value) for other, value in fixed.items()):
            found = [{**kind, key: size, **fixed} for size in sizes]
            yield {**kind, **fixed}, [size for i, size in enumerate(found) if size not in found[:i]]


def said(plan: Plan) -> Settings:
    """Return the engine as network.yaml has it."""
    design, batch = engines_of(plan), plan.schedule.batch
    execution = {"spatial": [*design.spatial.layers]} if design.spatial else "sequential"
    if design.array is None:
        block = (design.engine.pixels, design.engine.out)
        return {"execution": execution, "engine": {"where": "pl", "block": block, "batch": batch}}
    engine = {
        "where": "aie",
        "grid": design.array.grid,
        "depth": design.array.depth,
        "tensors": "chip" if design.staying else "memory",
        "batch": batch,
    }
    return {"execution": execution, "engine": engine}


def _stages(plan: Plan) -> list[Stage]:
    design = engines_of(plan)
    macs = {s.layer: s.products for s in design.steps}
    return [
        {
            "name": turn.name,
            "op": turn.op,
            "on": on(turn),
            "us_per_image": round(turn.total_us, 3),
            "bound_by": turn.bound,
            "bytes_per_image": round(turn.bytes),
            "macs": macs.get(turn.name, 0) if turn.tasks else 0,
            "weights_bytes": weights_of(turn.record),
        }
        for turn in costed(plan)
    ]


def _further(plan: Plan) -> FurtherFigures:
    design = engines_of(plan)
    peak = design.array.peak_gops if design.array else 0.0
    share = 2e-3 * design.macs / interval_us(plan) / peak if peak else 0.0
    return {
        "images_of_a_batch": plan.schedule.batch,
        "leaves_out": list(leaves_out(plan)),
        "us_by_cause": {what: round(us, 3) for what, us in time_by_cause(plan).items()},
        "memory_bytes_per_image": round(bytes_per_image(plan)),
        "weights_bytes": design.weights_bytes,
        "share_of_peak": round(share, 6),
    }


MAKER = Maker(
    name="sequential",
    how="layer by layer",
    model=MODEL,
    plan=plan_sequential,
    render=render,
    evaluated=lambda plan, parameters, x: evaluated(engines_of(plan).steps, parameters, x),
    names=output_names,
    against=lambda plan: AGAINST[engines_of(plan).element],
    latency_us=latency_us,
    bottleneck=lambda plan: next(iter(time_by_cause(plan)), "nothing"),
    stages=_stages,
    why=why,
    further=_further,
    energy=energy,
    choices=choices,
    said=said,
    kept=lambda plan: {"spatial": engines_of(plan).spatial},
    types=("float32", "bfloat16", "int8"),
)
