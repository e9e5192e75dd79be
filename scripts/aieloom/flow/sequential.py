"""Networks that run layer by layer on one engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from aieloom.errors import Problem, SpecError
from aieloom.flow.emulated import EmulatedDesign
from aieloom.flow.project import SequentialProject
from aieloom.flow.work import Work
from aieloom.report.site import SUMMARY
from aieloom.sequential.cost import MODEL
from aieloom.sequential.emit import (
    COMMANDS,
    WEIGHTS,
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
}


def design_of(project: SequentialProject) -> EmulatedDesign:
    """Return the project's design."""
    plan = project.plan
    return EmulatedDesign(
        project=project,
        how="layer by layer",
        kernels=kernel_sources(plan),
        program_name=program_name(plan),
        beside=(COMMANDS, WEIGHTS),
        device=plan.array.device if plan.array else None,
        sources=output_names(plan),
        render=lambda: render(plan, project.parameters),
        reference=lambda x: reference(plan.steps, project.parameters, x),
        against=AGAINST[plan.engine.element],
        pl={"produced_by": "model of the engines and movers", **plan.logic_use},
        performance=lambda: _performance(plan),
    )


def work_of(project: SequentialProject) -> Work:
    """Return what the tasks of such a project do."""
    return replace(
        design_of(project).work(),
        report=lambda other: write_report(project, other),
        reports=(SUMMARY, *files_of(project.plan)),
    )


def write_report(project: SequentialProject, compare: Path | None = None) -> None:
    """Write summary.json and the page of the last run.

    Raises:
        SpecError: there was no run yet, or the user wants another design beside it.
    """
    if compare:
        text = f"compare={compare}: pages of networks that run layer by layer stand alone"
        remedy = "leave compare out, and compare both folders' summary.json"
        raise SpecError(Problem(rule="option", text=text, remedy=remedy))
    design_of(project).write_summary()
    write_page(project.plan, project.build / "report")


def _performance(plan: SequentialPlan) -> dict[str, Any]:
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
