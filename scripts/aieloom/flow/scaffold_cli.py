"""The commands `aieloom new` and `aieloom upgrade`."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from aieloom import messages
from aieloom.errors import Problem, SpecError
from aieloom.flow import scaffold
from aieloom.flow.ask import Answers, NoAnswerError, ask
from aieloom.flow.tensor_project import COMMENTED
from aieloom.flow.upgrade import SAME, upgrade
from aieloom.model.guess import ACTIVATIONS


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add new and upgrade to the command line."""
    new = commands.add_parser(
        "new", help="write a new project folder, with CI files; asks when nothing is given"
    )
    new.add_argument("folder", type=Path, metavar="NAME", nargs="?", help="the new project's folder")
    new.add_argument(
        "--from", dest="source", type=Path, metavar="DIR", help="copy the project in this folder"
    )
    new.add_argument(
        "--model",
        type=Path,
        metavar="FILE",
        help="a project for this ONNX model, or for these tensors (.pt, .pth, .safetensors): layers guessed by shapes",
    )
    new.add_argument(
        "--input", type=_shape, metavar="C,H,W", help="the input's shape, where --model is tensors alone"
    )
    new.add_argument(
        "--activation", choices=ACTIVATIONS, help="what stands between layers, where --model is tensors alone"
    )
    new.add_argument(
        "--template",
        choices=list(scaffold.TEMPLATES),
        default="empty",
        help="what to start from (default empty)",
    )
    new.add_argument("--target", default="vck190", help="the board (default vck190)")
    new.set_defaults(command=_new)
    newer = commands.add_parser(
        "upgrade", help="bring a project's scaffolded files to this version; yours are kept"
    )
    newer.add_argument(
        "folder", type=Path, nargs="?", default=Path(), metavar="DIR", help="default: this folder"
    )
    newer.add_argument("--dry-run", action="store_true", help="only say what would be done")
    newer.set_defaults(command=_upgrade)


def _new(options: argparse.Namespace) -> int:
    out = messages.console()
    if options.folder is None:
        asked = _asked()
    else:
        asked = Answers(
            folder=options.folder,
            model=options.model,
            template=options.template,
            target=options.target,
            activation=options.activation,
        )
    folder, model = asked.folder, asked.model
    written = scaffold.new_project(
        folder,
        target=asked.target,
        source=options.source,
        model=model,
        template=asked.template,
        input_shape=options.input,
        activation=asked.activation,
    )
    out.print(f"{folder}: {', '.join(written)}", markup=False)
    if model and model.suffix in scaffold.TENSORS:
        out.print("\n".join(_of_tensors(folder, model)), markup=False)
    out.print(f"next: cd {folder} && doit sim", markup=False)
    return 0


def _of_tensors(folder: Path, model: Path) -> Iterator[str]:
    """Yield what a project of tensors alone lacks."""
    text = (folder / "network.yaml").read_text(encoding="utf-8")
    yield f"{model.name} holds tensors alone (a state_dict), not the module that computes with them"
    yield f"its layers are guesses: read {folder}/network.yaml and correct what is marked"
    left = text.count(COMMENTED)
    if left:
        yield f"activations are not in such a file: nothing stands between the layers, where {left} commented lines wait"
        yield "  for you (or: --activation relu); what you run now is not your network"
    yield "with the module in Python nothing is guessed: aieloom.from_torch(module, x).write(FOLDER)"


def _shape(text: str) -> tuple[int, int, int]:
    """Return `C,H,W` as numbers."""
    numbers = [int(part) for part in text.split(",")] if re.fullmatch(r"\d{1,5}(,\d{1,5}){2}", text) else []
    if len(numbers) != 3 or min(numbers) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no shape: channels,height,width, as 1,28,28")
    return numbers[0], numbers[1], numbers[2]


def _asked() -> Answers:
    """Ask a person; a script gets an error instead of a question.

    Raises:
        SpecError: nobody is there to answer.
    """
    try:
        if not sys.stdin.isatty():
            raise NoAnswerError("there is no terminal to ask on")
        return ask(input, lambda line: messages.console().print(line, markup=False))
    except NoAnswerError as e:
        text = f"no name is given, and {e}"
        raise SpecError(Problem(rule="new", text=text, remedy="aieloom new NAME [--template ...]")) from None


def _upgrade(options: argparse.Namespace) -> int:
    out = messages.console()
    steps = upgrade(options.folder, dry_run=options.dry_run)
    for step in steps:
        out.print(f"  {step.what:<11} {step.file}{f': {step.note}' if step.note else ''}", markup=False)
    if all(step.what == SAME for step in steps):
        out.print("nothing to do: everything is as this version writes it", markup=False)
    elif options.dry_run:
        out.print("nothing was written (--dry-run)", markup=False)
    return 0
