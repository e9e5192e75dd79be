"""Which layers run on the processor, and the device's subgraphs: against what a subgraph is by definition."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aieloom.errors import SpecError
from aieloom.network.layers import Network
from aieloom.ops import REGISTRY
from aieloom.plan.partition import Partition, partition
from aieloom.plan.rates import crossing_of, host_of
from aieloom.plan.types import ArrayPart
from aieloom.quantize.network import quantise_network
from aieloom.simulation.of_plan import simulate_plan
from aieloom.spec.network import INPUT
from aieloom.spec.quantize import QuantizeSpec
from aieloom.spec.types import DataType
from tests.designs import edited, network_of, plan_of, refusal, weights_of
from tests.ops.networks import network_yaml, on_processor, random_graph_yaml

MLP = """\
name: mlp
target: vck190
weights: w.safetensors
input: {name: x, shape: [16, 32]}
layers:
  - {name: up, op: dense, out_features: 64}
  - {name: act, op: relu}
  - {name: norm, op: layer_norm, over: channels}
  - {name: mid, op: dense, out_features: 64}
  - {name: act2, op: relu}
  - {name: norm2, op: layer_norm, over: channels}
  - {name: down, op: dense, out_features: 32}
  - {name: sum, op: add, inputs: [down, x]}
"""


def parts_of(text: str) -> tuple[Network, Partition]:
    network = network_of(text)
    return network, partition(network, REGISTRY, DataType.FLOAT32)


def enters(network: Network, part: frozenset[str]) -> set[str]:
    return {t for la in network.layers if la.name in part for t in la.inputs if t not in part}


def leaves(network: Network, part: frozenset[str]) -> set[str]:
    last = network.layers[-1].name
    read = {n for n in part if any(r.name not in part for r in network.readers(n))}
    return read | ({last} & part)


def reached(network: Network, part: frozenset[str], start: set[str]) -> set[str]:
    """Return what follows from `start` outside of a part."""
    found = set(start)
    for layer in network.layers:
        if layer.name not in part and found & set(layer.inputs):
            found.add(layer.name)
    return found


def is_subgraph(network: Network, part: frozenset[str]) -> bool:
    """By definition: one tensor in, one out, and nothing that leaves it comes back into it."""
    comes_back = enters(network, part) & reached(network, part, leaves(network, part))
    return len(enters(network, part)) == len(leaves(network, part)) == 1 and not comes_back


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6))
def test_the_device_gets_the_largest_subgraphs(seed: int) -> None:
    text = on_processor(random_graph_yaml(seed), seed)
    network, found = parts_of(text)
    said = set(re.findall(r"^  (\w+): \{engine: ps\}", text, re.MULTILINE))
    names = {la.name for la in network.layers}
    sure = {la.name for la in network.layers if hasattr(REGISTRY[la.op], "plan_aie")} - said
    device = [n for part in found.subgraphs for n in part]
    assert len(device) == len(set(device))
    assert set(device) | set(found.reasons) == names
    assert not set(device) & (said | set(found.reasons))
    assert sure <= set(device)
    if not said:
        return
    done = {INPUT}  # the order in which they run: each has what it is given
    for part in found.subgraphs:
        assert is_subgraph(network, part), (text, part)
        assert part & sure
        for layer in network.layers:
            if layer.name in found.reasons and set(layer.inputs) <= done:
                done.add(layer.name)
        assert enters(network, part) <= done
        done |= part
    free = names - said - set(device)
    for size in (1, 2):  # none can be larger by what is left, and no two can be one
        for left in combinations(sorted(free), size):
            assert not any(is_subgraph(network, part | set(left)) for part in found.subgraphs)
    assert not any(is_subgraph(network, a | b) for a, b in combinations(found.subgraphs, 2))


@settings(max_examples=15, deadline=None)
@example(643)  # the processor has all layers
@given(st.integers(0, 10**6))
def test_integers_are_cut_as_the_floats_that_they_stand_for(seed: int) -> None:
    """Quantisation asks for the partition of the float network; what it fuses must not change that.

    Where the processor has all layers, there are no integers: that is refused, and nothing else is.
    """
    network = network_of(on_processor(random_graph_yaml(seed), seed))
    x = np.random.default_rng(seed).normal(size=(4, *network.x.shape)).astype(np.float32)
    floats = partition(network, REGISTRY, DataType.INT8)
    if not floats.subgraphs:
        with pytest.raises(SpecError, match=r"\[quant-7\] no layer is computed in int8"):
            quantise_network(network, weights_of(network), QuantizeSpec(), x)
        return
    narrow = quantise_network(network, weights_of(network), QuantizeSpec(), x).network
    integers = partition(narrow, REGISTRY, DataType.INT8)
    left = {la.name for la in narrow.layers}
    assert set(floats.reasons) == set(integers.reasons)
    assert [part & left for part in floats.subgraphs] == list(integers.subgraphs)


def subgraphs(plan: ArrayPart) -> list[tuple[str, str, str]]:
    return [(s.name, s.sends, s.receives) for s in plan.subgraphs]


def test_layers_between_the_processors_are_subgraphs_of_their_own() -> None:
    plan = plan_of(MLP)
    assert subgraphs(plan) == [("up", INPUT, "act"), ("mid", "norm", "act2"), ("down", "norm2", "down")]
    assert plan.processor is not None
    assert {s.stage: [p.layer for p in s.steps] for s in plan.processor.segments} == {
        "host_before": [],
        "host_before_mid": ["norm"],
        "host_before_down": ["norm2"],
        "host_after": ["sum"],
    }
    assert [m.name for m in plan.movers] == ["mm2s", "s2mm", "mm2s_mid", "s2mm_mid", "mm2s_down", "s2mm_down"]


def test_the_times_of_what_runs_one_after_another_add_up() -> None:
    plan = plan_of(MLP)
    by_name = {s.name: s.interval_us for s in plan.cost.stages}
    slowest = [
        max(t for name, t in by_name.items() if name in (*s.layers, *s.kernels, s.mm2s.name, s.s2mm.name))
        for s in plan.subgraphs
    ]
    host = [t for name, t in by_name.items() if name.startswith("host_")]
    assert len(host) == 3
    assert plan.cost.interval_us == pytest.approx(sum(slowest) + sum(host))
    longest = sum(s.latency_us for s in plan.cost.stages)  # each subgraph is a chain here
    assert plan.cost.latency_us == pytest.approx(longest)
    run = simulate_plan(plan)
    assert run.interval_us >= 0.999 * sum(slowest) + sum(host)
    first, second, third = run.subgraphs
    assert first.ends_us[-1] <= second.starts_us[0] and second.ends_us[-1] <= third.starts_us[0]
    crossing = crossing_of(plan, host_of(plan))
    assert crossing
    assert run.latency_us == pytest.approx(
        sum(s.ends_us[0] - s.starts_us[0] for s in run.subgraphs) + sum(host) + crossing.latency_us
    )


BRANCHES = network_yaml(
    (2, 6, 6),
    [
        "  - {name: a, op: conv2d, out_channels: 4, kernel: 1}",
        "  - {name: soft, op: gelu}",
        "  - {name: b, op: conv2d, out_channels: 4, kernel: 1}",
        "  - {name: act, op: relu, inputs: [a]}",
        "  - {name: sum, op: add, inputs: [b, act]}",
        "  - {name: c, op: conv2d, out_channels: 4, kernel: 3, padding: 1}",
        "  - {name: beside, op: relu, inputs: [sum]}",
        "  - {name: all, op: add, inputs: [c, beside]}",
        "  - {name: root, op: exp}",
        "  - {name: turn, op: relu}",
        "  - {name: log, op: softplus}",
        "  - {name: d, op: conv2d, out_channels: 2, kernel: 1}",
    ],
)


def test_reasons_of_layers_between_subgraphs_are_told() -> None:
    plan = plan_of(BRANCHES)
    assert subgraphs(plan) == [("a", INPUT, "a"), ("b", "soft", "b"), ("c", "sum", "all"), ("d", "log", "d")]
    assert plan.processor is not None
    assert {s.layer: s.reason for s in plan.processor.steps} == {
        "soft": "op gelu has no form for float32 on programmable logic",
        "act": "with it more than one tensor would enter or leave a subgraph of the device",
        "sum": "it reads 'b' and 'act', and a subgraph of the device takes one tensor from memory",
        "root": "op exp has no form for float32 on programmable logic",
        "turn": "between 'root' and 'log', which run on the processor",
        "log": "op softplus has no form for float32 on programmable logic",
    }


def test_what_programmable_logic_is_asked_for_runs_there_alone_or_is_refused() -> None:
    plan = plan_of(BRANCHES + "mapping:\n  turn: {engine: pl}\n")
    assert subgraphs(plan)[-2] == ("turn", "root", "turn")
    assert [g.name for g in plan.pl if g.name in plan.subgraphs[-2].kernels] == ["pl_turn"]
    message = refusal(BRANCHES + "mapping:\n  sum: {engine: pl}\n")
    assert (
        "network.yaml:19: [ps-1] layer 'sum' (op add) cannot run on programmable logic: it reads 'b' and 'act'"
        in message
    )
    assert "fix: leave engine: pl out: it runs on the processor then" in message


def test_a_layer_called_like_a_mover_is_refused() -> None:
    message = refusal(edited(MLP, "name: act2", "name: mm2s_mid"))
    assert "[name-1]" in message and "rename" in message


def test_large_networks_are_cut_quickly() -> None:
    rows = [
        f"  - {{name: c{i}, op: {'gelu' if i % 5 == 4 else 'conv2d, out_channels: 2, kernel: 1'}}}"
        for i in range(300)
    ]
    _, found = parts_of(network_yaml((2, 4, 4), rows))
    assert len(found.subgraphs) == 60
    assert np.array_equal([len(s) for s in found.subgraphs], [4] * 60)
