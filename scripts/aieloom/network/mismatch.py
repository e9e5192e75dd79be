"""Which number of network.yaml is wrong, when the weights are not its: the one whose change makes every shape agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from aieloom.errors import Problem, SpecError
from aieloom.network.layers import Layer, Network, infer_shapes
from aieloom.network.operator import Operators
from aieloom.spec.flow_style import flow_yaml
from aieloom.spec.lines import KeyPath
from aieloom.spec.network import NetworkSpec

Shape = tuple[int, ...]
# Of each layer: its tensors' shapes in the file, by their short names
Groups = Mapping[str, Mapping[str, Shape]]
SMALL = tuple(range(9))  # what kernels, strides and borders are tried with
NEAR = 8  # other sizes of the input are so near
MOST_LAYERS = 20_000  # that are inferred in a search: about a second
MOST_NAMED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Another value of a key."""

    at: KeyPath
    key: str
    old: object
    new: object
    spec: NetworkSpec

    @property
    def written(self) -> bool:
        """Whether the file has the key."""
        return self.at in self.spec.source.lines

    def text(self) -> str:
        """Return the key with its new value, as the file has it."""
        return f"{self.key}: {flow_yaml(self.new)}"


def wrong_numbers(network: Network, groups: Groups, operators: Operators, file: str) -> tuple[Problem, ...]:
    """Return a problem for each wrong number, on its line; none where no change of single numbers makes all shapes agree."""
    spec = network.spec
    found: list[Problem] = []
    while len(found) <= len(network.layers):
        network = infer_shapes(spec, operators)
        layer = next((la for la in network.layers if not _agrees(la, groups)), None)
        if layer is None:
            return tuple(found)
        edits = _Search(spec, groups, operators, layer).edits()
        if not edits:
            return ()
        found.append(_problem(network, layer, edits, groups, file))
        spec = edits[0].spec
    return ()


def _agrees(layer: Layer, groups: Groups) -> bool:
    return {p.name: p.stored for p in layer.parameters} == groups.get(layer.name, {})


class _Search:
    """Looks for the keys by which the tensors of all layers down to `layer`, the first at fault, become those of the file."""

    def __init__(self, spec: NetworkSpec, groups: Groups, operators: Operators, layer: Layer) -> None:
        self.spec = spec
        self.groups = groups
        self.operators = operators
        self.layer = layer
        self.left = MOST_LAYERS
        self.dims = tuple(dict.fromkeys(d for shape in groups.get(layer.name, {}).values() for d in shape))

    def edits(self) -> list[Edit]:
        """Return the changes that do, one of each place: of keys that the file has, else of those it leaves out."""
        good: dict[KeyPath, Edit] = {}
        for edit in self._candidates():
            if edit.at not in good and self._fits(edit):
                good[edit.at] = edit
            if self.left <= 0:
                break
        own = [e for e in good.values() if e.written]
        return own or list(good.values())

    def _fits(self, edit: Edit) -> bool:
        count = self.layer.index + 1
        self.left -= count
        spec = edit.spec
        try:
            part = infer_shapes(spec.model_copy(update={"layers": spec.layers[:count]}), self.operators)
        except (SpecError, ValueError, TypeError, ArithmeticError, AssertionError):
            return False  # numbers, or pairs of them, that no layer can have
        return all(_agrees(layer, self.groups) for layer in part.layers)

    def _candidates(self) -> Iterator[Edit]:
        """Yield changes of the layer's own keys, of the input's shape, and of the layers above, the nearest first."""
        yield from self._of_layer(self.layer.index)
        shape = () if self.spec.inputs else self.spec.input.shape  # of several, that is nobody's to change
        for axis, old in enumerate(shape):
            near = range(max(1, old - NEAR), old + NEAR + 1)
            for new in dict.fromkeys((*self.dims, *SMALL[1:], *near)):
                if new != old:
                    changed = (*shape[:axis], new, *shape[axis + 1 :])
                    given = self.spec.input.model_copy(update={"shape": changed})
                    spec = self.spec.model_copy(update={"input": given})
                    yield Edit(at=("input", "shape"), key="shape", old=shape, new=changed, spec=spec)
        for index in reversed(range(self.layer.index)):
            yield from self._of_layer(index)

    def _of_layer(self, index: int) -> Iterator[Edit]:
        layer = self.spec.layers[index]
        for key in type(layer).model_fields:
            old = getattr(layer, key)
            for new in self._values(old):
                changed = layer.model_copy(update={key: new})
                layers = (*self.spec.layers[:index], changed, *self.spec.layers[index + 1 :])
                spec = self.spec.model_copy(update={"layers": layers})
                yield Edit(at=(*self.spec.at_layer(index), key), key=key, old=old, new=new, spec=spec)

    def _values(self, old: object) -> Iterator[object]:
        """Yield what else a number, a pair of numbers or a flag could be."""
        if isinstance(old, bool):
            yield not old
        elif isinstance(old, int):
            yield from (v for v in dict.fromkeys((*self.dims, *SMALL)) if v != old)
            shapes = self.groups.get(self.layer.name, {}).values()
            yield from (s[-2:] for s in shapes if len(s) == 4 and s[-1] != s[-2])
        elif isinstance(old, tuple) and len(old) == 2 and all(isinstance(v, int) for v in old):
            for axis in (0, 1):
                for v in dict.fromkeys((*self.dims, *SMALL)):
                    if v != old[axis]:
                        yield (v, old[1]) if axis == 0 else (old[0], v)


def _problem(network: Network, layer: Layer, edits: list[Edit], groups: Groups, file: str) -> Problem:
    """Return the problem of a layer at fault: on the line of the wrong number, or on the layer's where several may be."""
    source, own = network.spec.source, groups.get(layer.name, {})
    name = next(
        (p.name for p in layer.parameters if own.get(p.name) != p.stored), next(iter({**own}), "weight")
    )
    asked = next((p.stored for p in layer.parameters if p.name == name), None)
    needs = (
        f"'{layer.name}' takes a {name} of the shape {asked}" if asked else f"'{layer.name}' takes no {name}"
    )
    has = f"{file} has {own[name]}" if name in own else f"{file} has none"
    if len(edits) == 1:
        (edit,) = edits
        text = f"{edit.key}: {flow_yaml(edit.old)} is not that of the weights: {needs}, {has}"
        return source.problem(
            "weights", edit.at, text, f"write {edit.text()}, or use the weights of this network"
        )
    possible = _by_turns(edits, source.line)
    named, others = possible[:MOST_NAMED], possible[MOST_NAMED:]
    some = [f"{e.text()} on line {line}" for line, e in named]
    some += [f"another number on line {line}" for line in sorted(dict(others).keys() - dict(named).keys())]
    return source.problem(
        "weights",
        network.spec.at_layer(layer.index),
        f"layer {needs}, {has}: a number above is not that of the weights",
        f"write what the network was trained with: {' or '.join(some)}",
    )


def _by_turns(edits: Sequence[Edit], line_of: Callable[[KeyPath], int]) -> list[tuple[int, Edit]]:
    """Return edits with their lines: the first one of each line, then the second ones, so that few of them name many lines."""
    seen: dict[int, int] = {}
    turns: list[tuple[int, int, Edit]] = []
    for edit in edits:
        line = line_of(edit.at)
        seen[line] = seen.get(line, 0) + 1
        turns.append((seen[line], line, edit))
    return [(line, edit) for _, line, edit in sorted(turns, key=lambda turn: turn[0])]
