"""Layers on the processor: their functions, their C++ bit for bit, which layers go there, and the whole system."""

from __future__ import annotations

import re
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aieloom
from aieloom.emit.library import library_file
from aieloom.emulator.compiler import Unit, compile_unit
from aieloom.errors import CannotFit, SpecError
from aieloom.flow.quality import accuracy
from aieloom.network.tensor import TensorType
from aieloom.ops import REGISTRY, exact
from aieloom.ops.pointwise import FUNCTIONS
from aieloom.plan.build import make_plan
from aieloom.plan.types import array_of
from aieloom.quantize.network import quantise_network
from aieloom.reference.forward import evaluate
from aieloom.reference.results import analyse, hardware_reference, torch_reference
from aieloom.spec.device import load_device
from aieloom.spec.quantize import QuantizeSpec
from aieloom.spec.types import DataType
from tests.designs import Design, network_of, plan_of, refusal, weights_of
from tests.ops.networks import MAKERS, PS_MAKERS, network_yaml, row
from tests.quantize.projects import inputs, write_project

COUNTS = {
    op: max(2, REGISTRY[op].arity[0]) for op in REGISTRY if REGISTRY[op].arity[1] > 1
}  # of joins' inputs
# matmul is dense with its weight turned; lstm and gru take rows of gates (below, test_op_lstm.py, test_op_gru.py)
OPS = sorted({*MAKERS, *PS_MAKERS} - {"batch_norm", "gru", "lstm", "matmul"})
GATES = {"gru": (12, 2, 3), "lstm": (8, 3, 2)}  # as many channels as gates
FIRST = "  - {name: first, op: conv2d, out_channels: 2, kernel: 1}"
SPECIAL = np.array([0.0, -0.0, 1e-30, -1e-6, 0.3, 5.5, -7.25, 90.0, -104.0, 3e38, np.inf, -np.inf, np.nan])


def keys_of(op: str, random: np.random.Generator, x: TensorType) -> dict[str, Any]:
    """Return random keys of a layer; a join of any number of inputs has two."""
    joined = {"inputs": ["x"] * COUNTS[op]} if op in COUNTS else {}
    return {**joined, **({**MAKERS, **PS_MAKERS}[op](random, x) or {})}


@lru_cache(maxsize=128)
def on_processor(op: str, seed: int) -> Design:
    """Return a design whose first layer is one of `op` on the processor, behind it a convolution."""
    random = np.random.default_rng(seed)
    shape = (
        GATES[op]
        if op in GATES
        else (int(random.integers(1, 7)), int(random.integers(2, 6)), int(random.integers(2, 6)))
    )
    keys = keys_of(op, random, TensorType(shape, DataType.FLOAT32))
    network = network_of(network_yaml(shape, [row("l", op, keys), FIRST]) + "mapping:\n  l: {engine: ps}\n")
    plan = make_plan(network, load_device("vck190"), REGISTRY)
    return Design(network, plan, weights_of(network, seed))


@pytest.mark.parametrize("name", ["exp", "expm1", "erf", "tanh", "sigmoid", "softplus", "log"])
def test_exact_functions_are_within_1e_12(name: str) -> None:
    torch: Any = pytest.importorskip("torch")
    x = np.concatenate(
        [np.linspace(-20, 20, 4001), np.geomspace(1e-30, 90, 501), -np.geomspace(1e-30, 90, 501)]
    )
    x = np.abs(x) + 1e-40 if name == "log" else x
    given = torch.from_numpy(x)
    true = (
        torch.logaddexp(given, torch.zeros_like(given)) if name == "softplus" else getattr(torch, name)(given)
    )
    wanted = true.numpy()
    error = np.abs(getattr(exact, name)(x) - wanted) / np.maximum(np.abs(wanted), 1e-30)
    assert error.max() < 2e-12


def test_exact_functions_of_what_is_no_number() -> None:
    ends = np.array([np.nan, np.inf, -np.inf])
    with np.errstate(all="ignore"):
        for name, wanted in {
            "erf": [1, -1],
            "tanh": [1, -1],
            "sigmoid": [1, 0],
            "log": [np.inf, np.nan],
        }.items():
            found = getattr(exact, name)(ends).astype(np.float32)
            assert np.isnan(found[0])
            np.testing.assert_array_equal(found[1:], np.array(wanted, np.float32), err_msg=name)
        assert exact.exp(ends)[1:].astype(np.float32).tolist() == [np.inf, 0]
        assert exact.log(np.zeros(1))[0] == -np.inf


@pytest.mark.parametrize("op", [*OPS, *GATES])
def test_the_processors_reference_is_pytorchs(op: str) -> None:
    torch: Any = pytest.importorskip("torch")
    for seed in range(2):
        design = on_processor(op, seed)
        assert design.plan.processor is not None
        (step,) = design.plan.processor.segments[0].steps
        layer = design.network.layers[0]
        x = np.random.default_rng(seed).normal(0, 2, (3, *layer.x.shape)).astype(np.float32)
        x = np.abs(x) + np.float32(0.1) if op in ("log", "sqrt", "reciprocal", "div") else x
        _, given, y = next(evaluate(design.plan.steps, design.parameters, x))
        trained = {n: torch.from_numpy(v) for n, v in design.parameters.get("l", {}).items()}
        both = (torch.from_numpy(x),) * COUNTS[op] if op in COUNTS else torch.from_numpy(x)
        wanted = REGISTRY[op].torch_forward(layer.spec, trained, both).numpy()
        assert y.dtype == np.float32
        assert y.shape == wanted.shape == (3, *step.y.shape)
        assert given is x or op in COUNTS
        np.testing.assert_allclose(y, wanted, rtol=1e-5, atol=2e-6, err_msg=str(step.why))


def test_compiled_layers_give_the_references_bits(tmp_path: Path) -> None:
    """Every operator's C++ in one program, of the flags that the host program is compiled with; warnings are errors."""
    designs = [on_processor(op, seed) for op in (*OPS, *GATES) for seed in range(2)]
    text, calls, given, wanted = [HEAD], [], b"", []
    for i, design in enumerate(designs):
        header = design.files()["src/host/random_host.h"]
        body = "\n".join(la for la in header.splitlines() if not re.match(r"#(include|pragma once)", la))
        assert design.plan.processor is not None
        size, result = design.plan.x.elements, design.plan.subgraphs[0].x.elements
        text.append(f"namespace n{i} {{\n{body}\n}}")
        calls.append(f"run<n{i}::processor::Layers, {size}, {result}>();")
        x = np.random.default_rng(i).normal(0, 3, (2, *design.plan.x.shape)).astype(np.float32)
        flat = x[1].ravel()
        flat[: len(SPECIAL)] = SPECIAL[: len(flat)]
        _, _, y = next(evaluate(design.plan.steps, design.parameters, x))
        given += x.tobytes()
        wanted.append(np.asarray(y, np.float32))
    source = tmp_path / "layers.cpp"
    source.write_text("\n".join([*text, "int main() {", *calls, "}", ""]))
    compile_unit(
        Unit(source=source, includes=(), options=("-O1", "-Wall", "-Wextra", "-Werror")),
        tmp_path / "layers.o",
    )
    subprocess.run(["g++", tmp_path / "layers.o", "-o", tmp_path / "layers"], check=True)
    done = subprocess.run([tmp_path / "layers"], input=given, capture_output=True, check=True)
    found, at = np.frombuffer(done.stdout, np.float32), 0
    for design, y in zip(designs, wanted, strict=True):
        mine = found[at : at + y.size].reshape(y.shape)
        at += y.size
        same = (mine.view(np.uint32) == y.view(np.uint32)) | (np.isnan(mine) & np.isnan(y))
        assert same.all(), (design.network.layers[0].spec, mine[~same], y[~same])
    assert at == found.size


HEAD = (
    "".join(f'#include "{h}"\n' for h in sorted(library_file("aieloom/host/ps/exact.h").parent.glob("*.h")))
    + f'#include "{library_file("aieloom/host/gather.h")}"\n'
    + "".join(f'#include "{library_file(f"aieloom/pl/{h}.h")}"\n' for h in ("maps", "requantise", "tables"))
    + """\
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>
template <typename Layers, int kIn, int kOut>
void run() {
  for (int image = 0; image < 2; ++image) {
    static Layers layers;
    std::vector<float> x(kIn);
    if (std::fread(x.data(), sizeof(float), kIn, stdin) != kIn) std::exit(2);
    std::fwrite(layers.before_1(x.data()), sizeof(float), kOut, stdout);
  }
}
"""
)

# --- which layers go to the processor -----------------------------------------------------------------------------

MANY = [
    "  - {name: pre, op: sqrt}",
    "  - {name: border, op: pad, padding: 1}",
    "  - {name: root, op: exp}",
    "  - {name: c, op: conv2d, out_channels: 3, kernel: 3}",
    "  - {name: r, op: relu}",
    "  - {name: norm, op: layer_norm}",
    "  - {name: r2, op: relu}",
    "  - {name: best, op: argmax}",
]


def test_the_reasons_are_told() -> None:
    plan = plan_of(network_yaml((2, 4, 4), MANY))
    assert plan.processor is not None
    reasons = {s.name: s.reason for s in plan.processor.steps}
    assert list(reasons) == ["pre", "border", "root", "norm", "r2", "best"]
    assert reasons["border"] == "before 'root', which runs on the processor"
    assert reasons["root"] == "op exp has no form for float32 on programmable logic"
    assert reasons["norm"] == "op layer_norm runs on the processor only"
    (subgraph,) = plan.subgraphs
    assert (subgraph.sends, subgraph.receives) == ("root", "r")
    assert plan.cost.stages[0].name == "host_before"
    assert plan.cost.stages[-1].name == "host_after"
    assert plan.cost.interval_us > max(s.interval_us for s in plan.cost.stages if s.kind != "ps")


def test_classes_are_compared_as_classes() -> None:
    """Behind an argmax a result is the class itself; a single score is a yes above one half."""
    labels = np.array([2, 0, 1, 1])
    assert accuracy(np.array([2, 0, 1, 2], np.float32).reshape(4, 1, 1, 1), labels, classes=True) == 0.75
    assert accuracy(np.array([0.1, 0.2, 0.9, 0.6], np.float32).reshape(4, 1, 1, 1), labels) == 0.75
    scores = np.eye(3, dtype=np.float32)[[2, 0, 1, 0]].reshape(4, 3, 1, 1)
    assert accuracy(scores, labels) == 0.75


def test_layers_between_the_network_s_end_and_the_processors_go_there_too() -> None:
    rows = ["  - {name: turn, op: relu}", "  - {name: e, op: exp}", FIRST, "  - {name: p, op: softmax}"]
    plan = plan_of(network_yaml((2, 4, 4), rows))
    assert plan.processor is not None
    assert {s.name: s.reason for s in plan.processor.steps}[
        "turn"
    ] == "before 'e', which runs on the processor"
    assert plan.subgraphs[0].receives == "p"


CONV = "  - {{name: {0}, op: conv2d, out_channels: 2, kernel: 1{1}}}"
REFUSED = {
    "[ps-1] layer 's' (op add) cannot run on programmable logic: it reads 'first' and 'input', which do not come out": [
        "  - {name: e, op: exp}",
        FIRST,
        "  - {name: s, op: add, inputs: [first, x]}",
    ],
    "engine: ps takes no other key: leave clock_mhz out": [FIRST, "  - {name: r, op: relu}"],
    "[ps-2] layer 'g': op gelu has no form for float32": ["  - {name: g, op: gelu}", FIRST],
    "[aie-1] no layer runs on AI Engines": ["  - {name: g, op: gelu}"],
}
MAPPED = {
    "engine: ps takes": "r: {engine: ps, clock_mhz: 200}",
    "[ps-2]": "g: {engine: pl}",
    "[ps-1]": "s: {engine: pl}",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_cut_is_refused(words: str) -> None:
    mapping = next((f"mapping:\n  {m}\n" for key, m in MAPPED.items() if key in words), "")
    message = refusal(network_yaml((2, 4, 4), REFUSED[words]) + mapping)
    assert words in message
    assert "network.yaml:" in message


def test_an_operator_of_a_project_without_a_form_is_refused() -> None:
    """A window of a plug-in has no function for the processor until it gives one."""
    del_template = REGISTRY["pad"]
    network = network_of(
        network_yaml((2, 4, 4), ["  - {name: l, op: pad, padding: 1}", FIRST])
        + "mapping:\n  l: {engine: ps}\n"
    )

    class Bare(type(del_template)):  # type: ignore[misc]  # pad as a plug-in would have it
        processor_template = None

    with pytest.raises(CannotFit, match=r"\[ps-2\] layer 'l': op pad has no form for the processor"):
        make_plan(network, load_device("vck190"), {**REGISTRY, "pad": Bare()})


def test_integers_begin_where_the_processor_ends() -> None:
    """The head computes in float32 and its result is quantised; the tail reads what elements mean; nothing between."""
    network = network_of(network_yaml((2, 4, 4), MANY) + "mapping:\n  pre: {engine: ps}\n")
    x = np.abs(np.random.default_rng(0).normal(0, 1, (8, 2, 4, 4))).astype(np.float32)
    q = quantise_network(network, weights_of(network), QuantizeSpec(), x)
    plan = make_plan(q.network, load_device("vek280"), REGISTRY)
    assert plan.processor is not None
    assert [s.layer for s in plan.processor.steps] == ["pre", "norm", "r2", "best"]  # exp has a table
    (subgraph,) = plan.subgraphs
    assert subgraph.x.quant is not None and subgraph.y.quant is not None
    values = {s.name: (np.asarray(g), y) for s, g, y in evaluate(plan.steps, q.parameters, x)}
    assert values["pre"][1].dtype == np.float32
    assert values["border"][0].dtype == np.int8
    assert values["norm"][0].dtype == np.float32
    steps = values["norm"][0] / np.float32(subgraph.y.quant.scale)
    assert np.abs(steps - np.rint(steps)).max() < 1e-3
    assert hardware_reference(plan, q.parameters, x).shape == (8, 1, 4, 4)


def test_nothing_is_claimed_of_what_the_analysis_cannot_follow() -> None:
    pytest.importorskip("torch")
    network = network_of(network_yaml((2, 4, 4), MANY))
    plan, weights = make_plan(network, load_device("vck190"), REGISTRY), weights_of(network)
    x = np.abs(np.random.default_rng(0).normal(0, 1, (4, 2, 4, 4))).astype(np.float32)
    found = analyse(plan, weights, x)
    assert found.reached.all()
    assert np.array_equal(found.hardware, hardware_reference(plan, weights, x))
    assert np.array_equal(found.hardware, torch_reference(network, weights, x))


def test_functions_of_integers_are_tables_on_programmable_logic() -> None:
    rows = [FIRST, *(f"  - {{name: f_{op}, op: {op}}}" for op in FUNCTIONS), CONV.format("last", "")]
    network = network_of(network_yaml((2, 3, 3), rows))
    x = np.random.default_rng(0).normal(0, 1, (8, 2, 3, 3)).astype(np.float32)
    functions = [la for la in network.layers if la.op in FUNCTIONS]
    assert len(functions) == len(FUNCTIONS)
    floats = make_plan(network, load_device("vck190"), REGISTRY)
    assert floats.processor is not None
    assert [s.name for s in floats.processor.segments[1].steps] == [la.name for la in functions]
    some = [r for r in rows if not re.search(r"op: (log|sqrt|reciprocal|exp)\}", r)]
    network = network_of(network_yaml((2, 3, 3), some))
    plan = make_plan(
        quantise_network(network, weights_of(network), QuantizeSpec(), x).network,
        load_device("vck190"),
        REGISTRY,
    )
    assert plan.processor is None


def test_a_logarithm_of_what_is_not_above_0_is_not_calibrated() -> None:
    network = network_of(network_yaml((2, 3, 3), [FIRST, "  - {name: l, op: log}"]))
    x = np.random.default_rng(0).normal(0, 1, (8, 2, 3, 3)).astype(np.float32)
    with pytest.raises(SpecError, match=r"network.yaml:7: \[quant-6\] layer 'l' \(op log\) gives NaN"):
        quantise_network(network, weights_of(network), QuantizeSpec(), x)


# --- the whole system --------------------------------------------------------------------------------------------

SYSTEM = """\
name: ends
target: {target}
weights: w.safetensors
input: {{name: x, shape: [2, 6, 6]}}
layers:
  - {{name: pre, op: gelu}}
  - {{name: c, op: conv2d, out_channels: 4, kernel: 3}}
  - {{name: act, op: relu}}
  - {{name: d, op: dense, out_features: 6}}
  - {{name: norm, op: layer_norm}}
  - {{name: mean, op: reduce_mean, axes: [channels, width, height], inputs: [pre]}}
  - {{name: raw, op: reduce_mean, axes: [height, width, channels], inputs: [x]}}
  - {{name: scaled, op: mul, inputs: [norm, mean]}}
  - {{name: less, op: sub, inputs: [scaled, raw]}}
  - {{name: out, op: dense, out_features: 3}}
mapping:
  pre: {{engine: ps}}
  out: {{engine: ps}}
"""


def check_system(folder: Path, target: str, quantize: str) -> None:
    text = SYSTEM.format(target=target)
    made = write_project(folder, text, quantize)
    if not quantize:
        (made / "network.yaml").write_text(text)
    design = aieloom.design(made, build=made / "build")
    processor = array_of(design.plan).processor
    assert processor is not None
    assert [s.layer for s in processor.segments[0].steps] == ["pre", "mean", "raw"]
    x = inputs((2, 6, 6), 5)
    y = design.emulate(x)
    assert np.array_equal(y, design.reference(x))
    tolerance = {"": 1e-5, "activations: int8": 0.3}.get(quantize, 0.1)
    assert np.abs(y - design.torch(x)).max() < tolerance * np.abs(y).max()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "quantize"),
    [
        ("vck190", ""),
        ("vek280", "activations: int8"),
        ("vek280", "activations: bfloat16, weights: bfloat16"),
    ],
)
def test_the_system_computes_what_the_reference_does(target: str, quantize: str, tmp_path: Path) -> None:
    """Results of the processor enter the array, leave it, and meet earlier ones and the input."""
    pytest.importorskip("torch")
    check_system(tmp_path, target, quantize)
