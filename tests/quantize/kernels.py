"""Designs of integers and bfloat16, and their array by itself against the reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from aieloom.emit.files import write_tree
from aieloom.emit.names import SIMULATED_IMAGES
from aieloom.emit.project import render
from aieloom.emulator.program import emulate
from aieloom.network.layers import infer_shapes
from aieloom.ops import REGISTRY
from aieloom.ops.batch_norm import fold_network, fold_parameters
from aieloom.plan.build import make_plan
from aieloom.quantize.network import cast_network, quantise_network
from aieloom.spec.device import load_device
from aieloom.spec.lines import parse_yaml
from aieloom.spec.load import parse_network
from aieloom.spec.quantize import QuantizeSpec
from aieloom.spec.types import DataType
from aieloom.vitis import simdata
from tests.cost.counted import COUNTING, check_counts
from tests.designs import Design, weights_of
from tests.quantize.projects import inputs

BFLOAT16 = QuantizeSpec(activations="bfloat16", weights="bfloat16")
INT16 = QuantizeSpec.model_validate({"activations": "int16", "weights": "int16"})


def integer_design(text: str, settings: QuantizeSpec = QuantizeSpec()) -> Design:  # noqa: B008 - frozen
    """Plan a network in integers (or bfloat16), with seeded weights and calibration."""
    written = infer_shapes(parse_network(parse_yaml(text, "network.yaml"), REGISTRY), REGISTRY)
    folded = fold_network(written)
    weights = weights_of(written)
    for tensors in weights.values():
        if "running_var" in tensors:
            tensors["running_var"] = np.abs(tensors["running_var"]) + np.float32(0.5)
    trained = fold_parameters(folded, weights)
    if settings.dtype is DataType.BFLOAT16:
        q = cast_network(folded.network, trained, settings)
    else:
        q = quantise_network(folded.network, trained, settings, inputs(written.x.shape, 16))
    plan = make_plan(q.network, load_device(written.spec.target), REGISTRY)
    return Design(q.network, plan, {name: dict(t) for name, t in q.parameters.items()})


def run_array(design: Design, folder: Path, scale: float = 1.5, least: int = 101) -> None:
    """Run the array alone on images, some of whose values are beyond the calibrated range.

    Every stream is compared with the reference, at least so many elements, and what the kernels did with the model.
    """
    write_tree(folder, render(design.plan, design.parameters), owned=())
    images = inputs(design.plan.x.shape, SIMULATED_IMAGES, seed=9) * np.float32(scale)
    streams = simdata.streams(design.plan, design.parameters, images)
    simdata.write_inputs(folder, streams)
    aie = folder / "src" / "aie"
    arch = design.plan.device.architecture.value
    done = emulate(
        aie / "graph.cpp", includes=[aie], arch=arch, data=folder, out=folder / "out", defines=COUNTING
    )
    assert done.code == 0, done.stderr
    agreement = simdata.compare(folder / "out", streams)
    assert agreement.bit_exact, agreement
    assert agreement.expected >= least
    check_counts(design.plan, done.stdout)
