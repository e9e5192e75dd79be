"""The command line: `aieloom check | plan | schema | emulate | report` (doit drives everything that has dependencies)."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Callable, Sequence

from aieloom import __version__, completion, progress
from aieloom.errors import AieloomError

Command = Callable[[argparse.Namespace], int]

GROUPS = (  # commands, the module that has them, its function that adds them to a parser: imported when they are asked for
    (("check", "plan", "sim", "report"), "aieloom.flow.project_cli", "add_commands"),
    (("cost",), "aieloom.cost.command", "add_parser"),
    (("doctor", "sweep"), "aieloom.flow.vitis_cli", "add_commands"),
    (("new", "upgrade"), "aieloom.flow.scaffold_cli", "add_commands"),
    (("explain", "suggest"), "aieloom.advice.command", "add_commands"),
    (("watch",), "aieloom.advice.command", "add_watch"),
    (("dse",), "aieloom.search.command", "add_command"),
    (("gemm",), "aieloom.gemm.command", "add_gemm"),
    (("emulate",), "aieloom.emulator.command", "add_emulate"),
    (("csim",), "aieloom.emulator.hls.command", "add_csim"),
)


OWN = ("schema", "completion")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code: 0 done, 1 a tool or a run failed, 2 the input is wrong."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        _check_word(words)
        with progress.lines():
            with progress.working("starting"):
                parser = _parser(words)
            return _run(parser.parse_args(words))
    except AieloomError as e:
        from aieloom import messages  # noqa: PLC0415

        messages.show(e)
        return e.exit_code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 0


def _check_word(words: Sequence[str]) -> None:
    """Refuse a command that there is not, in one line and with the one that is meant.

    Raises:
        SpecError: there is no such command.
    """
    known = [*(name for names, _, _ in GROUPS for name in names), *OWN]
    named = next((w for w in words if not w.startswith("-")), "")
    if named and named not in known:
        from aieloom.errors import Problem, SpecError  # noqa: PLC0415
        from aieloom.spec.validation import closest  # noqa: PLC0415

        text = f"there is no command '{named}'{closest(named, known)}"
        raise SpecError(Problem(rule="option", text=text, remedy=f"use one of: {', '.join(sorted(known))}"))


def _run(options: argparse.Namespace) -> int:
    command: Command = options.command
    if not options.quiet:
        return command(options)
    from aieloom import messages  # noqa: PLC0415

    with messages.quieted():
        return command(options)


def _parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the parser of all commands; of the one alone that `words` begin with, where they do."""
    parser = argparse.ArgumentParser(
        prog="aieloom", description="From a YAML network and trained weights to Versal AI Engines."
    )
    parser.add_argument("--version", action="version", version=f"aieloom {__version__}")
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="results and errors only, no progress and notes"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    named = next((w for w in words if not w.startswith("-")), "")
    chosen = [g for g in GROUPS if named in g[0]]
    if not chosen and named not in OWN and words[:1] != ["--version"]:
        chosen = list(GROUPS)
    for _, module, function in chosen:
        getattr(importlib.import_module(module), function)(commands)
    schema = commands.add_parser("schema", help="print the JSON Schema of network.yaml, for editors")
    schema.set_defaults(command=_schema)
    shells = commands.add_parser("completion", help="print the completion script of a shell")
    shells.add_argument("shell", choices=completion.SHELLS, help="the shell")
    shells.set_defaults(command=_completion)
    return parser


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
