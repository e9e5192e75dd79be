"""Each layer's own output, by PyTorch and by the hardware's arithmetic: where a network's error comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Network, Parameters
from aieloom.ops import REGISTRY
from aieloom.reference.evaluated import Evaluated
from aieloom.reference.forward import Passing

AllParameters = Mapping[str, Parameters]


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerError:
    """How far a layer's output is from another evaluation's; SQNR is None where nothing differs."""

    layer: str
    max_abs_err: float
    mean_abs_err: float
    sqnr_db: float | None


def shown_layers(
    found: Iterable[Evaluated], shown: Mapping[str, str] | None = None
) -> Iterator[tuple[str, Values]]:
    """Yield each layer's name and output as the design computes it, in order; of integers what they mean.

    `shown` names the last of the layers that are fused into one, whose output it then gives.
    """
    for layer in found:
        yield (shown or {}).get(layer.name, layer.name), layer.made.meaning


def torch_layers(network: Network, parameters: AllParameters, x: Values) -> Iterator[tuple[str, Values]]:
    """Yield each layer's name and output by PyTorch's float32 operators, in order.

    Raises:
        ImportError: PyTorch is not installed.
    """
    import torch  # noqa: PLC0415 - seconds of start-up

    with torch.no_grad():
        passing = Passing(network.layers, torch.from_numpy(np.ascontiguousarray(x, np.float32)))
        for layer in network.layers:
            trained = {n: torch.from_numpy(np.array(v)) for n, v in parameters.get(layer.name, {}).items()}
            operator = REGISTRY[layer.op]
            given = passing.take(layer)
            if layer.x.rows and operator.reads_outside and not isinstance(given, tuple):
                given = given.flatten(2).transpose(1, 2)
            values = operator.torch_forward(layer.spec, trained, given)
            passing.put(layer.name, values)
            yield layer.name, values.numpy()


def difference(layer: str, found: Values, wanted: Values) -> LayerError:
    """Compare two outputs of a layer; shapes may differ by axes of length 1 and by flattening."""
    a, b = found.astype(np.float64).ravel(), wanted.astype(np.float64).ravel()
    if a.size != b.size:
        raise ValueError(f"{layer}: {found.shape} against {wanted.shape}")
    error = np.abs(a - b)
    noise, signal = float((error**2).sum()), float((b**2).sum())
    return LayerError(
        layer=layer,
        max_abs_err=float(error.max(initial=0.0)),
        mean_abs_err=float(error.mean()) if error.size else 0.0,
        sqnr_db=round(10 * float(np.log10(signal / noise)), 2) if noise > 0 and signal > 0 else None,
    )
