"""What integers lose against floats: the signal-to-noise ratio of each layer and of the result.

`sqnr_db` compares a layer's elements with the float network's values: the noise of all layers before it is in it.
`own_sqnr_db` is the noise of the layer alone: its elements against its float function of the elements that it got.
Elements that only a function of one value reads, such as a tanh, are compared behind it: what it makes equal is no loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.network.elements import meaning, to_elements
from aieloom.network.layers import Layer
from aieloom.plan.types import Plan
from aieloom.quantize.floats import float_activations, float_forward, seen_through, within
from aieloom.quantize.network import Quantised
from aieloom.reference.forward import Given, evaluate, shown_by

HIGHEST_DB = 200.0  # stands for no noise at all


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerLoss:
    """Of one integer layer."""

    layer: str
    sqnr_db: float
    own_sqnr_db: float


def sqnr(signal: Values, found: Values) -> float:
    """Return 10 log10 of the signal's power over that of the difference."""
    power, noise = float((signal.astype(np.float64) ** 2).sum()), float(((signal - found) ** 2).sum())
    if noise == 0:
        return HIGHEST_DB
    return min(HIGHEST_DB, float(10 * np.log10(power / noise))) if power else -HIGHEST_DB


def layer_losses(plan: Plan, q: Quantised, x: Values) -> tuple[LayerLoss, ...]:
    """Return each integer layer's losses for inputs `x` `(n, channels, height, width)`."""
    floats = {la.name: y for la, y in float_activations(q.floats, q.float_parameters, x, q.holds)}
    layers, shown = {la.name: la for la in q.network.layers}, q.shown_names
    wholes = {la.name: la for la in q.floats.layers}
    found = []
    for step, given, elements in evaluate(plan.steps, q.parameters, to_elements(x, plan.x)):
        name = step.name
        meant = meaning(elements, layers[name].y)
        fused = [layers[part] for part in step.fused]
        own = _alone(q, [layers[name], *fused], given)
        result = wholes[shown[shown_by(step) or name]]
        seen = seen_through(q.floats, result)
        given_db, own_db = (sqnr(seen(y), seen(meant)) for y in (floats[result.name], own))
        found.append(LayerLoss(layer=name, sqnr_db=given_db, own_sqnr_db=own_db))
    return tuple(found)


def _alone(q: Quantised, layers: Sequence[Layer], elements: Given) -> Values:
    """Return what the float layers that a step stands for make of what the elements it is given mean."""
    layer = layers[0]
    given = elements if isinstance(elements, tuple) else (elements,)
    meant = tuple(meaning(e, t).astype(np.float64) for e, t in zip(given, layer.xs, strict=True))
    y: Given = meant if layer.others else meant[0]
    for part in (part for each in layers for part in q.parts(each.name)):
        y = within(
            float_forward(q.floats, part, q.float_parameters.get(part.name, {}), y), q.holds.get(part.name)
        )
    return np.asarray(y)


def chosen_classes(scores: Values, *, classes: bool = False) -> NDArray[np.int64]:
    """Return the class of each sample: the largest score's, 1 for a single score above one half, or the result itself."""
    flat = scores.reshape(len(scores), -1)
    if classes:
        return np.asarray(np.rint(flat[:, 0]), np.int64)
    return np.asarray(flat.argmax(axis=1) if flat.shape[1] > 1 else flat[:, 0] > 0.5, np.int64)


def accuracy(scores: Values, labels: Values, *, classes: bool = False) -> float:
    """Return the share of samples whose class is their label; `classes` tells that results are classes, not scores."""
    return float((chosen_classes(scores, classes=classes) == labels.reshape(-1)).mean())
