"""Where a project's integers come from: its float weights and calibration inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from aieloom.arrays import Floats
from aieloom.errors import SpecError
from aieloom.flow.sample_file import read_samples
from aieloom.network.layers import Network, Parameters
from aieloom.network.readers.models import is_quantised_model, read_model
from aieloom.network.tensor import Quantisation
from aieloom.quantize.network import (
    GivenScales,
    Quantised,
    cast_network,
    given_network,
    quantise_network,
)
from aieloom.spec.network import MASK
from aieloom.spec.quantize import QuantizeSpec, Scales
from aieloom.spec.types import DataType

if TYPE_CHECKING:
    from aieloom.network.readers.onnx_import import OnnxNetwork

RECORD = Quantisation(scale=1.0, zero_point=0)  # of all inputs together: nobody makes elements of it
CALIBRATION_SAMPLES = 1024  # the first ones of the file


def quantised(
    network: Network,
    parameters: Mapping[str, Parameters],
    folder: Path,
    weights: Path,
    *,
    in_turn: bool = False,
) -> Quantised | None:
    """Return the integer network that network.yaml's `quantize:` asks for, or that the ONNX model is; else None.

    `in_turn`: engines on an array and beside it take its layers in their turn.

    Raises:
        SpecError: there are no calibration inputs, or the network cannot be quantised.
    """
    settings, spec = network.spec.quantize, network.spec
    if is_quantised_model(weights):
        model = read_model(weights, shown_as=weights.name)
        return _as_it_is(network, parameters, model, settings or QuantizeSpec())
    if settings is None:
        return None
    if settings.dtype is DataType.BFLOAT16:
        return cast_network(network, parameters, settings)
    if settings.calibration is None:
        text = f"there are no inputs to calibrate on, for activations of {settings.dtype.value}"
        remedy = "write calibration: data/calib.npz, whose array 'x' holds typical inputs"
        raise SpecError(spec.source.problem("quant-1", ("quantize",), text, remedy))
    x = read_samples(folder / settings.calibration, network)["x"][:CALIBRATION_SAMPLES]
    _check_masks(network, x, settings.calibration)
    return quantise_network(network, parameters, settings, x, in_turn=in_turn)


def _check_masks(network: Network, x: Floats, file: str) -> None:
    """Refuse samples of which nothing follows about what a mask does: all have the same.

    Raises:
        SpecError: with its name.
    """
    at = 0
    for given in network.spec.inputs:
        size = prod(given.shape)
        seen = np.unique(x.reshape(len(x), -1)[:, at : at + size])
        at += size
        computed = any(r.op not in ("embedding", "attention") for r in network.readers(given.name))
        if given.below == MASK and computed and len(seen) == 1:
            text = f"'{given.name}' is {seen[0]:g} in all {len(x)} samples, from which no scale of what it hides follows"
            raise SpecError(
                rule="quant-1", file=file, text=text, remedy="calibrate on masks of ones and zeros"
            )


def _as_it_is(
    network: Network, parameters: Mapping[str, Parameters], model: OnnxNetwork, settings: QuantizeSpec
) -> Quantised:
    """Return the integer network of a quantised ONNX model.

    Raises:
        SpecError: network.yaml has other layers than the model, or the model leaves a quantisation open.
    """
    spec = network.spec
    own = [layer.name for layer in spec.layers[len(spec.inputs) :]]
    if own != [layer["name"] for layer in model.layers]:
        count = len(model.layers)
        text = f"the model is quantised, and its scales are those of its own {count} layers"
        raise SpecError(spec.source.problem("quant-5", ("layers",), text, "leave 'layers:' out"))
    several = [given.name for given in spec.inputs]
    open_ = [name for name in several if name not in model.quants and not _only_picks(network, name)]
    if open_ or (not several and model.input_quant is None):
        name = open_[0] if open_ else model.input_name
        text = f"the model does not say what its input is quantised to: '{name}'"
        raise SpecError(
            spec.source.problem("quant-5", ("weights",), text, "put QuantizeLinear behind its input")
        )
    said, whose = settings.model_fields_set, "ONNX" if model.scaling is Scales.ONNX else "TensorFlow Lite"
    if "scales" in said and settings.scaling is not model.scaling:
        text = f"the model is quantised by {whose}'s definition, scales: {model.scaling.value}, not {settings.scales}"
        raise SpecError(spec.source.problem("quant-5", ("quantize", "scales"), text, "leave 'scales:' out"))
    if settings.overflow == "wrap":
        text = f"the model is quantised by {whose}'s definition, which saturates, not overflow: {settings.overflow}"
        raise SpecError(
            spec.source.problem("quant-5", ("quantize", "overflow"), text, "leave 'overflow:' out")
        )
    settings = settings.model_copy(update={"scales": model.scaling.value})
    network = replace(network, spec=spec.model_copy(update={"quantize": settings}))
    scales = GivenScales(results=model.quants, weights=model.scales)
    return given_network(network, parameters, settings, model.input_quant or RECORD, scales)


def _only_picks(network: Network, name: str) -> bool:
    """Tell whether an input is numbers of tokens, which stay what they are."""
    return all(reader.op == "embedding" for reader in network.readers(name))
