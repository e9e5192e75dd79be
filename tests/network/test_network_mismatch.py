"""A wrong number in network.yaml beside weights of another network: the message stands on the number's line."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from aieloom.errors import Problem, SpecError
from aieloom.network.layers import infer_shapes
from aieloom.network.weights import match_weights
from aieloom.ops import REGISTRY
from aieloom.spec.lines import parse_yaml
from aieloom.spec.load import parse_network

Shapes = dict[str, tuple[int, ...]]
IN_WEIGHTS = (
    "out_channels",
    "out_features",
    "kernel",
)  # of conv2d and dense: numbers that their tensors have themselves
HEAD = "name: net\ntarget: vck190\nweights: w.pt\ninput: {{name: x, shape: [{}, {}, {}]}}\nlayers:\n"


@st.composite
def networks(draw: st.DrawFn) -> str:
    """Return a network.yaml with a layer on each line."""
    rows = [HEAD.format(draw(st.integers(1, 4)), draw(st.integers(12, 18)), draw(st.integers(12, 18)))]
    for i in range(draw(st.integers(1, 3))):
        stride = draw(st.integers(1, 2))
        rows.append(
            f"  - {{name: conv{i}, op: conv2d, out_channels: {draw(st.integers(1, 9))}, kernel: {draw(st.integers(1, 4))},"
            f" padding: {draw(st.integers(0, 2))}, stride: {stride}}}\n"
        )
        rows.append(draw(st.sampled_from(["", f"  - {{name: act{i}, op: relu}}\n"])))
        rows.append(draw(st.sampled_from(["", f"  - {{name: pool{i}, op: max_pool, kernel: 2}}\n"])))
    rows.append(f"  - {{name: fc, op: dense, out_features: {draw(st.integers(1, 9))}}}\n")
    return "".join(rows)


def shapes_of(text: str) -> Shapes:
    network = infer_shapes(parse_network(parse_yaml(text, "network.yaml"), REGISTRY), REGISTRY)
    return {f"{la.name}.{p.name}": p.stored for la in network.layers for p in la.parameters}


def refused(text: str, shapes: Shapes) -> tuple[Problem, ...]:
    network = infer_shapes(parse_network(parse_yaml(text, "network.yaml"), REGISTRY), REGISTRY)
    with pytest.raises(SpecError) as found:
        match_weights(network, shapes, file="w.pt", operators=REGISTRY)
    return found.value.problems


@settings(deadline=None, max_examples=30)
@given(networks(), st.data())
def test_the_line_is_that_of_the_wrong_number(text: str, data: st.DataObject) -> None:
    try:
        shapes = shapes_of(text)
    except SpecError:
        assume(False)
    numbers = [m for m in re.finditer(r"(?<=[ \[])\d+(?=[,}\]])", text)]
    chosen = data.draw(st.sampled_from(numbers))
    old = int(chosen[0])
    new = data.draw(st.integers(max(1, old - 3), old + 3).filter(lambda v: v != old))
    wrong = text[: chosen.start()] + str(new) + text[chosen.end() :]
    try:
        assume(shapes_of(wrong) != shapes)
    except SpecError:
        assume(False)  # no network at all: that message is another
    line = text.count("\n", 0, chosen.start()) + 1
    problems = refused(wrong, shapes)
    (problem,) = problems
    assert problem.rule == "weights"
    row = text.splitlines()[line - 1]
    key = text[: chosen.start()].rsplit(",", 1)[-1].rsplit(":", 1)[0].strip()
    first = "shape: [" in row and text[: chosen.start()].endswith("[")
    if first or (key in IN_WEIGHTS and "pool" not in row):
        assert problem.line == line, problem
        assert problem.remedy.startswith("write ")
        assert str(old) in problem.remedy and str(new) in problem.text
    else:  # other numbers may make up for it
        assert problem.line == line or f"on line {line}" in problem.remedy, problem


def test_of_many_possible_numbers_those_of_every_line_are_named() -> None:
    """Kernels and strides of five layers may make up for the first one's wrong padding: four are named, the lines of all."""
    conv = "  - {{name: conv{}, op: conv2d, out_channels: 1, kernel: {}, padding: {}, stride: {}}}\n"
    layers = conv.format(0, 1, 1, 2) + conv.format(1, 2, 0, 1) + conv.format(2, 2, 0, 1)
    layers += "  - {name: pool2, op: max_pool, kernel: 2}\n  - {name: fc, op: dense, out_features: 1}\n"
    text = HEAD.format(1, 12, 12) + layers
    (problem,) = refused(text.replace("kernel: 1, padding: 1", "kernel: 1, padding: 4"), shapes_of(text))
    assert problem.line == 10
    assert all(f"on line {line}" in problem.remedy for line in (4, 6, 7, 8, 9)), problem
    assert problem.remedy.endswith(" or another number on line 6")


def test_each_of_several_wrong_numbers_is_told() -> None:
    text = HEAD.format(3, 16, 16) + (
        "  - {name: conv1, op: conv2d, out_channels: 8, kernel: 3}\n"
        "  - {name: conv2, op: conv2d, out_channels: 12, kernel: 5, bias: false}\n"
        "  - {name: fc, op: dense, out_features: 10}\n"
    )
    shapes = shapes_of(text)
    wrong = (
        text.replace("out_channels: 8", "out_channels: 9").replace(", bias: false", "").replace("10}", "11}")
    )
    found = refused(wrong, shapes)
    assert [(p.line, p.remedy.split(",")[0]) for p in found] == [
        (6, "write out_channels: 8"),
        (7, "write bias: false"),
        (8, "write out_features: 10"),
    ]
    assert found[0].text == (
        "out_channels: 9 is not that of the weights: 'conv1' takes a weight of the shape (9, 3, 3, 3), w.pt has (8, 3, 3, 3)"
    )


def test_weights_of_quite_another_network_show_both_sides() -> None:
    text = HEAD.format(3, 16, 16) + "  - {name: fc, op: dense, out_features: 10}\n"
    (problem,) = refused(text, {"fc.weight": (10, 768, 5), "fc.bias": (10,), "more": (1,)})
    assert problem.line == 3 and "the layers need" in problem.text


def test_a_long_network_is_searched_in_bounded_time() -> None:
    """A thousand layers, each of which could be at fault: the search ends, and both sides are shown."""
    rows = "".join(f"  - {{name: pool{i}, op: max_pool, kernel: 1}}\n" for i in range(900))
    text = HEAD.format(3, 16, 16) + rows + "  - {name: fc, op: dense, out_features: 10}\n"
    (problem,) = refused(text, {"fc.weight": (10, 997), "fc.bias": (10,)})
    assert "the layers need" in problem.text
