"""The projects of integers: their plans and references at once, their emulated systems in the nightly run."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.flow.designs import design_of
from aieloom.flow.judged import walked
from aieloom.flow.opening import open_project
from aieloom.flow.project import Project
from aieloom.flow.quality import Measured, accuracy, faults
from aieloom.flow.samples import Samples, load_samples
from aieloom.quantize.floats import float_activations
from aieloom.quantize.loss import LayerLoss
from aieloom.reference.layerwise import torch_layers
from aieloom.reference.results import hardware_reference
from aieloom.spec.quality import QualitySpec
from aieloom.spec.types import DataType
from tests.designs import ROOT

# Least accuracy of what is emulated.
PROJECTS = {
    "xor": 0.99, "iris": 0.97, "jet": 0.87, "autoencoder": None, "mnist_int8": 0.97, "mnist": 0.97, "mnist_wide": 0.97,
    "resnet8": 0.9
}  # fmt: skip
LARGE = {"mnist_int8": 60, "mnist": 60, "mnist_wide": 20, "resnet8": 100}  # samples that are enough here
WEIGHTS_LIMIT = 500_000


def opened(name: str, build: Path) -> Project:
    return open_project(ROOT / "projects" / name, build=build)


def first(samples: Samples, count: int) -> Samples:
    labels = None if samples.labels is None else samples.labels[:count]
    return dataclasses.replace(samples, names=samples.names[:count], x=samples.x[:count], labels=labels)


def broken(
    losses: tuple[LayerLoss, ...], quality: QualitySpec, accuracies: Mapping[str, float] | None = None
) -> tuple[str, ...]:
    """Return the bounds of 8-bit integers that layers and accuracies break."""
    found = Measured(names=(), psnr=None, psnr_loss=None, accuracies=accuracies or {}, losses=lambda: losses)
    return faults(found, quality, quality.bounds(DataType.INT8), "do better")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n == "resnet8" else n for n in PROJECTS]
)
def test_integers_keep_the_accuracy(name: str, tmp_path: Path) -> None:
    project = opened(name, tmp_path)
    assert project.weights.stat().st_size < WEIGHTS_LIMIT
    samples, q = load_samples(project), project.quantised
    assert q is not None
    assert len(samples) >= 500
    samples = first(samples, LARGE.get(name, len(samples)))
    y = hardware_reference(project.array, project.parameters, samples.x)
    *_, (_, floats) = float_activations(q.floats, q.float_parameters, samples.x, q.holds)
    found = {}
    if samples.labels is not None:
        found = {"float": accuracy(floats, samples.labels), "emulated": accuracy(y, samples.labels)}
        assert found["emulated"] >= (PROJECTS[name] or 0)
    losses = walked(design_of(project).evaluated, samples.x, q=q).losses
    assert broken(losses, project.network.spec.quality, found) == ()
    power = 10 * np.log10((floats.astype(np.float64) ** 2).sum() / ((floats - y) ** 2).sum())
    assert losses[-1].sqnr_db == pytest.approx(power, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PROJECTS, "espcn-int8", "espcn-int8-pow2"])
@pytest.mark.parametrize("target", ["vck190", "vek280"])
def test_the_emulated_system_gives_the_references_elements(name: str, target: str, tmp_path: Path) -> None:
    if name in ("mnist", "mnist_wide") and target == "vck190":
        pytest.skip("the first AI Engines have no bfloat16")
    design = aieloom.design(ROOT / "projects" / name, target=target, build=tmp_path)
    x = load_samples(opened(name, tmp_path)).x
    assert np.array_equal(design.emulate(x), design.reference(x))


def test_a_loss_beyond_the_bound_names_the_layer(tmp_path: Path) -> None:
    project = opened("jet", tmp_path)
    samples, q = load_samples(project), project.quantised
    assert q is not None
    losses = walked(design_of(project).evaluated, samples.x, q=q).losses
    worst = min(losses, key=lambda la: la.own_sqnr_db).layer
    (fault,) = broken(losses, QualitySpec(min_sqnr_db=60.0))
    assert fault.startswith(f"layer '{losses[0].layer}': quantisation leaves {losses[0].sqnr_db:.1f} dB")
    assert f"loses most by itself is '{worst}'" in fault
    (fault,) = broken(losses, QualitySpec(), {"float": 0.95, "emulated": 0.9})
    assert fault.startswith("accuracy 0.9000 instead of 0.9500 with float weights, max_accuracy_loss is 0.03")


def test_a_spoiled_layer_is_the_one_that_is_named(tmp_path: Path) -> None:
    """Weights of one layer are made worthless behind quantisation's back: its own noise must show it, no other's."""
    project = opened("jet", tmp_path)
    q = project.quantised
    assert q is not None
    spoiled = {n: dict(t) for n, t in q.parameters.items()}
    spoiled["fc2"]["weight"] = np.roll(spoiled["fc2"]["weight"], 1, axis=1)
    worse = dataclasses.replace(project, quantised=dataclasses.replace(q, parameters=spoiled))
    losses = walked(design_of(worse).evaluated, load_samples(project).x, q=q).losses
    own = {la.layer: la.own_sqnr_db for la in losses}
    assert own["fc2"] < 10 < min(v for n, v in own.items() if n != "fc2")


@pytest.mark.parametrize("name", ["jet", "mnist"])
def test_each_layer_is_compared_with_the_float_layer_that_it_stands_for(name: str, tmp_path: Path) -> None:
    """Also where a relu is fused into the layer before it: its output is then the relu's."""
    pytest.importorskip("torch")
    project = opened(name, tmp_path)
    x = load_samples(project).x[:8]
    wanted = dict(torch_layers(project.network, project.float_parameters, x))
    evaluated = design_of(project).evaluated
    found = walked(evaluated, x, wanted=wanted, shown=project.shown_layers).errors
    assert len(found) == len(project.array.aie) + sum(len(g.steps) for g in project.array.pl)
    assert all((e.sqnr_db or 100) > 20 for e in found), found
    last = "pool1" if name == "mnist" else "act1"  # a chain's kernel does the pool behind the relu as well
    assert (last in {e.layer for e in found}) and ("fc1" not in {e.layer for e in found})


def test_accuracy_counts_classes_and_single_scores() -> None:
    scores = np.array([[0.1, 0.9], [0.8, 0.2]]).reshape(2, 2, 1, 1)
    assert accuracy(scores, np.array([1, 1])) == 0.5
    assert accuracy(np.array([0.7, 0.2, 0.6]).reshape(3, 1, 1, 1), np.array([1, 0, 0])) == pytest.approx(
        2 / 3
    )
