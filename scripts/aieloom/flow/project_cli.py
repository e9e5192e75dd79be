"""The commands `aieloom check`, `plan` and `report`: a project's design rules, its plan, its last run's report."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from aieloom import messages
from aieloom.advice.partition import partition_lines
from aieloom.cost.of_plan import modelled_rates
from aieloom.flow.project import FILE, Project, as_json, home_of, no_project, open_project
from aieloom.lock import held
from aieloom.plan.rates import rate_lines


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands to the command line."""
    _project_command(commands, "check", _check, "check a project's network.yaml, weights and design rules")
    _project_command(commands, "plan", _plan, "print the plan as JSON")
    _project_command(
        commands, "sim", _sim, "generate, compile, run in the emulator, compare: what `doit sim` does"
    )
    report = _project_command(commands, "report", _report, "write the report of the last run again")
    report.add_argument(
        "--compare", type=Path, metavar="DIR", help="build folder of another design to set beside it"
    )


def _project_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    command: Callable[[argparse.Namespace], int],
    text: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text)
    parser.add_argument(
        "project",
        type=Path,
        nargs="?",
        default=Path(),
        metavar="FOLDER",
        help="the project's folder, or its network.yaml (default: this folder)",
    )
    parser.add_argument("--target", help="the board, instead of the file's")
    parser.add_argument("--weights", type=Path, help="trained tensors, instead of the file's")
    parser.set_defaults(command=command)
    return parser


def _open(options: argparse.Namespace) -> Project:
    home = home_of(options.project)
    return open_project(options.project, target=options.target, weights=options.weights, build=home / "build")


def _sim(options: argparse.Namespace) -> int:
    """Do what `doit sim` does, with a dodo.py or without."""
    from aieloom.flow.run_tasks import main  # noqa: PLC0415  (doit, which the others do without)

    if not (options.project / FILE).is_file() and not options.project.is_file():
        raise no_project(options.project)
    said = {"target": options.target, "weights": options.weights and options.weights.absolute()}
    said["quiet"] = "1" if options.quiet else None
    folder = options.project if options.project.is_dir() else options.project.parent
    home = home_of(folder)
    words = ["sim", f"project={folder.absolute()}"] if home != folder.absolute() else ["sim"]
    return main([str(home), *words, *(f"{key}={value}" for key, value in said.items() if value)])


def _check(options: argparse.Namespace) -> int:
    project = _open(options)
    for line in project.weights_notes:
        messages.progress().print(line, markup=False)
    plan, out = project.plan, messages.console()
    _ = project.parameters  # reads and matches the weights
    out.print(
        f"{project.name} on {project.target}: {plan.x} to {plan.y}, {plan.cores} cores, {plan.tiles_in_use} tiles"
    )
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


def _plan(options: argparse.Namespace) -> int:
    print(json.dumps(as_json(_open(options).plan), indent=1))
    return 0


def _report(options: argparse.Namespace) -> int:
    from aieloom.report.site import write_report  # noqa: PLC0415  (templates and pictures, which the others do without)

    project = _open(options)
    with held(project.build):
        write_report(project.plan, project.build / "report", compare=options.compare)
    print(project.build / "report" / "index.html")
    return 0
