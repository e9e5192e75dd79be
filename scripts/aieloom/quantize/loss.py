"""What integers lose against floats: the signal-to-noise ratio of each layer and of the result.

`sqnr_db` compares a layer's elements with the float network's values: the noise of all layers before it is in it.
`own_sqnr_db` is the noise of the layer alone: its elements against its float function of the elements that it got.
Elements that only a function of one value reads, such as a tanh, are compared behind it: what it makes equal is no loss.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.quantize.floats import float_activations, float_forward, seen_through, within
from aieloom.quantize.network import Quantised
from aieloom.reference.evaluated import Evaluated
from aieloom.reference.forward import Given

HIGHEST_DB = 200.0  # stands for no noise at all


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerLoss:
    """Of one integer layer."""

    layer: str
    sqnr_db: float
    own_sqnr_db: float


def _powers(signal: Values, found: Values) -> NDArray[np.float64]:
    """Return the power of a signal and that of the difference."""
    return np.array([(signal.astype(np.float64) ** 2).sum(), ((signal - found) ** 2).sum()])


def _ratio_db(powers: NDArray[np.float64]) -> float:
    """Return 10 log10 of a signal's power over that of what differs from it."""
    power, noise = powers.tolist()
    if noise == 0:
        return HIGHEST_DB
    return min(HIGHEST_DB, float(10 * np.log10(power / noise))) if power else -HIGHEST_DB


class LossMeter:
    """What each layer loses, of one batch after another."""

    def __init__(self, q: Quantised) -> None:
        self._q = q
        self._wholes = {layer.name: layer for layer in q.floats.layers}
        self._layers = {layer.name: layer for layer in q.network.layers}
        # of each layer, the powers beside the float network's, and of the layer alone
        self._found: dict[str, list[NDArray[np.float64]]] = {}

    def batch(self, x: Values) -> Callable[[Evaluated], None]:
        """Return what takes each layer of a batch `(n, channels, height, width)` as the design evaluates it."""
        q = self._q
        floats = {la.name: y for la, y in float_activations(q.floats, q.float_parameters, x, q.holds)}
        shown = q.shown_names

        def see(step: Evaluated) -> None:
            meant = step.made.meaning
            result = self._wholes[shown[step.name]]
            seen = seen_through(q.floats, result)
            powers = [_powers(seen(y), seen(meant)) for y in (floats[result.name], self._alone(step))]
            before = self._found.get(step.layers[0], [np.zeros(2), np.zeros(2)])
            self._found[step.layers[0]] = [one + more for one, more in zip(before, powers, strict=True)]

        return see

    def _alone(self, step: Evaluated) -> Values:
        """Return what the float layers that a step stands for make of what the elements it is given mean."""
        q = self._q
        known = {
            name: given.meaning.astype(np.float64)
            for name, given in zip(step.inputs, step.given, strict=True)
        }
        for name in step.layers:
            taken = tuple(known[n] for n in self._layers[name].inputs)
            y: Given = taken if len(taken) > 1 else taken[0]
            for part in q.parts(name):
                trained = q.float_parameters.get(part.name, {})
                y = within(float_forward(q.floats, part, trained, y), q.holds.get(part.name))
            known[name] = np.asarray(y)
        return known[step.name]

    @property
    def losses(self) -> tuple[LayerLoss, ...]:
        """Of each layer, in order of evaluation."""
        return tuple(
            LayerLoss(layer=name, sqnr_db=_ratio_db(given), own_sqnr_db=_ratio_db(own))
            for name, (given, own) in self._found.items()
        )
