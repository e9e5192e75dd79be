"""The commands `aieloom check`, `plan` and `report`: a project's design rules, its plan, its last run's report."""

from __future__ import annotations

import argparse
import json

from aieloom import answer, messages
from aieloom.emit.plan_json import as_json
from aieloom.errors import AieloomError, SpecError
from aieloom.flow.opening import open_either
from aieloom.flow.project import (
    FILE,
    CircuitProject,
    Project,
    SequentialProject,
    home_of,
    no_project,
    say_followed,
)
from aieloom.lock import held
from aieloom.plan.rates import rate_lines
from aieloom.report.partition import partition_lines
from aieloom.report.summary import performance, resources
from aieloom.simulation.of_plan import modelled_rates


def _open(options: argparse.Namespace) -> Project | SequentialProject | CircuitProject:
    home = home_of(options.project)
    project = open_either(
        options.project, target=options.target, weights=options.weights, build=home / "build"
    )
    say_followed(project)
    return project


def sim(options: argparse.Namespace) -> int:
    """Generate, compile, run and compare: what `doit sim` does, with a dodo.py or without."""
    from aieloom.flow.run_tasks import main  # noqa: PLC0415  (doit, which the others do without)

    if not (options.project / FILE).is_file() and not options.project.is_file():
        raise no_project(options.project)
    said = {"target": options.target, "weights": options.weights and options.weights.absolute()}
    said["quiet"] = "1" if options.quiet else None
    folder = options.project if options.project.is_dir() else options.project.parent
    home = home_of(folder)
    words = ["sim", f"project={folder.absolute()}"] if home != folder.absolute() else ["sim"]
    code = main([str(home), *words, *(f"{key}={value}" for key, value in said.items() if value)])
    if answer.wanted():
        _give_run(options)
    return code


def _give_run(options: argparse.Namespace) -> None:
    """Give what the run showed, or why there was none."""
    from aieloom.report.site import read_summary  # noqa: PLC0415

    try:
        folder = _open(options).build / "report"
        answer.give(report=folder / "index.html", summary=read_summary(folder))
    except AieloomError as e:
        answer.blame(e)


def check(options: argparse.Namespace) -> int:
    """Print what a project's design is, its rates, and every design rule with its numbers."""
    project = _open(options)
    for line in project.weights_notes:
        messages.progress().print(line, markup=False)
    out = messages.console()
    _ = project.parameters  # reads and matches the weights
    if isinstance(project, SequentialProject):
        _check_sequential(project)
        return 0
    if isinstance(project, CircuitProject):
        _check_circuit(project)
        return 0
    plan = project.plan
    modelled = performance(plan)
    answer.give(
        project=project.name,
        target=project.target,
        cores=plan.cores,
        tiles=plan.tiles_in_use,
        performance=modelled,
        resources=resources(plan),
        processor=list(partition_lines(plan)),
        checks=list(plan.checks),
    )
    out.print(
        f"{project.name} on {project.target}: {plan.x} to {plan.y}, {plan.cores} cores, {plan.tiles_in_use} tiles"
    )
    rate = f"{modelled['throughput_fps']:,.0f} images/s with movers and memory"
    out.print(f"  latency {modelled['latency_us']:,.1f} us, throughput {rate} (modelled)", markup=False)
    for line in rate_lines(modelled_rates(plan)):
        out.print(f"  modelled: {line}", markup=False)
    for line in partition_lines(plan):
        out.print(f"  {line}", markup=False)
    for line in plan.frame.why if plan.frame else ():
        out.print(f"  {line}", markup=False)
    for check in plan.checks:
        out.print(
            f"  {check.rule:<10} {check.what}: {check.used:g} of {check.limit:g} ({check.where})",
            markup=False,
        )
    return 0


def _check_circuit(project: CircuitProject) -> None:
    """Print what a circuit is, and how much of the board it takes."""
    plan, out = project.plan, messages.console()
    logic = plan.board.logic
    used = {"DSP slices": (plan.dsp, logic.dsp), "LUTs": (plan.lut, int(logic.lut * logic.usable_fraction))}
    answer.give(
        project=project.name,
        target=project.target,
        performance={
            "throughput_fps": 1e6 / plan.interval_us,
            "latency_us": plan.latency_cycles / plan.clock_mhz,
        },
        resources={what: n for what, (n, _) in used.items()},
    )
    out.print(
        f"{project.name} on {project.target}: {plan.x} to {plan.y}, one circuit in the logic", markup=False
    )
    for line in plan.lines():
        out.print(f"  {line}", markup=False)
    for what, (n, limit) in used.items():
        out.print(f"  {what}: {n:,} of {limit:,}", markup=False)


def _check_sequential(project: SequentialProject) -> None:
    """Print what such a design is, and how much of the board it takes; what does not fit was refused."""
    plan, out = project.plan, messages.console()
    logic, use = plan.engine.board.logic, plan.logic_use
    used = {
        "DSP slices": (use["dsp"], logic.dsp),
        "LUTs": (use["lut"], int(logic.lut * logic.usable_fraction)),
        "block RAMs": (use["bram36"], logic.bram36),
    }
    if logic.uram288:
        used["UltraRAM blocks"] = (use["uram288"], logic.uram288)
    answer.give(
        project=project.name,
        target=project.target,
        performance={"throughput_fps": 1e6 / plan.interval_us, "us_by_cause": plan.time_by_cause()},
        resources={what: n for what, (n, _) in used.items()},
    )
    out.print(f"{project.name} on {project.target}: {plan.x} to {plan.y}, layer by layer", markup=False)
    out.print(f"  throughput {1e6 / plan.interval_us:,.1f} images/s with the host program (modelled)")
    for line in plan.lines():
        out.print(f"  {line}", markup=False)
    for what, (n, limit) in used.items():
        out.print(f"  {what}: {n:,} of {limit:,}", markup=False)


def plan(options: argparse.Namespace) -> int:
    """Print the plan as JSON."""
    made = as_json(_open(options).plan)
    answer.give(plan=made)
    print(json.dumps(made, indent=1))
    return 0


def _no_page(project: CircuitProject) -> SpecError:
    source = project.network.spec.source
    text = f"there is no page of {project.name}, which is not on the array: no floor plan, no streams"
    remedy = f"read {project.build / 'report' / 'summary.json'}, which `doit sim` writes, or aieloom check"
    return SpecError(source.problem("sequential-3", ("execution",), text, remedy))


def report(options: argparse.Namespace) -> int:
    """Write the report of the last run again."""
    from aieloom.report.site import read_summary, write_report  # noqa: PLC0415  (templates and pictures, which the others do without)

    project = _open(options)
    if isinstance(project, CircuitProject):
        raise _no_page(project)
    with held(project.build):
        if isinstance(project, SequentialProject):
            from aieloom.flow.sequential import design_of  # noqa: PLC0415

            design_of(project).write_report(options.compare)
        else:
            write_report(project.plan, project.build / "report", compare=options.compare)
    answer.give(
        report=project.build / "report" / "index.html", summary=read_summary(project.build / "report")
    )
    print(project.build / "report" / "index.html")
    return 0
