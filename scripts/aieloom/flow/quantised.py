"""Where a project's integers come from: its float weights and calibration inputs."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Floats, Values
from aieloom.errors import SpecError
from aieloom.network.inputs import taken_record
from aieloom.network.layers import Network, Parameters
from aieloom.network.readers.models import read_model
from aieloom.network.readers.suffixes import SUFFIXES
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

_HEADER_BYTES = 10_000  # of an array: its type and shape
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


def is_quantised_model(weights: Path) -> bool:
    """Tell whether a weights file is a model of integers, ONNX's or TensorFlow Lite's."""
    return (
        weights.suffix in SUFFIXES
        and weights.is_file()
        and read_model(weights, shown_as=weights.name).is_quantised
    )


def rounding_layers(weights: Path) -> frozenset[str]:
    """Return the layers for whose results a quantised ONNX model states elements; none of another file."""
    if not is_quantised_model(weights):
        return frozenset()
    return frozenset(read_model(weights, shown_as=weights.name).quants)


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


def read_samples(file: Path, network: Network) -> dict[str, Values]:
    """Return the arrays of an .npz file; `x` as the network's input `(n, channels, height, width)`, in real values.

    Of a network with several inputs `x` is the record of all, made of the arrays by their names.

    Raises:
        SpecError: it cannot be read, has not all of them, or one of another shape or with values that are no finite numbers.
    """
    found: dict[str, Values] = {**_arrays(file)}
    inputs = network.spec.graph_inputs
    names = [i.name for i in inputs] if len(inputs) > 1 else ["x"]
    missing = [name for name in names if name not in found]
    if missing:
        said = ", ".join(found) or "none"
        remedy = f"save it by np.savez(file, {', '.join(f'{name}=...' for name in names)})"
        raise _problem(file, f"has no array '{missing[0]}', only {said}", remedy)
    given = {name: found[name] for name in names} if len(inputs) > 1 else found["x"]
    x = taken_record(given, network.x, inputs, file=file.name)
    if not np.isfinite(x).all():
        said = " or ".join(f"'{name}'" for name in names)
        raise _problem(file, f"{said} has NaN or infinite values", "leave those samples out")
    return {**found, "x": x}


def _arrays(file: Path) -> dict[str, NDArray[np.generic]]:
    if file.exists() and not file.is_file():  # reading a pipe would wait for its writer for ever
        raise _problem(
            file, "is no file that can be read (a folder, a pipe or a device)", "name an .npz file"
        )
    try:
        with zipfile.ZipFile(file) as archive:
            return {name.removesuffix(".npy"): _array(archive, name) for name in archive.namelist()}
    except (
        Exception
    ) as e:  # damaged archives raise many kinds: BadZipFile, EOFError, zlib.error, KeyError ...
        text = f"is no readable .npz file: {str(e).splitlines()[0] if str(e) else type(e).__name__}"
        raise _problem(file, text, "make it again (doit train)") from e


def _array(archive: zipfile.ZipFile, name: str) -> NDArray[np.generic]:
    """Return an array; one that claims to be larger than what is there is refused before memory is taken for it."""
    with archive.open(name) as f:
        found = np.lib.format.read_array(f, allow_pickle=False, max_header_size=_HEADER_BYTES)
    return cast(NDArray[np.generic], found)


def _problem(file: Path, text: str, remedy: str) -> SpecError:
    return SpecError(rule="data", file=file.name, text=text, remedy=remedy)
