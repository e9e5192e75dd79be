"""Where the tensors of an image lie in a row's store, and why a network has to leave them in device memory."""

from __future__ import annotations

from collections.abc import Mapping

from aieloom.layout.channel_words import LANES, words_of
from aieloom.network.tensor import TensorType
from aieloom.sequential.array import group_words, k_words, on_array, tap_words
from aieloom.sequential.memory import Lifetime, aligned
from aieloom.sequential.onchip.engine import MOST_TAPS, MOST_WEIGHTS, MOST_WHOLE, MOST_WORDS, ROW_WORDS
from aieloom.sequential.steps import Step
from aieloom.sequential.vector import Operation, VectorForm
from aieloom.spec.network import INPUT

FOLDS = (Operation.MAXIMUM, Operation.AVERAGE, Operation.MEAN, Operation.DEPTHWISE)


def brings_rows(kind: TensorType, fold: tuple[int, int]) -> bool:
    """Tell whether a row's store makes an image's pixels of its rows: of those of one word."""
    return kind.shape[0] <= LANES and kind.shape[2] * fold[1] <= ROW_WORDS * LANES


def on_rows(steps: tuple[Step, ...], forms: Mapping[str, VectorForm]) -> int:
    """Return how many steps at the beginning rows compute; those behind them, the processor's, read the last result alone."""
    count = next((i for i, s in enumerate(steps) if not _computed(s, forms)), len(steps))
    last, behind = steps[count - 1], steps[count:]
    own = {last.gives} | {s.gives for s in behind}
    apart = all(set(s.inputs) <= own and s.called and s.layer not in forms for s in behind)
    return count if count and apart else len(steps)


def _computed(step: Step, forms: Mapping[str, VectorForm]) -> bool:
    form = forms.get(step.layer)
    if form:
        return form.operation in FOLDS and form.taps <= MOST_TAPS
    product = step.product
    return product is not None and product.heads is None and on_array(product)


def kept_out(steps: tuple[Step, ...], forms: Mapping[str, VectorForm]) -> str:
    """Say why the tensors of these layers do not stay on the chip; nothing where they may."""
    made = {INPUT: steps[0].x.shape} | {s.gives: s.y.shape for s in steps}
    for step in steps:
        form = forms.get(step.layer)
        types = (step.x, *step.others)
        if form and (form.operation not in FOLDS or form.taps > MOST_TAPS):
            return f"{step.layer} is {step.op}, which a row's movers do not compute"
        if not _computed(step, forms):
            return f"{step.layer} ({step.op}) is not computed by the array or its rows' movers"
        if form and form.operation is Operation.DEPTHWISE and not _holds(step, form):
            return f"{step.layer} has more weights than a row's movers keep: {MOST_WEIGHTS * LANES:,} B"
        names = zip(step.inputs, types, strict=True)
        changed = next((n for n, t in names if made[n] != t.shape and step.fold == (1, 1)), None)
        if changed:
            return f"{step.layer} reads {changed} in another shape than it is made"
    return ""


def _holds(step: Step, form: VectorForm) -> bool:
    words = words_of(step.y.shape[0])
    return words <= MOST_WORDS and words * form.taps <= MOST_WEIGHTS


def in_place(steps: tuple[Step, ...]) -> dict[str, str]:
    """Return the sums that take the place of the tensor which is added: nobody reads that one afterwards."""
    last = {name: i for i, s in enumerate(steps) for name in s.inputs}
    found: dict[str, str] = {}
    for i, step in enumerate(steps):
        if step.product and step.product.sum:
            x, other = step.inputs
            if other not in (x, INPUT) and last[other] == i:
                found[step.gives] = other
    return found


def overwrites(
    steps: tuple[Step, ...], forms: Mapping[str, VectorForm], only: frozenset[str] | None = None
) -> dict[str, str]:
    """Return the results that may begin where their input begins: its rows are read before theirs are written.

    Whatever rows a band has: those that are written when it ends must lie before those that the next one reads. Such a layer
    reads its input once: its weights are one set, so they must be few. `only`: the layers that an engine cuts so.
    """
    last = {name: i for i, s in enumerate(steps) for name in s.inputs}
    found: dict[str, str] = {}
    for i, step in enumerate(steps):
        product = step.product
        if product is None or step.layer in forms or product.sum:
            continue
        if only is not None and step.layer not in only:
            continue
        x, window = step.inputs[0], product.window
        if (
            x == INPUT
            or last[x] != i
            or product.engine_groups > 1
            or k_words(product) * group_words(product) > MOST_WHOLE
        ):
            continue
        made, seen = step.y.shape[2] * group_words(product), window.width * tap_words(product)
        rows = range(1, step.y.shape[1])
        follows = all(n * made <= (n * window.stride[0] - window.padding[0]) * seen for n in rows)
        if follows and step.y.shape[1] * made <= window.height * seen:
            found[step.gives] = x
    return found


def whole_layers(steps: tuple[Step, ...], forms: Mapping[str, VectorForm]) -> list[str]:
    """Return the layers that overwrite their input."""
    over = overwrites(steps, forms)
    return [s.layer for s in steps if s.gives in over]


def store_lives(steps: tuple[Step, ...]) -> list[Lifetime]:
    """Return the tensors of an image in a row's store; sums in place are one with what they are added to."""
    same = in_place(steps)
    made = {s.gives for s in steps}
    lives: dict[str, tuple[int, int, int]] = {}
    for i, step in enumerate(steps):
        names = zip((*step.inputs, step.gives), (step.x, *step.others, step.y), strict=True)
        for name, kind in names:
            channels, height, width = kind.shape
            size = height * width * words_of(channels) * LANES
            at = _first(same, name)
            begin, _, before = lives.get(at, (i if name in made else 0, i, size))
            lives[at] = (begin, i, max(before, size))
    end = len(steps)  # the result leaves after the last layer
    result = _first(same, steps[-1].gives)
    return [
        Lifetime(name=n, bytes=size, first=first, last=end if n == result else last)
        for n, (first, last, size) in lives.items()
    ]


def _first(same: Mapping[str, str], name: str) -> str:
    """Return the tensor whose place one has that is a sum of a sum, and so on."""
    while name in same:
        name = same[name]
    return name


def store_places(
    steps: tuple[Step, ...], forms: Mapping[str, VectorForm], only: frozenset[str] | None = None
) -> tuple[dict[str, int], int]:
    """Return the byte at which each tensor of an image begins in a row's store, and the bytes of all.

    As in device memory, the largest first; one that may overwrite its input begins where that does if nothing else is there.
    """
    same = in_place(steps)
    over = {y: _first(same, x) for y, x in overwrites(steps, forms, only).items()}
    places: dict[str, int] = {}
    done: list[Lifetime] = []
    for tensor in sorted(store_lives(steps), key=lambda t: (-t.bytes, t.first, t.name)):
        beside = [t for t in done if t.first <= tensor.last and tensor.first <= t.last]
        under = over.get(tensor.name)
        others = [t for t in beside if t.name != under]
        if under in places and all(
            _apart(places[under], tensor.bytes, places[t.name], t.bytes) for t in others
        ):
            places[tensor.name] = places[under]
        else:
            places[tensor.name] = _lowest(tensor.bytes, [(places[t.name], t.bytes) for t in beside])
        done.append(tensor)
    size = max(aligned(places[t.name] + t.bytes) for t in done)
    for name in same:
        places[name] = places[_first(same, name)]
    return places, size


def _apart(begin: int, size: int, other: int, other_size: int) -> bool:
    return begin + size <= other or other + other_size <= begin


def _lowest(size: int, beside: list[tuple[int, int]]) -> int:
    """Return the lowest place where so many bytes are free."""
    at = 0
    for begin, taken in sorted(beside):
        if at + size <= begin:
            break
        at = max(at, aligned(begin + taken))
    return at
