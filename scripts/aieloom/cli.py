"""The command line: `aieloom check | plan | schema | emulate | report` (doit drives everything that has dependencies)."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

from aieloom import __version__, completion, messages
from aieloom.advice.command import add_commands as add_advice
from aieloom.advice.command import add_watch
from aieloom.advice.partition import partition_lines
from aieloom.cost.command import add_parser as add_cost_parser
from aieloom.cost.of_plan import modelled_rates
from aieloom.emulator.command import add_emulate
from aieloom.emulator.hls.command import add_csim
from aieloom.errors import AieloomError
from aieloom.flow.project import Project, as_json, open_project
from aieloom.flow.scaffold_cli import add_commands as add_scaffold
from aieloom.flow.vitis_cli import add_commands
from aieloom.gemm.command import add_gemm
from aieloom.lock import held
from aieloom.plan.rates import rate_lines
from aieloom.report.site import write_report
from aieloom.search.command import add_command as add_dse

Command = Callable[[argparse.Namespace], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code: 0 done, 1 a tool or a run failed, 2 the input is wrong."""
    options = _parser().parse_args(arguments)
    command: Command = options.command
    try:
        with messages.quieted() if options.quiet else nullcontext():
            return command(options)
    except AieloomError as e:
        messages.show(e)
        return e.exit_code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aieloom", description="From a YAML network and trained weights to Versal AI Engines."
    )
    parser.add_argument("--version", action="version", version=f"aieloom {__version__}")
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="results and errors only, no progress and notes"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _project_command(commands, "check", _check, "check a project's network.yaml, weights and design rules")
    _project_command(commands, "plan", _plan, "print the plan as JSON")
    report = _project_command(commands, "report", _report, "write the report of the last run again")
    report.add_argument(
        "--compare", type=Path, metavar="DIR", help="build folder of another design to set beside it"
    )
    add_cost_parser(commands)
    add_commands(commands)
    add_scaffold(commands)
    add_advice(commands)
    add_watch(commands)
    add_dse(commands)
    add_gemm(commands)
    add_emulate(commands)
    add_csim(commands)
    schema = commands.add_parser("schema", help="print the JSON Schema of network.yaml, for editors")
    schema.set_defaults(command=_schema)
    shells = commands.add_parser("completion", help="print the completion script of a shell")
    shells.add_argument("shell", choices=completion.SHELLS, help="the shell")
    shells.set_defaults(command=_completion)
    return parser


def _project_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, command: Command, text: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text)
    parser.add_argument("project", type=Path, help="the project's folder, or its network.yaml")
    parser.add_argument("--target", help="the board, instead of the file's")
    parser.add_argument("--weights", type=Path, help="trained tensors, instead of the file's")
    parser.set_defaults(command=command)
    return parser


def _open(options: argparse.Namespace) -> Project:
    return open_project(options.project, target=options.target, weights=options.weights)


def _check(options: argparse.Namespace) -> int:
    project = _open(options)
    for line in project.weights_notes:
        messages.progress().print(line, markup=False)
    plan, out = project.plan, messages.console()
    _ = project.parameters  # reads and matches the weights
    out.print(
        f"{project.name} on {project.target}: {plan.x} to {plan.y}, {plan.cores} cores, {plan.tiles_in_use} tiles"
    )
    for line in partition_lines(plan):
        out.print(f"  {line}", markup=False)
    for line in plan.frame.why if plan.frame else ():
        out.print(f"  {line}", markup=False)
    for line in rate_lines(modelled_rates(plan)):
        out.print(f"  modelled: {line}", markup=False)
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
    project = _open(options)
    with held(project.build):
        write_report(project.plan, project.build / "report", compare=options.compare)
    print(project.build / "report" / "index.html")
    return 0


def _completion(options: argparse.Namespace) -> int:
    print(completion.script(options.shell, completion.commands_of(_parser())), end="")
    return 0


def _schema(_options: argparse.Namespace) -> int:
    from aieloom.ops import REGISTRY  # noqa: PLC0415
    from aieloom.spec.schema import network_schema  # noqa: PLC0415

    print(json.dumps(network_schema(REGISTRY), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
