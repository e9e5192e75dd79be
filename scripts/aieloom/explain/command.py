"""The commands `aieloom explain`, `suggest` and `watch`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from aieloom import answer, messages, progress
from aieloom.explain.layer import HOST, explain
from aieloom.explain.sequential import explain_step
from aieloom.explain.suggest import suggest, suggestion_lines
from aieloom.explain.task import explain_task
from aieloom.flow.designs import Design, design_of
from aieloom.flow.opening import open_any, open_project
from aieloom.flow.project import Project, find_project, say_followed, sought
from aieloom.flow.watch import Watch
from aieloom.units.plan import ahead_us, time_by_cause

# What explains a layer of a design, by its project's home.
EXPLAINED: Mapping[str, Callable[[Any, str], Iterator[str]]] = {
    "array": explain,
    "sequential": explain_step,
}


def chosen_folder(options: argparse.Namespace) -> Path:
    """Return the project's folder that a command line names: a folder, a name below projects/, or this folder."""
    return find_project(options.project, Path.cwd())


def watch(options: argparse.Namespace) -> int:
    """Run again on every save."""
    out = messages.console()
    watched = Watch(
        folder=chosen_folder(options),
        root=Path.cwd(),
        target=options.target,
        say=lambda line: out.print(line, markup=False),
    )
    return watched.run(options.runs)


def chosen_project(options: argparse.Namespace) -> Project:
    """Open the project that a command line names: a folder, a name below projects/, or the one of this folder."""
    project = open_project(chosen_folder(options), target=options.target)
    say_followed(project, *sought(options.project, Path.cwd()))
    return project


def show_explain(options: argparse.Namespace) -> int:
    """Print why a layer's plan is as it is."""
    project = open_any(chosen_folder(options), target=options.target)
    say_followed(project, *sought(options.project, Path.cwd()))
    of_host = options.layer == HOST and project.home != "array"
    way = EXPLAINED.get(project.home, explain_task)
    lines = list(host_lines(design_of(project)) if of_host else way(project, options.layer))
    answer.give(layer=options.layer, lines=lines)
    messages.console().print("\n".join(lines), markup=False)
    return 0


def host_lines(design: Design) -> Iterator[str]:
    """Yield what is known of the host program's part in a design's time."""
    yield f"host of {design}"
    yield from (f"  {us:,.3f} us of an image: {what}" for what, us in time_by_cause(design.plan).items())
    ahead = ahead_us(design.plan)
    yield from [f"  {ahead:,.3f} us meanwhile: the next images are laid out"] if ahead else []


def show_suggest(options: argparse.Namespace) -> int:
    """Print mappings near a layer's present one that are better."""
    project = chosen_project(options)
    with progress.working(f"planning what is near {options.layer}"):
        found = suggest(project, options.layer)
        lines = list(suggestion_lines(project, found))
    answer.give(advice=found)
    messages.console().print("\n".join(lines), markup=False)
    return 0
