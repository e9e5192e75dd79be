"""What cannot be for the sums alone: networks larger than the array, streams that no column has. Told before any search."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aieloom.errors import CannotFit, Problem
from aieloom.ops import REGISTRY
from aieloom.plan import build
from aieloom.plan.capacity import excess_of
from aieloom.search import best, default
from aieloom.search.default import settle
from aieloom.spec.device import load_device
from tests.designs import network_of, plan_of

MEMORY = {"vck190": 400 * 32 * 1024, "vek280": 304 * 64 * 1024}  # AM009, AM020: cores x data memory


@st.composite
def networks(draw: st.DrawFn) -> tuple[str, str, int]:
    """Return a board, dense layers for it, and the bytes of their float32 weights."""
    target = draw(st.sampled_from(sorted(MEMORY)))
    sizes = draw(st.lists(st.integers(64, 4096), min_size=3, max_size=6))
    rows = [f"  - {{name: fc{i}, op: dense, out_features: {n}}}" for i, n in enumerate(sizes[1:])]
    head = f"name: net\ntarget: {target}\nweights: w.pt\ninput: {{name: x, shape: [{sizes[0]}, 1, 1]}}\nlayers:\n"
    total = sum(4 * a * b for a, b in pairwise(sizes))
    return target, head + "\n".join(rows) + "\n", total


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(networks(), st.booleans())
def test_a_network_larger_than_the_array_is_refused_before_any_step_of_a_plan(
    monkeypatch: pytest.MonkeyPatch, drawn: tuple[str, str, int], said: bool
) -> None:
    target, text, total = drawn
    if said:
        engines = ", ".join(f"{name}: {{engine: aie}}" for name in re.findall(r"name: (fc\d)", text))
        text += f"mapping: {{{engines}}}\n"

    begun: list[str] = []

    def begin(*_: Any, **__: Any) -> Any:
        begun.append("a step")
        raise CannotFit(Problem(rule="stop", text="", remedy=""))

    for module, name in ((build, "make_plan"), (default, "make_plan"), (best, "quick")):
        monkeypatch.setattr(module, name, begin)
    network, device = network_of(text), load_device(target)
    with pytest.raises(CannotFit) as refused:
        settle(network, device, REGISTRY)
    (problem,) = refused.value.problems
    if total <= MEMORY[target]:
        assert begun and problem.rule == "stop"
        return
    assert problem.rule == "array-1"
    assert len(begun) <= (0 if said else 1), "what the file leaves open is tried once, on the processor"
    assert f"{total:,} B together" in problem.text and f"{MEMORY[target]:,} B" in problem.text
    largest = max(network.layers, key=lambda la: math.prod(la.parameters[0].shape))
    assert problem.line == network.spec.source.line(network.spec.at_mapping(largest.name))


@settings(deadline=None, max_examples=40)
@given(networks())
def test_what_the_message_says_makes_the_sum_small_enough(drawn: tuple[str, str, int]) -> None:
    target, text, total = drawn
    device = load_device(target)
    if total <= MEMORY[target]:
        assert excess_of(network_of(text), device, REGISTRY) is None
        return
    excess = excess_of(network_of(text), device, REGISTRY)
    assert excess
    remedy = excess.refusal.problems[0].remedy
    if "mapping: {" in remedy:
        moved = remedy.split("mapping: {")[1].split("})")[0]
        assert excess_of(network_of(text + f"mapping: {{{moved}}}\n"), device, REGISTRY) is None
    else:
        assert min(4 * math.prod(la.parameters[0].shape) for la in network_of(text).layers) > MEMORY[target]
    assert ("elements of 8 bits" in remedy) == (total // 4 <= MEMORY[target])


STREAMS = """name: net
target: vck190
weights: w.pt
input: {{name: x, shape: [1, 8, {width}]}}
layers:
  - {{name: conv, op: conv2d, out_channels: 4, kernel: 3, padding: 1}}
mapping:
  conv: {{tile: [4, 10, {pixels}], mmul: [4, 2, 4], groups: {groups}, plio: 32}}
"""


@settings(deadline=None, max_examples=6)
@given(st.integers(166, 200))
def test_streams_that_no_column_has_are_not_told_to_spread(cores: int) -> None:
    """Each core of this layer has a stream out of the array, of which 39 columns have 4 and the row's ends 4 each: 164."""
    with pytest.raises(CannotFit) as refused:
        plan_of(STREAMS.format(width=cores, pixels=8, groups=cores))
    problem = next(p for p in refused.value.problems if "interface's row" in p.text)
    assert f"layer 'conv', which has {cores} of them, a larger tile" in problem.remedy
    assert "place:" not in problem.remedy and "spread" not in problem.remedy
    plan = plan_of(STREAMS.format(width=cores, pixels=16, groups=-(-cores // 2)))  # what it says to do
    assert all(c.used <= c.limit for c in plan.checks if c.rule == "route-1")
