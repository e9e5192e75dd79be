"""Keras for the tests of its models: what they are made of, and weights that tell layers apart."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from tests.heavy import later

os.environ.setdefault("KERAS_BACKEND", "torch")
keras, L = later("keras"), later("keras.layers")
IMAGE, STEPS, FEATURES = (10, 9, 4), (14, 6), (16,)


def chain(shape: tuple[int | None, ...], *layers: Any) -> Any:
    return keras.Sequential([keras.Input(shape), *layers])


def trained(model: Any) -> Any:
    """Give every array of a model values that tell them apart: also those that begin as zeros and ones."""
    random = np.random.default_rng(3)
    for variable in model.weights:
        if "seed" in variable.path:
            continue
        scale = max(1, np.prod(variable.shape[:-1])) ** -0.5
        values = random.normal(0, scale, variable.shape)
        variable.assign(np.abs(values) + 0.5 if "variance" in variable.path else values)
    return model
