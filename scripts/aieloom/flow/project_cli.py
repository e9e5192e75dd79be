"""The commands `aieloom check`, `plan`, `sim`, `report` and `components` of a project."""

from __future__ import annotations

import argparse
import json

from aieloom import answer, messages
from aieloom.errors import AieloomError
from aieloom.flow.designs import design_of
from aieloom.flow.opening import open_any
from aieloom.flow.project import (
    FILE,
    Project,
    home_of,
    no_project,
    plan_of,
    say_followed,
)
from aieloom.lock import held


def _open(options: argparse.Namespace) -> Project:
    home = home_of(options.project)
    project = open_any(options.project, target=options.target, weights=options.weights, build=home / "build")
    say_followed(project)
    return project


def sim(options: argparse.Namespace) -> int:
    """Generate, compile, run and compare: what `doit sim` does, with a dodo.py or without."""
    from aieloom.flow.tasks import main  # noqa: PLC0415  (doit, which the others do without)

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
    from aieloom.report.files import read_summary  # noqa: PLC0415

    try:
        folder = _open(options).build / "report"
        answer.give(report=folder / "index.html", summary=read_summary(folder))
    except AieloomError as e:
        answer.blame(e)


def check(options: argparse.Namespace) -> int:
    """Print what a project's design is, its rates, and every design rule with its numbers."""
    project = _open(options)
    for line in project.weights_notes:
        messages.note(line)
    _ = project.parameters  # reads and matches the weights
    found = design_of(project).checked()
    answer.give(project=project.name, target=project.target, **found.values)
    for line in found.lines:
        messages.say(line)
    return 0


def plan(options: argparse.Namespace) -> int:
    """Print the plan as JSON."""
    made = plan_of(_open(options))
    answer.give(plan=made)
    print(json.dumps(made, indent=1))
    return 0


def report(options: argparse.Namespace) -> int:
    """Write the report of the last run again."""
    from aieloom.report.files import read_summary  # noqa: PLC0415

    project = _open(options)
    design = design_of(project)
    with held(project.build):
        design.write_report(options.compare)
    folder = project.build / "report"
    answer.give(report=folder / "index.html", summary=read_summary(folder))
    print(folder / "index.html")
    return 0


def components(options: argparse.Namespace) -> int:
    """Write each PL kernel as an HLS component with a test bench."""
    from aieloom.flow.components import write_components  # noqa: PLC0415 - builds, as others do not

    made = [str(path) for path in write_components(design_of(_open(options)), options.layer)]
    for path in made:
        messages.say(f"aieloom csim {path}")
    answer.give(components=made)
    return 0
