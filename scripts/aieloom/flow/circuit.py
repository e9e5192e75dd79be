"""Networks that are one circuit in the logic."""

from __future__ import annotations

from aieloom.circuit.emit import SOURCE, output_names, program_name, render
from aieloom.circuit.plan import MODEL, CircuitPlan
from aieloom.flow.designs import Checked
from aieloom.flow.emulated import EmulatedDesign, checked
from aieloom.flow.project import CircuitProject
from aieloom.report.shape import Performance
from aieloom.sequential.reference import reference


def design_of(project: CircuitProject) -> EmulatedDesign:
    """Return the project's design."""
    plan = project.plan
    return EmulatedDesign(
        project=project,
        how="as one circuit",
        kernels=(SOURCE,),
        program_name=program_name(plan),
        sources=output_names(plan),
        render=lambda: render(plan, project.parameters),
        reference=lambda x: reference(plan.steps, project.parameters, x),
        against="the integers' definition in NumPy",
        pl={
            "produced_by": MODEL,
            "dsp": plan.dsp,
            "lut": plan.lut,
            "ff": plan.ff,
            "bram36": plan.bram,
            "uram288": 0,
        },
        performance=lambda: _performance(plan),
        checked=lambda: _checked(project),
        board=plan.board,
        clock_mhz=plan.clock_mhz,
    )


def _performance(plan: CircuitPlan) -> Performance:
    mhz = plan.clock_mhz
    return {
        "produced_by": MODEL,
        "kind": "modelled, not measured",
        "latency_us": round(plan.latency_cycles / mhz, 3),
        "throughput_fps": round(1e6 / plan.interval_us, 1),
        "circuit_fps": round(mhz * 1e6 / plan.interval_cycles, 1),
        "bottleneck": plan.bottleneck,
        "per_layer": [
            {"name": s.layer, "op": s.op, "cycles": s.cycles, "lanes": s.lanes, "depth": s.depth}
            for s in plan.stages
        ],
    }


def _checked(project: CircuitProject) -> Checked:
    plan, logic = project.plan, project.plan.board.logic
    return checked(
        project,
        "one circuit in the logic",
        performance={
            "throughput_fps": 1e6 / plan.interval_us,
            "latency_us": plan.latency_cycles / plan.clock_mhz,
        },
        used={
            "DSP slices": (plan.dsp, logic.dsp),
            "LUTs": (plan.lut, logic.lut),
        },
    )
