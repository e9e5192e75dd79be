"""The commands `aieloom new` and `aieloom upgrade`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from aieloom import answer, messages
from aieloom.errors import SpecError
from aieloom.flow import scaffold
from aieloom.flow.ask import Answers, NoAnswerError, ask
from aieloom.flow.tensor_project import COMMENTED
from aieloom.flow.upgrade import SAME, upgrade


def new(options: argparse.Namespace) -> int:
    """Write a new project's folder."""
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
    answer.give(folder=folder, files=list(written))
    messages.say(f"{folder}: {', '.join(written)}")
    if model and model.suffix in scaffold.TENSORS:
        messages.say("\n".join(_of_tensors(folder, model)))
    messages.say(f"next: cd {folder} && doit sim")
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


def _asked() -> Answers:
    """Ask a person; a script gets an error instead of a question.

    Raises:
        SpecError: nobody is there to answer.
    """
    try:
        if not sys.stdin.isatty():
            raise NoAnswerError("there is no terminal to ask on")
        return ask(input, messages.say)
    except NoAnswerError as e:
        text = f"no name is given, and {e}"
        raise SpecError(rule="new", text=text, remedy="aieloom new NAME [--template ...]") from None


def bring_up(options: argparse.Namespace) -> int:
    """Bring a project's scaffolded files to this version."""
    steps = upgrade(options.folder, dry_run=options.dry_run)
    answer.give(
        steps=[{"file": s.file, "what": s.what, "note": s.note} for s in steps], dry_run=options.dry_run
    )
    for step in steps:
        messages.say(f"  {step.what:<11} {step.file}{f': {step.note}' if step.note else ''}")
    if all(step.what == SAME for step in steps):
        messages.say("nothing to do: everything is as this version writes it")
    elif options.dry_run:
        messages.say("nothing was written (--dry-run)")
    return 0
