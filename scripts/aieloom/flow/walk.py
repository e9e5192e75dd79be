"""A project's samples through the reference, once: the results, what each layer loses, how far it is from PyTorch's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.reference.evaluated import Evaluated
from aieloom.reference.layerwise import LayerError, difference

if TYPE_CHECKING:
    from aieloom.quantize.loss import LayerLoss, LossMeter
    from aieloom.quantize.network import Quantised

TOGETHER = 1 << 26  # values of all layers' outputs for which there is memory, each 8 bytes
Evaluate = Callable[[Values], Iterator[Evaluated]]


@dataclass(frozen=True, kw_only=True)
class Walk:
    """What a walk through all layers gives.

    Attributes:
        y: the results `(n, channels, height, width)`, of integers what they mean.
        losses: what integers lose, of each layer; none where it was not asked for.
        errors: how far layers are from the outputs that were wanted.
    """

    y: NDArray[np.float32]
    losses: tuple[LayerLoss, ...] = ()
    errors: tuple[LayerError, ...] = ()


def walked(
    evaluate: Evaluate,
    x: Values,
    *,
    q: Quantised | None = None,
    wanted: Mapping[str, Values] | None = None,
    shown: Mapping[str, str] | None = None,
) -> Walk:
    """Walk through the layers of a design, with `x` `(n, channels, height, width)`.

    Args:
        evaluate: gives the layers of a batch.
        x: the samples.
        q: the network whose losses are asked for.
        wanted: outputs of layers for the first samples, by name.
        shown: which layer's output an integer layer gives.
    """
    meter, errors, results = _meter(q) if q else None, [], []
    size = max(1, TOGETHER // q.floats.values) if q else len(x)
    for begin in range(0, len(x), size):
        batch = x[begin : begin + size]
        see = meter.batch(batch) if meter else None
        for layer in evaluate(batch):
            if see:
                see(layer)
            name = (shown or {}).get(layer.name, layer.name)
            if begin == 0 and wanted and name in wanted:
                error = _compared(name, layer.made.meaning, wanted[name])
                errors += [error] if error else []
        results.append(layer.made.meaning)
    return Walk(
        y=np.concatenate(results).astype(np.float32, copy=False),
        losses=meter.losses if meter else (),
        errors=tuple(errors),
    )


def _meter(q: Quantised) -> LossMeter:
    from aieloom.quantize.loss import LossMeter  # noqa: PLC0415 - where losses are asked for

    return LossMeter(q)


def _compared(name: str, found: Values, wanted: Values) -> LayerError | None:
    """Compare a layer's output for the first samples; None where the other one has another number of values."""
    first = found[: len(wanted)]
    return difference(name, first, wanted) if first.size == wanted.size else None
