"""Designs without an array: products on the matrix engine in the logic, other layers on the processor."""

from __future__ import annotations

from dataclasses import asdict
from typing import cast

from aieloom.flow.emulated import EmulatedDesign, checked
from aieloom.flow.project import LogicProject
from aieloom.matrix_engine.emit import SOURCE
from aieloom.matrix_engine.emit_network import output_names, program_name, render
from aieloom.matrix_engine.engine import MODEL
from aieloom.matrix_engine.network import LogicPlan, reference
from aieloom.report.shape import Performance, Stage


def design_of(project: LogicProject) -> EmulatedDesign:
    """Return the project's design."""
    plan, block = project.plan, project.plan.engine.block
    return EmulatedDesign(
        project=project,
        how="its products on the matrix engine",
        kernels=(SOURCE,),
        program_name=program_name(plan),
        sources=output_names(plan),
        render=lambda: render(plan, project.parameters),
        reference=lambda x: reference(plan, project.parameters, x),
        against=f"NumPy in the engine's order of accumulation, {plan.engine.element}",
        pl={
            "produced_by": "the solved block",
            "dsp": block.dsp,
            "lut": block.lut,
            "ff": block.ff,
            "bram36": block.bram,
            "uram288": 0,
        },
        performance=lambda: _performance(plan),
        checked=lambda: checked(
            project,
            "products on the matrix engine",
            performance=_performance(plan),
            used={"DSP slices": (block.dsp, plan.engine.board.logic.dsp)},
        ),
        board=plan.engine.board,
        clock_mhz=plan.engine.clock_mhz,
    )


def _performance(plan: LogicPlan) -> Performance:
    stages = {s.layer: s.cost.total_us for s in plan.products} | {"the processor's layers": plan.processor_us}
    return {
        "produced_by": MODEL,
        "kind": "modelled, not measured",
        "latency_us": round(plan.interval_us, 3),
        "throughput_fps": round(1e6 / plan.interval_us, 1),
        "bottleneck": max(stages, key=lambda name: stages[name]),
        "per_layer": [cast(Stage, {"name": s.layer, **asdict(s.cost)}) for s in plan.products],
    }
