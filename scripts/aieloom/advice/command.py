"""The commands `aieloom explain`, `suggest` and `watch`."""

from __future__ import annotations

import argparse
from pathlib import Path

from aieloom import messages, progress
from aieloom.advice.explain import explain
from aieloom.advice.suggest import advice_lines, suggest
from aieloom.flow.project import Project, find_project, open_project
from aieloom.flow.watch import Watch


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add both commands to the command line."""
    for name, run, text in (
        ("explain", _explain, "why the plan of a layer is as it is, with the arithmetic"),
        ("suggest", _suggest, "mappings near a layer's present one that the cost model finds better"),
    ):
        parser = commands.add_parser(name, help=text)
        parser.add_argument("layer", help="a layer of network.yaml")
        parser.add_argument(
            "--project", help="the project's name or folder (default: the one in this folder, else espcn)"
        )
        parser.add_argument("--target", help="the board, instead of the file's")
        parser.set_defaults(command=run)


def add_watch(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `watch` to the command line."""
    parser = commands.add_parser("watch", help="run again on every save, and show what changed")
    parser.add_argument(
        "--project", help="the project's name or folder (default: the one in this folder, else espcn)"
    )
    parser.add_argument("--target", help="the board, instead of the file's")
    parser.add_argument("--runs", type=int, metavar="N", help="end after N runs (default: Ctrl-C ends)")
    parser.set_defaults(command=_watch)


def chosen_folder(options: argparse.Namespace) -> Path:
    """Return the project's folder that a command line names: a folder, a name below projects/, or this folder."""
    return find_project(options.project, Path.cwd())


def _watch(options: argparse.Namespace) -> int:
    out = messages.console()
    watch = Watch(
        folder=chosen_folder(options),
        root=Path.cwd(),
        target=options.target,
        say=lambda line: out.print(line, markup=False),
    )
    return watch.run(options.runs)


def chosen_project(options: argparse.Namespace) -> Project:
    """Open the project that a command line names: a folder, a name below projects/, or the one of this folder."""
    return open_project(chosen_folder(options), target=options.target)


def _explain(options: argparse.Namespace) -> int:
    lines = list(explain(chosen_project(options), options.layer))
    messages.console().print("\n".join(lines), markup=False)
    return 0


def _suggest(options: argparse.Namespace) -> int:
    project = chosen_project(options)
    with progress.working(f"planning what is near {options.layer}"):
        lines = list(advice_lines(project, suggest(project, options.layer)))
    messages.console().print("\n".join(lines), markup=False)
    return 0
