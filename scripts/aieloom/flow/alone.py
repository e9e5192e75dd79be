"""A layer of a design on the array by itself: a system of it alone, cut as in the project, with its tensors and elements.

A layer on AI Engines is the whole of its system. Every system has an array, and one input: a layer in the programmable logic
or on the processor, and one that joins several tensors, gets its inputs by way of the array. They lie behind each other in the
channels of the system's input, and a convolution of 1 x 1 for each takes its channels out, multiplied by one: to the bit, but
for a negative zero. What a layer gives is rounded to its type: in bfloat16 that of the logic stays float32 in a whole design,
from one PL kernel to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from aieloom.arrays import Floats
from aieloom.errors import CannotFit, SpecError
from aieloom.flow.layer_alone import LayerAlone, unknown_layer
from aieloom.flow.project import Project
from aieloom.network.layers import Layer, Network, Parameters
from aieloom.network.quantisation import quantise
from aieloom.network.tensor import Quantisation, TensorType
from aieloom.ops import REGISTRY
from aieloom.ops.conv2d import Conv2dSpec
from aieloom.ops.product import Conv2dMapping
from aieloom.plan.build import make_plan
from aieloom.plan.linked import is_linked, on_device, unlinked
from aieloom.plan.types import ArrayPart
from aieloom.plan.whole import whole
from aieloom.quantize.network import GivenScales, Quantised, given_network, unquantised
from aieloom.reference.results import hardware_reference
from aieloom.spec.device import load_device
from aieloom.spec.network import INPUT, LayerSpec, MappingSpec, NetworkSpec
from aieloom.spec.quantize import QuantizeSpec
from aieloom.spec.types import DataType

RULE = "layer"
INTEGERS = (DataType.INT8, DataType.INT16)
_AS_IT_IS = Quantisation(scale=1.0, zero_point=0)  # an element is its own value


def layer_alone(project: Project, name: str) -> LayerAlone:
    """Return the system of one layer.

    Raises:
        SpecError: there is no such layer, it has no place of its own, or its system does not fit the device.
    """
    network = project.quantised.network if project.quantised else project.network
    layers = {layer.name: layer for layer in network.layers}
    if name not in layers:
        folded = any(layer.name == name for layer in project.written.layers)
        raise unknown_layer(project, name, [*layers], "the layer before it" if folded else "")
    layer = layers[name]
    on_array = len(layer.xs) == 1 and name in {la.name for la in project.array.aie}
    if on_array:
        sub = _network(project, layer, (), layer.x)
        parameters: Mapping[str, Parameters] = {name: project.parameters.get(name, {})}
    else:
        _check_carried(layer)
        sub, made = _carried(project, layer)
        parameters = {**made, name: project.parameters.get(name, {})}
    sub, part = _planned(sub, project.target)
    own = replace(project, network=sub, written=sub, plan=whole(part), quantised=unquantised(sub, parameters))

    def laid(values: list[Floats]) -> Floats:
        if on_array:
            return values[0]
        pairs = zip(values, layer.xs, strict=True)
        elements = [quantise(v, t.quant, t.dtype) if t.quant else v for v, t in pairs]
        return np.concatenate(elements, axis=1).astype(np.float32)

    shapes = f"{' and '.join(map(str, layer.xs))} to {layer.y}"
    return LayerAlone(
        name=name,
        xs=layer.xs,
        inputs=layer.inputs,
        y=layer.y,
        project=own,
        told=f"{name} ({layer.op}): {shapes}, {own.array.cores} cores",
        laid=laid,
        computed=lambda values: hardware_reference(own.array, own.parameters, laid(values)),
    )


def _planned(network: Network, target: str) -> tuple[Network, ArrayPart]:
    """Return the network with its plan; a layer out of a chain that cannot stand alone is cut as a matrix product."""
    device = load_device(target)
    network = on_device(network, device)
    try:
        return network, make_plan(network, device, REGISTRY)
    except CannotFit:
        if not is_linked(network):
            raise
    network = unlinked(network)
    return network, make_plan(network, device, REGISTRY)


def _check_carried(layer: Layer) -> None:
    if len({t.shape[1:] for t in layer.xs}) > 1:
        text = f"layer '{layer.name}' joins tensors of {' and '.join(map(str, layer.xs))}, which no system has as one input"
        remedy = "emulate the whole design, or a layer whose inputs have one height and width"
        raise SpecError(rule=RULE, text=text, remedy=remedy)


def _network(project: Project, layer: Layer, before: Sequence[Layer], x: TensorType) -> Network:
    """Return the network of a layer and of what stands before it; its input is of type `x`."""
    spec = project.network.spec
    inputs = tuple(la.name for la in before) or (INPUT,)
    own = layer.spec.model_copy(update={"inputs": inputs if before else None})
    layers: tuple[LayerSpec, ...] = (*(la.spec for la in before), own)
    mapping: dict[str, MappingSpec] = {la.name: Conv2dMapping() for la in before}
    if layer.name in spec.mapping:
        mapping[layer.name] = spec.mapping[layer.name]
    given = spec.input.model_copy(update={"shape": x.outside, "dtype": DataType.FLOAT32})
    alone: NetworkSpec = spec.model_copy(
        update={
            "layers": layers,
            "mapping": mapping,
            "input": given,
            "tiles": None,
            "copies": 1,
            "data": None,
        }
    )
    last = replace(layer, index=len(before), spec=own, inputs=inputs)
    return Network(spec=alone, layers=(*before, last))


def _carried(project: Project, layer: Layer) -> tuple[Network, Mapping[str, Parameters]]:
    """Return the network in which each input of the layer is taken out of the system's input; and the tensors of that."""
    counts = [t.shape[0] for t in layer.xs]
    whole = TensorType((sum(counts), *layer.x.shape[1:]), DataType.FLOAT32)
    before: list[Layer] = []
    tensors: dict[str, dict[str, Floats]] = {}
    for i, t in enumerate(layer.xs):
        spec = Conv2dSpec(
            name=f"carry{i}_{layer.name}", op="conv2d", inputs=None, out_channels=t.shape[0], kernel=1
        )
        operator = REGISTRY["conv2d"]
        y = TensorType(t.shape, DataType.FLOAT32)
        before.append(
            Layer(
                index=i,
                spec=spec.model_copy(update={"inputs": (INPUT,)}),
                x=whole,
                y=y,
                parameters=operator.parameters(spec, whole),
                inputs=(INPUT,),
            )
        )
        scale = t.quant.scale if t.quant else 1.0
        weight = np.zeros((t.shape[0], sum(counts), 1, 1), np.float32)
        weight[range(t.shape[0]), range(sum(counts[:i]), sum(counts[: i + 1]))] = scale
        bias = np.full(t.shape[0], -scale * t.zero, np.float32)
        tensors[spec.name] = {"weight": weight, "bias": bias}
    network = _network(project, layer, before, whole)
    if layer.x.dtype not in INTEGERS:
        cast = [
            replace(la, x=replace(la.x, dtype=t.dtype), y=replace(la.y, dtype=t.dtype))
            for la, t in zip(before, layer.xs, strict=True)
        ]
        return replace(network, layers=(*cast, network.layers[-1])), tensors
    made = _integers(project, network, tensors, layer.xs)
    return replace(network, layers=(*made.network.layers, network.layers[-1])), made.parameters


def _integers(
    project: Project,
    network: Network,
    tensors: Mapping[str, Mapping[str, Floats]],
    xs: Sequence[TensorType],
) -> Quantised:
    """Return what takes the inputs out as integers: the system's input has the elements themselves as values."""
    assert project.quantised
    settings: QuantizeSpec = project.quantised.settings
    carriers = network.layers[:-1]
    scales = GivenScales(
        results={la.name: t.quant for la, t in zip(carriers, xs, strict=True) if t.quant},
        weights={la.name: np.array([t.quant.scale]) for la, t in zip(carriers, xs, strict=True) if t.quant},
    )
    floats = replace(network, layers=carriers)
    return given_network(floats, tensors, settings, _AS_IT_IS, scales)
