"""The float network in NumPy, layer by layer: what calibration and the comparison with integers see."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Network, Parameters, weight_matrix
from aieloom.ops import REGISTRY
from aieloom.plan.on_processor import processor_step
from aieloom.plan.operators import Computed, ExactOperator, LogicOperator, ProcessorOperator, ProductOperator
from aieloom.products.reference import gathered
from aieloom.reference.forward import Given, Passing, processor_values
from aieloom.spec.network import INPUT

Function = Callable[[Values], Values]


def float_activations(
    network: Network,
    parameters: Mapping[str, Parameters],
    x: Values,
    holds: Mapping[str, tuple[float, float]] | None = None,
) -> Iterator[tuple[Layer, Values]]:
    """Yield each layer with its output, float64, for inputs `(n, channels, height, width)`.

    `holds`: the ranges beyond which layers, and INPUT, saturate.
    """
    held = holds or {}
    passing = Passing(network.layers, within(np.asarray(x, np.float64), held.get(INPUT)))
    for layer in network.layers:
        y = float_forward(network, layer, parameters.get(layer.name, {}), passing.take(layer))
        y = within(y, held.get(layer.name))
        passing.put(layer.name, y)
        yield layer, y


def seen_through(network: Network, layer: Layer) -> Function:
    """Return the function of one value through which alone the network sees a layer's results; else they themselves.

    A tensor that only a tanh reads may be wrong by much where the tanh is flat, and the network is as good.
    """
    readers = network.readers(layer.name)
    operator = REGISTRY[readers[0].op] if len(readers) == 1 else None
    return operator.exact if isinstance(operator, ExactOperator) else itself


def itself(x: Values) -> Values:
    """Return `x`."""
    return x


def within(y: Values, bounds: tuple[float, float] | None) -> Values:
    """Return values no further than `bounds`."""
    return y if bounds is None else np.clip(y, *bounds)


def float_forward(network: Network, layer: Layer, trained: Parameters, x: Given) -> Values:
    """Return a layer's output for float64 inputs; functions that the device takes from tables are exact here.

    `x` is the layer's input, or the tuple of a join's inputs.
    """
    operator = REGISTRY[layer.op]
    if isinstance(operator, ProductOperator):
        assert isinstance(x, np.ndarray)
        window = operator.window(layer.spec, layer.x)
        sums = weight_matrix(trained["weight"], window.taps).astype(np.float64) @ gathered(window, x)
        if "bias" in trained:
            sums = sums + trained["bias"].astype(np.float64)[:, None]
        return sums.reshape(len(x), *layer.y.shape)
    if isinstance(operator, ExactOperator):
        assert isinstance(x, np.ndarray)
        return operator.exact(x)
    if isinstance(operator, ProcessorOperator):
        return processor_values(processor_step(operator, network.spec, layer, ""), trained, x)
    assert isinstance(operator, LogicOperator)
    assert isinstance(operator, Computed)
    step = operator.plan_pl(network.spec, layer, operator.mapping_model())
    return operator.hardware(step, trained, x)
