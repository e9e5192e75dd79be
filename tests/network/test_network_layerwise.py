"""Each layer's own error: zero against itself, and where an error was put it is found."""

from __future__ import annotations

import numpy as np
import pytest

from aieloom.flow.designs import design_of
from aieloom.flow.judged import walked
from aieloom.flow.opening import open_project
from aieloom.network.quantisation import dequantise
from aieloom.reference.layerwise import difference, shown_layers, torch_layers
from aieloom.reference.results import hardware_reference, torch_reference
from tests.designs import ROOT


def test_the_figures_are_those_of_the_definition() -> None:
    wanted = np.array([3.0, 4.0])
    found = difference("a", np.array([3.0, 4.5]), wanted)
    assert (found.max_abs_err, found.mean_abs_err) == (0.5, 0.25)
    assert found.sqnr_db == pytest.approx(10 * np.log10(25 / 0.25), abs=0.005)
    same = difference("a", wanted.reshape(1, 2), wanted)
    assert (same.max_abs_err, same.sqnr_db) == (0.0, None)
    with pytest.raises(ValueError, match="against"):
        difference("a", np.zeros(3), wanted)


def test_the_last_layers_are_the_references() -> None:
    project = open_project(ROOT / "projects" / "espcn")
    x = np.random.default_rng(2).uniform(0, 1, (1, 1, 16, 16)).astype(np.float32)
    hardware = dict(shown_layers(design_of(project).evaluated(x)))
    names = [layer.name for layer in project.network.layers]
    assert list(hardware) == names
    assert np.array_equal(hardware[names[-1]], hardware_reference(project.array, project.parameters, x))
    pytest.importorskip("torch")
    trained = dict(torch_layers(project.network, project.parameters, x))
    assert np.array_equal(trained[names[-1]], torch_reference(project.network, project.parameters, x))
    errors = {e.layer: e for e in walked(design_of(project).evaluated, x, wanted=trained).errors}
    assert errors["conv1"].max_abs_err < 1e-5, "only rounding"
    assert 1e-4 < errors["tanh1"].max_abs_err < 0.01, "the table's step, 1/256 wide"


def test_8_bit_layers_are_compared_by_what_their_elements_mean() -> None:
    project = open_project(ROOT / "projects" / "iris")
    x = np.random.default_rng(2).uniform(0, 1, (5, *project.plan.x.shape)).astype(np.float32)
    found = list(shown_layers(design_of(project).evaluated(x)))
    last, y = found[-1]
    quant = project.plan.y.quant
    assert quant is not None
    elements = hardware_reference(project.array, project.parameters, x)
    assert last == project.network.layers[-1].name and y.dtype.kind == "f"
    if elements.dtype.kind == "i":
        elements = dequantise(elements, quant)
    assert np.allclose(y, elements)
