"""The processor's own time: PyTorch's, measured on this machine, which is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from aieloom.flow.baseline import BATCHES, _forward, machine, measured
from aieloom.flow.opening import open_project
from aieloom.reference.results import torch_reference
from tests.heavy import torch

IRIS = Path(__file__).resolve().parents[2] / "projects" / "iris"


def test_what_is_timed_is_the_network() -> None:
    project = open_project(IRIS)
    network, parameters = project.network, project.float_parameters
    x = np.random.default_rng(2).normal(size=(7, *network.x.shape)).astype(np.float32)
    with torch.no_grad():
        y = _forward(network, parameters)(torch.from_numpy(x)).numpy()
    np.testing.assert_allclose(y.reshape(7, -1), torch_reference(network, parameters, x).reshape(7, -1))
    times = dict(measured(network, parameters, x))
    assert list(times) == list(BATCHES[: len(times)]) and all(s > 0 for s in times.values())


def test_the_machine_has_a_name() -> None:
    assert len(machine()) > 3
