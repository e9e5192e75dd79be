"""The questions of `aieloom new` when nothing is given on its command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from aieloom.flow.scaffold import MODELS, NAME, TEMPLATES, TENSORS
from aieloom.network.guess import ACTIVATIONS
from aieloom.spec.device import array_names, load_device

Read = Callable[[str], str]  # shows a question, returns the answer
Say = Callable[[str], None]
MODEL = "model"
OPEN = "open"
_TRIES = 5
_ACTIVATIONS = {OPEN: "comments in network.yaml, to fill in", **{a: "" for a in ACTIVATIONS}}


class NoAnswerError(Exception):
    """Nobody answers sensibly."""


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What a new project shall be."""

    folder: Path
    template: str
    model: Path | None
    target: str
    activation: str | None = None


def ask(read: Read, say: Say) -> Answers:
    """Ask for name, start and board.

    Raises:
        NoAnswerError: an answer stays wrong, or the input ends.
    """
    name = _until(read, say, "name of the project [mynet]: ", "mynet", _named)
    starts = {**TEMPLATES, MODEL: f"a trained model of yours ({', '.join(MODELS)})"}
    start = _choice(read, say, "start from", starts, "empty")
    model = Path(_until(read, say, "its file: ", "", _file)) if start == MODEL else None
    tells_all = model is None or model.suffix not in TENSORS
    activation = (
        None if tells_all else _choice(read, say, "activation between its layers", _ACTIVATIONS, OPEN)
    )
    boards = {board: load_device(board).description for board in array_names()}
    target = _choice(read, say, "board", boards, "vck190")
    return Answers(
        folder=Path(name),
        template="empty" if model else start,
        model=model,
        target=target,
        activation=None if activation == OPEN else activation,
    )


def _named(answer: str) -> str:
    if not NAME.fullmatch(answer):
        return "small letters, digits and _, a letter first"
    return "it exists and is not empty" if Path(answer).exists() and any(Path(answer).iterdir()) else ""


def _file(answer: str) -> str:
    return "" if Path(answer).suffix in MODELS and Path(answer).is_file() else "no such file of a model"


def _choice(read: Read, say: Say, what: str, choices: Mapping[str, str], default: str) -> str:
    say(f"{what}:")
    for number, (name, note) in enumerate(choices.items(), 1):
        say(f"  {number}  {name:<8} {note}")
    names = list(choices)

    def wrong(answer: str) -> str:
        known = answer in choices or (answer.isdecimal() and 1 <= int(answer) <= len(names))
        return "" if known else f"a number from 1 to {len(names)}, or a name"

    answer = _until(read, say, f"{what} [{default}]: ", default, wrong)
    return names[int(answer) - 1] if answer.isdecimal() else answer


def _until(read: Read, say: Say, question: str, default: str, wrong: Callable[[str], str]) -> str:
    for _ in range(_TRIES):
        try:
            answer = read(question).strip() or default
        except EOFError:
            raise NoAnswerError("the input ended") from None
        problem = wrong(answer)
        if not problem:
            return answer
        say(f"  {problem}")
    raise NoAnswerError(f"no answer to '{question.strip()}' that can be used")
