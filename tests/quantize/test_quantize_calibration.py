"""What calibration chooses: scales with the least error where the network sees it, biases that keep the means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from aieloom.flow.designs import design_of
from aieloom.flow.judged import judged
from aieloom.flow.opening import open_project
from aieloom.flow.samples import load_samples
from aieloom.network.elements import meaning, to_elements
from aieloom.network.quantisation import dequantise, quantise
from aieloom.network.tensor import Quantisation
from aieloom.ops import REGISTRY
from aieloom.plan.build import make_plan
from aieloom.plan.types import ArrayPart
from aieloom.quantize.floats import float_activations, itself
from aieloom.quantize.network import Quantised, quantise_network
from aieloom.quantize.scheme import activation_quantisation, of_range, weight_scales
from aieloom.reference.forward import evaluate
from aieloom.spec.device import load_device
from aieloom.spec.quantize import QuantizeSpec
from aieloom.spec.types import DataType
from tests.designs import ROOT, network_of, weights_of
from tests.ops.networks import network_yaml

Values = NDArray[Any]
SCALES = st.sampled_from(["multiplier", "power_of_two"])
INT8 = DataType.INT8


@given(st.integers(0, 2**32 - 1), st.floats(0.5, 20), SCALES, st.booleans())
def test_a_range_has_the_least_error_behind_the_function_that_reads_it(
    seed: int, spread: float, scales: str, symmetric: bool
) -> None:
    x = np.random.default_rng(seed).standard_t(3, 400) * spread
    spec = QuantizeSpec.model_validate({"method": "mse", "scales": scales, "symmetric": symmetric})

    def error(quant: Quantisation) -> float:
        found = np.tanh(dequantise(quantise(x, quant, INT8), quant).astype(np.float64))
        return float(((found - np.tanh(x)) ** 2).mean())

    chosen = error(activation_quantisation(x, spec, INT8, np.tanh))
    low, high = x.min(initial=0.0), x.max(initial=0.0)
    assert chosen <= error(of_range(low, high, spec, INT8)) * (1 + 1e-6)
    assert chosen <= error(activation_quantisation(x, spec, INT8, itself)) * (1 + 1e-6)


@given(st.integers(0, 2**32 - 1), SCALES, st.booleans())
def test_weights_have_the_least_error_of_the_narrower_ranges(
    seed: int, scales: str, by_channel: bool
) -> None:
    rng = np.random.default_rng(seed)
    weight = rng.standard_t(2, (3, 4, 3, 3)) * 10.0 ** rng.integers(-2, 2, (3, 1, 1, 1))
    keys = {"scales": scales, "per_channel": by_channel and scales == "multiplier"}
    found = {
        m: weight_scales(weight, np.zeros(3), 1.0, QuantizeSpec.model_validate({"method": m, **keys}), INT8)
        for m in ("min_max", "mse")
    }

    def errors(steps: Values) -> Values:
        s = steps[:, None]
        flat = weight.reshape(3, -1)
        error = ((np.clip(np.rint(flat / s), -127, 127) * s - flat) ** 2).sum(axis=1)
        return np.asarray(error if keys["per_channel"] else error.sum(keepdims=True))

    assert (errors(found["mse"]) <= errors(found["min_max"]) * (1 + 1e-6)).all()
    assert keys["per_channel"] or len(set(found["mse"])) == 1
    assert scales == "multiplier" or all(np.log2(s) == np.round(np.log2(s)) for s in found["mse"])


def drifts(plan: ArrayPart, q: Quantised, x: Values) -> list[float]:
    """Return how far the mean of any channel is off, in steps, for each product into which no relu is fused."""
    floats = {la.name: y for la, y in float_activations(q.floats, q.float_parameters, x)}
    layers = {la.name: la for la in q.network.layers}
    found = []
    for step, _, elements in evaluate(plan.steps, q.parameters, to_elements(x, plan.x)):
        layer = layers[step.name]
        if layer.requant and q.shown_names[layer.name] == layer.name and layer.y.quant:
            off = (meaning(elements, layer.y) - floats[layer.name]).mean(axis=(0, 2, 3))
            found.append(float(np.abs(off).max() / layer.y.quant.scale))
    return found


CHAIN = network_yaml(
    (2, 6, 6),
    [
        "  - {name: a, op: conv2d, out_channels: 5, kernel: 3, padding: 1}",
        "  - {name: soft, op: tanh}",
        "  - {name: b, op: conv2d, out_channels: 6, kernel: 3}",
        "  - {name: rest, op: relu}",
        "  - {name: c, op: dense, out_features: 3}",
    ],
)
JOINED = network_yaml(
    (2, 5, 5),
    [
        "  - {name: a, op: conv2d, out_channels: 4, kernel: 1}",
        "  - {name: cut, op: relu}",
        "  - {name: b, op: conv2d, out_channels: 4, kernel: 3, padding: 1}",
        "  - {name: sum, op: add, inputs: [b, cut]}",
        "  - {name: c, op: conv2d, out_channels: 3, kernel: 1, bias: false}",
    ],
)


@pytest.mark.parametrize("scales", ["multiplier", "power_of_two"])
@pytest.mark.parametrize("text", [CHAIN, JOINED], ids=["chain", "joined"])
def test_corrected_biases_keep_the_means_of_every_channel(text: str, scales: str) -> None:
    """By the integer reference, bit for bit what is emulated, against the float network; of products that clip nothing."""
    network = network_of(text)
    x = np.random.default_rng(3).uniform(-1, 1, (64, *network.x.shape)).astype(np.float32)
    means: dict[bool, list[float]] = {}
    for corrected in (False, True):
        keys = {"scales": scales, "bias_correction": corrected, "per_channel": False}
        q = quantise_network(network, weights_of(network), QuantizeSpec.model_validate(keys), x)
        plan = make_plan(q.network, load_device(network.spec.target), REGISTRY)
        means[corrected] = drifts(plan, q, x)
    assert len(means[True]) == 2
    assert max(means[True]) < 0.1, "a tenth of a step: what is left is the rounding of results"
    assert max(means[True]) < max(means[False]) / 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "least", "most_loss"), [("espcn-int8", 28.9, 0.55), ("espcn-int8-pow2", 28.7, 1.9)]
)
def test_super_resolution_keeps_what_it_gains_over_interpolation(
    name: str, least: float, most_loss: float, tmp_path: Path
) -> None:
    """The integer reference on the 24 test pictures; the bounds of network.yaml hold with a margin, none is a default."""
    project = open_project(ROOT / "projects" / name, build=tmp_path)
    found = judged(design_of(project), load_samples(project))
    assert found.faults == ()
    assert found.psnr is not None and found.psnr_loss is not None
    assert float(found.psnr.mean()) >= least and float(found.psnr_loss.max()) <= most_loss
    said = project.network.spec.quality
    assert said.min_psnr_db and said.min_psnr_db < least and said.max_psnr_loss_db
    calibration = project.folder / str(
        project.network.spec.quantize.calibration if project.network.spec.quantize else ""
    )
    tests = {x.tobytes() for x in load_samples(project).x}
    assert not tests & {x.tobytes() for x in np.load(calibration)["x"]}
