"""The commands `aieloom explain`, `suggest` and `watch`."""

from __future__ import annotations

import argparse
from pathlib import Path

from aieloom import answer, messages, progress
from aieloom.explain.explain import explain
from aieloom.explain.suggest import suggest
from aieloom.flow.opening import open_any
from aieloom.flow.project import Project, find_project, say_followed, sought
from aieloom.flow.watch import Watch


def chosen_folder(options: argparse.Namespace) -> Path:
    """Return the project's folder that a command line names: a folder, a name below projects/, or this folder."""
    return find_project(options.project, Path.cwd())


def chosen_project(options: argparse.Namespace) -> Project:
    """Open the project that a command line names: a folder, a name below projects/, or the one of this folder."""
    project = open_any(chosen_folder(options), target=options.target)
    say_followed(project, *sought(options.project, Path.cwd()))
    return project


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


def show_explain(options: argparse.Namespace) -> int:
    """Print why a layer's plan is as it is."""
    project = chosen_project(options)
    lines = list(explain(project, options.layer))
    answer.give(layer=options.layer, lines=lines)
    messages.console().print("\n".join(lines), markup=False)
    return 0


def show_suggest(options: argparse.Namespace) -> int:
    """Print settings near a layer's present ones that are better."""
    project = chosen_project(options)
    with progress.working(f"planning what is near {options.layer}"):
        found = suggest(project, options.layer)
    answer.give(advice=found.advice)
    messages.console().print("\n".join(found.lines), markup=False)
    return 0
