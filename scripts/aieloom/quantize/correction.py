"""Bias correction: what rounding weights and activations moves the mean of a channel by, its bias takes back.

Calibration inputs go through the integer network while it is made, layer after layer, so that each layer's correction knows
the corrections above it: the empirical bias correction of Nagel et al., "Data-Free Quantization Through Weight Equalization
and Bias Correction" (ICCV 2019), section 4.2 and appendix D, on samples in place of statistics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from aieloom.arrays import Values
from aieloom.network.elements import meaning, to_elements
from aieloom.network.layers import Layer, Network, Parameters
from aieloom.network.quantisation import dequantise, limits, quantise
from aieloom.network.tensor import Quantisation, TensorType
from aieloom.ops import REGISTRY
from aieloom.plan.integer import integer_step
from aieloom.plan.operators import LogicOperator, TurnOperator
from aieloom.quantize.floats import float_forward
from aieloom.reference.forward import Given, Passing, forward
from aieloom.spec.types import DataType


class Walk:
    """The calibration inputs on their way through a network whose layers become integers one after another.

    `outputs` are the float layers' results for inputs `x` `(n, channels, height, width)`. Values are what elements mean,
    of products requantised in float64: nearly always the device's.
    """

    def __init__(
        self,
        network: Network,
        trained: Mapping[str, Parameters],
        x: Values,
        outputs: Sequence[Values],
        given: tuple[Quantisation, DataType],
    ) -> None:
        self._network = network
        self._trained = trained
        self._outputs = {la.index: y for la, y in zip(network.layers, outputs, strict=True)}
        x = dequantise(quantise(x, *given), given[0]).astype(np.float64)
        self._passing = Passing(network.layers, x)
        self._given: Given = x
        self._sums: Values = x

    def enter(self, layer: Layer) -> None:
        """Take the inputs of a layer of the float network."""
        self._given = self._passing.take(layer)

    def correction(self, layer: Layer, parameters: Parameters) -> Values:
        """Return what each output channel's bias lacks, for a product whose integer weights mean `parameters`."""
        found = float_forward(self._network, layer, parameters, self._given)
        lacks: Values = (self._outputs[layer.index] - found).mean(axis=(0, 2, 3))
        self._sums = found + lacks[:, None, None]
        return lacks

    def product(self, layer: Layer, fused: tuple[Layer, ...], y: TensorType) -> None:
        """Hand on the results of the product that was corrected last, with what is fused into it, as elements of type `y`."""
        values = self._sums
        for part in fused:
            values = float_forward(self._network, part, {}, values)
        self._passing.put((layer, *fused)[-1].name, _halves_up(values, y.means, y.dtype))

    def logic(self, layer: Layer, fused: tuple[Layer, ...], made: Parameters) -> None:
        """Hand on the results of an integer layer on programmable logic, which are the device's; `made` are its integers."""
        spec = self._network.spec
        operator = REGISTRY[layer.op]
        if made and isinstance(operator, TurnOperator):
            given = self._given if layer.others else (self._given,)
            elements = tuple(to_elements(v, t) for v, t in zip(given, layer.xs, strict=True))
            found = operator.turn(layer).of(made, *elements)
            self._passing.put(layer.name, meaning(found, layer.y).astype(np.float64))
            return
        assert isinstance(operator, LogicOperator)
        step = integer_step(operator, spec, layer, spec.mapping[layer.name])
        given = self._given if isinstance(self._given, tuple) else (self._given,)
        elements = tuple(to_elements(v, t) for v, t in zip(given, layer.xs, strict=True))
        found = forward(step, {}, elements if layer.others else elements[0])
        self._passing.put((layer, *fused)[-1].name, meaning(found, layer.y).astype(np.float64))

    def processor(self, layer: Layer) -> None:
        """Hand on the results of a layer on the processor."""
        trained = self._trained.get(layer.name, {})
        self._passing.put(layer.name, float_forward(self._network, layer, trained, self._given))


def _halves_up(x: Values, quant: Quantisation, dtype: DataType) -> Values:
    """Return what the elements nearest to results `x` mean. Halves are common where scales are powers of two, and go up."""
    low, high = (end - quant.zero_point for end in limits(dtype))
    return np.asarray(np.clip(np.floor(x / quant.scale + 0.5), low, high) * quant.scale)
