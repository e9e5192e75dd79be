"""Layers that take turns are looked at as the network has them: fused ones together, attention in one, parts with cores each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from aieloom.errors import SpecError
from aieloom.flow.designs import design_of as flow_design
from aieloom.flow.judged import walked
from aieloom.flow.project import Project
from aieloom.flow.sequential import design_of
from aieloom.quantize.floats import float_activations
from aieloom.sequential.plan import engines_of
from aieloom.sequential.reference import reference
from aieloom.spec.network import INPUT
from aieloom.units.plan import faults
from tests.heavy import torch
from tests.sequential.hybrids import hybrid
from tests.sequential.networks import NETWORK, opened, quantised
from tests.sequential.transformers import opened as exported
from tests.sequential.vit import SHAPE, Vit


def vit(folder: Path) -> Project:
    x = np.random.default_rng(2).normal(size=(20, *SHAPE)).astype(np.float32)
    np.savez(folder / "calib.npz", x=x)
    torch.manual_seed(1)
    settings = "quantize: {activations: int8, weights: int8, calibration: calib.npz}\n"
    return exported(folder, Vit(), SHAPE, "vck190", settings)


MADE: dict[str, Callable[[Path], Project]] = {
    "floats": lambda folder: opened(folder, NETWORK),
    "floats on the array": lambda folder: opened(folder, NETWORK.replace("zcu104", "vek280")),
    "integers": lambda folder: opened(folder, quantised("multiplier")),
    "attention": vit,
    "front": lambda folder: hybrid(folder, "front"),
    "back": lambda folder: hybrid(folder, "back"),
}


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.filterwarnings("ignore")
def test_each_layer_once_given_what_others_made(kind: str, tmp_path: Path) -> None:
    project = MADE[kind](tmp_path)
    x = np.random.default_rng(5).normal(0, 1, (3, *project.x.shape)).astype(np.float32)
    found = list(design_of(project).evaluated(x))
    layers = {layer.name: layer for layer in project.planned.layers}
    assert [name for step in found for name in step.layers] == list(layers)
    made = {INPUT: x} | {step.name: step.made.meaning for step in found}
    fused = {name: step.name for step in found for name in step.layers}
    for step in found:
        outside = [n for name in step.layers for n in layers[name].inputs if n not in step.layers]
        assert step.inputs == tuple(dict.fromkeys(outside))
        for name, given in zip(step.inputs, step.given, strict=True):
            wanted = made[fused.get(name, name)].reshape(given.values.shape)
            step_of_it = given.type.quant.scale / 2 if given.type.quant else 2.0**-8 * np.abs(wanted).max()
            inside = np.abs(wanted) < (127 * given.type.quant.scale if given.type.quant else np.inf)
            assert np.abs(given.meaning - wanted)[inside].max(initial=0) <= step_of_it * 1.001, (step, name)
    assert (
        found[-1].made.meaning.tobytes()
        == reference(engines_of(project.plan).steps, project.parameters, x).tobytes()
    )


@pytest.mark.parametrize("kind", ["integers", "attention", "front"])
@pytest.mark.filterwarnings("ignore")
def test_the_last_layer_s_loss_is_that_of_the_results(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one batch and in several."""
    project = MADE[kind](tmp_path)
    q = project.quantised
    assert q is not None
    x = np.random.default_rng(5).normal(0, 1, (5, *project.x.shape)).astype(np.float32)
    evaluate = design_of(project).evaluated
    whole = walked(evaluate, x, q=q)
    *_, (_, floats) = float_activations(q.floats, q.float_parameters, x, q.holds)
    noise = ((floats - whole.y) ** 2).sum()
    assert whole.losses[-1].sqnr_db == pytest.approx(10 * np.log10((floats**2).sum() / noise), abs=1e-6)
    monkeypatch.setattr("aieloom.flow.judged.TOGETHER", 1)
    apart = walked(evaluate, x, q=q)
    assert apart.y.tobytes() == whole.y.tobytes()
    for one, other in zip(apart.losses, whole.losses, strict=True):
        assert one.layer == other.layer
        assert one.sqnr_db == pytest.approx(other.sqnr_db) and one.own_sqnr_db == pytest.approx(
            other.own_sqnr_db
        )


TWO = """\
name: small
target: zcu104
weights: weights.safetensors
execution: sequential
inputs: [{name: left, shape: [3, 13, 11]}, {name: right, shape: [3, 13, 11]}]
layers:
  - {name: sum, op: add, inputs: [left, right]}
  - {name: conv, op: conv2d, out_channels: 40, kernel: [3, 2], stride: [2, 1], padding: [1, 0]}
"""


@pytest.mark.parametrize("kind", ["integers", "attention", "two inputs"])
@pytest.mark.filterwarnings("ignore")
def test_each_layer_alone_is_a_sound_plan_that_can_be_printed(kind: str, tmp_path: Path) -> None:
    """Also of layers that read a part of what is brought, issue nothing, or take no time."""
    project = opened(tmp_path, TWO) if kind == "two inputs" else MADE[kind](tmp_path)
    printed = 0
    for step in engines_of(project.plan).steps:
        try:
            alone = design_of(project).alone(step.layer).project
        except SpecError:  # its values lie where they are
            continue
        assert [*faults(flow_design(alone).plan)] == [], step.layer
        assert "src/system.cfg" in flow_design(alone).render()
        printed += 1
    assert printed >= 2
