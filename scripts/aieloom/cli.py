"""The command line: `aieloom COMMAND` (doit drives everything that has dependencies)."""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import sys
from collections.abc import Callable, Sequence

from aieloom import answer, cached_answers, progress
from aieloom.commands import ELSEWHERE, make_parser
from aieloom.errors import AieloomError, SpecError

Command = Callable[[argparse.Namespace], int]
JSON = "--json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code: 0 done, 1 a tool or a run failed, 2 the input is wrong."""
    if "_ARGCOMPLETE" in os.environ:  # a shell asks what a line could go on with
        import argcomplete  # noqa: PLC0415

        argcomplete.autocomplete(make_parser())
    run = _in_json if JSON in (sys.argv[1:] if arguments is None else arguments) else _run
    try:
        return cached_answers.answered(sys.argv[1:], run) if arguments is None else run(arguments)
    except AieloomError as e:
        from aieloom import messages  # noqa: PLC0415

        messages.show(e)
        return e.exit_code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        return 0


INTERRUPTED = 130


def _in_json(words: Sequence[str]) -> int:
    """Run a command whose answer is one JSON object, errors included."""
    with answer.answered(_word(words)) as said:
        try:
            code = _run(words)
        except AieloomError as e:
            answer.blame(e)
            code = e.exit_code
        except KeyboardInterrupt:
            return INTERRUPTED
        said.end(code)
    return code


def _run(words: Sequence[str]) -> int:
    word = _word(words)
    parser = make_parser(word)
    _check_word(word, parser)
    options = parser.parse_args(words)
    with progress.lines():
        with progress.working("starting"):
            command = _function(options.command)
        if not options.quiet:
            return command(options)
        from aieloom import messages  # noqa: PLC0415

        with messages.quieted():
            return command(options)


def _function(named: str) -> Command:
    """Import what does a command: `module:function`.

    What importing makes, stays: the garbage collector would look through it again and again, a tenth of the time.
    """
    module, function = named.split(":")
    gc.disable()
    try:
        found: Command = getattr(importlib.import_module(module), function)
    finally:
        gc.enable()
    return found


def _word(words: Sequence[str]) -> str:
    """Return the command among what is typed; empty where there is none."""
    return next((w for w in words if not w.startswith("-")), "")


def _check_word(word: str, parser: argparse.ArgumentParser) -> None:
    """Refuse a command that there is not, in one line and with the one that is meant.

    Raises:
        SpecError: there is no such command, or its distribution is not installed.
    """
    known = [*next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction)).choices]
    if not word or word in known:
        return
    if word in ELSEWHERE:
        distribution, remedy = ELSEWHERE[word]
        text = f"'{word}' is a command of {distribution}, which is not installed"
    else:
        from aieloom.spec.validation import closest  # noqa: PLC0415

        text = f"there is no command '{word}'{closest(word, known)}"
        remedy = f"use one of: {', '.join(sorted(known))}"
    raise SpecError(rule="option", text=text, remedy=remedy)


def print_completion(options: argparse.Namespace) -> int:
    """Print the completion script of a shell."""
    import argcomplete.shell_integration  # noqa: PLC0415 - of this command alone

    script = argcomplete.shell_integration.shellcode(["aieloom"], shell=options.shell)
    answer.give(script=script)
    print(script)
    return 0


def print_schema(options: argparse.Namespace) -> int:
    """Print the JSON Schema of network.yaml, or of a run's summary."""
    from aieloom.ops import REGISTRY  # noqa: PLC0415
    from aieloom.report.schema import summary_schema  # noqa: PLC0415
    from aieloom.spec.schema import network_schema  # noqa: PLC0415

    schema = summary_schema() if options.summary else network_schema(REGISTRY)
    answer.give(schema=schema)
    print(json.dumps(schema, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
