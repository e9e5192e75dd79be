"""Networks that run layer by layer on one engine."""

from __future__ import annotations

from typing import cast

from aieloom.flow.designs import Checked
from aieloom.flow.emulated import EmulatedDesign, checked
from aieloom.flow.in_turn import layer_in_turn
from aieloom.flow.project import SequentialProject
from aieloom.report.shape import LogicFigures, Performance
from aieloom.report.summary import energy_json
from aieloom.sequential.array import MOVER_MHZ
from aieloom.sequential.cost import MODEL
from aieloom.sequential.emit import (
    COMMANDS,
    WEIGHTS,
    graph_kernels,
    kernel_sources,
    output_names,
    program_name,
    render,
)
from aieloom.sequential.page import files_of, write_page
from aieloom.sequential.plan import SequentialPlan
from aieloom.sequential.reference import reference

AGAINST = {
    "int8": "the integers' definition in NumPy",
    "float32": "NumPy in the engine's order of accumulation, float32",
    "bfloat16": "NumPy, bfloat16 products summed in float32 in the engine's order of accumulation",
}


def design_of(project: SequentialProject) -> EmulatedDesign:
    """Return the project's design."""
    plan = project.plan
    return EmulatedDesign(
        project=project,
        how="layer by layer"
        if plan.spatial is None
        else "with layers on cores of their own and others in turn",
        kernels=kernel_sources(plan),
        program_name=program_name(plan),
        beside=(COMMANDS, WEIGHTS),
        device=plan.spatial.plan.device if plan.spatial else plan.array.device if plan.array else None,
        arrays=tuple(
            part
            for part in (
                plan.array.gemm.array if plan.array and plan.array.gemm else None,
                plan.spatial.plan if plan.spatial else None,
            )
            if part
        ),
        cores=graph_kernels(plan),
        together=plan.staying.rows if plan.staying else 1,
        sources=output_names(plan),
        render=lambda: render(plan, project.parameters),
        reference=lambda x: reference(plan.steps, project.parameters, x),
        against=AGAINST[plan.element],
        pl=cast(LogicFigures, {"produced_by": "model of the engines and movers", **plan.logic_use}),
        performance=lambda: _performance(plan),
        checked=lambda: _checked(project),
        board=plan.engine.board,
        clock_mhz=MOVER_MHZ if plan.array else plan.engine.clock_mhz,
        register_mhz=_register_mhz(plan),
        pages=lambda: write_page(plan, project.build / "report"),
        page_files=files_of(plan),
        layer_alone=lambda name: layer_in_turn(project, name),
    )


def _register_mhz(plan: SequentialPlan) -> float | None:
    """Return above which clock streams need registers into the array, where the compiler's default does not do."""
    if not plan.array or not plan.array.gemm:
        return None
    asked = plan.array.gemm.array.register_mhz
    return None if asked == plan.array.device.register_thresholds[0] else asked


def _performance(plan: SequentialPlan) -> Performance:
    times = plan.time_by_cause()
    return {
        "produced_by": MODEL,
        "kind": "modelled, not measured",
        "latency_us": round(plan.latency_us, 3),
        "throughput_fps": round(1e6 / plan.interval_us, 2),
        "images_of_a_batch": plan.batch,
        "bottleneck": next(iter(times)),
        "leaves_out": list(plan.leaves_out),
        "us_by_cause": {what: round(us, 3) for what, us in times.items()},
        "memory_bytes_per_image": round(plan.bytes_per_image),
        **energy_json(plan.energy),
        "per_layer": [
            {
                "name": s.layer,
                "op": s.op,
                "on": s.on,
                "us_per_image": round(s.total_us / plan.batch, 3),
                "bound_by": s.bound,
                "bytes_per_image": round(s.bytes / plan.batch),
            }
            for s in plan.costs
        ],
    }


def _checked(project: SequentialProject) -> Checked:
    plan = project.plan
    logic, use = plan.engine.board.logic, plan.logic_use
    used = {
        "DSP slices": (use["dsp"], logic.dsp),
        "LUTs": (use["lut"], logic.lut),
        "block RAMs": (use["bram36"], logic.bram36),
    }
    if logic.uram288:
        used["UltraRAM blocks"] = (use["uram288"], logic.uram288)
    rate = 1e6 / plan.interval_us
    return checked(
        project,
        "layer by layer",
        rates=(f"throughput {rate:,.1f} images/s with the host program (modelled)",),
        performance={"throughput_fps": rate, "us_by_cause": plan.time_by_cause()},
        used=used,
    )
