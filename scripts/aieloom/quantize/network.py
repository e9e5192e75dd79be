"""A float network as one of integers: layers fused, quantisations chosen, weights, biases and multipliers made.

A convolution or dense layer computes sum over k of w[m, k] * (q[k] - zx) + b[m] in 32 bits; the zero point's part is in
the bias, so that the cores multiply elements as they come. A relu, or a clip from 0, directly behind it is part of it:
a result below the zero point becomes the zero point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from aieloom.arrays import Values
from aieloom.errors import SpecError
from aieloom.network.layers import Bounds, Layer, Network, Parameters, Tensor
from aieloom.network.quantisation import limits
from aieloom.network.tensor import Quantisation, TensorType
from aieloom.ops import REGISTRY
from aieloom.plan.operators import InnerOperator, TurnOperator
from aieloom.plan.partition import in_turn as processor_in_turn
from aieloom.plan.partition import partition, turns
from aieloom.quantize.attention import masks_apart, without_masks
from aieloom.quantize.correction import Walk
from aieloom.quantize.floats import float_activations, seen_through
from aieloom.quantize.product import FAR, Product, bounds_of, finish_product, is_product
from aieloom.quantize.scheme import activation_quantisation, rounded_scale, weight_scales
from aieloom.spec.network import GRAPH_INPUT, INPUT
from aieloom.spec.quantize import QuantizeSpec, Scales
from aieloom.spec.types import DataType

# By which a float32 product of an integer and its scale, divided by the scale, may miss the integer
WHOLE = 1e-3
BFLOAT16_MOST = float(np.uint32(0x7F7F0000).view(np.float32))  # the largest that is no infinity
FUSES = ("add",)  # operators on programmable logic that keep their results between bounds, as products do
FUSED_SHOWN = 3  # of the layers that are fused, by name


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantised:
    """A network of integers beside the float one it stands for.

    `shows[i]` is the layer of `floats` whose output layer i of `network` gives: behind what was fused into it. `holds` are the
    ranges of a quantised model's own tensors by layer, INPUT of the network's input: beyond them it saturates by its own
    definition (a relu may be nothing else), so that its float network does too.
    """

    network: Network
    parameters: Mapping[str, Parameters]
    floats: Network
    float_parameters: Mapping[str, Parameters]
    shows: tuple[int, ...]
    settings: QuantizeSpec
    holds: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def is_given(self) -> bool:
        """Whether the model itself says what its integers are."""
        return bool(self.holds)

    def parts(self, name: str) -> tuple[Layer, ...]:
        """Return the float layers that layer `name` stands for: itself, and what is fused into it."""
        shown = self.floats.layers[self._shown[name]]
        own = next(la for la in self.floats.layers if la.name == name)
        return (own,) if shown is own else (own, shown)

    @property
    def _shown(self) -> dict[str, int]:
        return dict(zip((la.name for la in self.network.layers), self.shows, strict=True))

    @property
    def shown_names(self) -> dict[str, str]:
        """The name of the float layer whose output each layer gives."""
        return {name: self.floats.layers[shown].name for name, shown in self._shown.items()}

    def notes(self) -> tuple[str, ...]:
        """Return a line of what is fused, and one for each attention that is not for its mask."""
        fused = [
            f"{inner.op} '{inner.name}' of '{layer.name}'"
            for layer in self.network.layers
            for inner in self.parts(layer.name)[1:]
        ]
        more = f" and {len(fused) - FUSED_SHOWN} more" if len(fused) > FUSED_SHOWN else ""
        text = f"bounds of the integers of the layers before them: {', '.join(fused[:FUSED_SHOWN])}{more}"
        integers = self.settings.dtype is DataType.INT8 and not self.is_given
        return (*([text] if fused else []), *(masks_apart(self.floats) if integers else ()))


def quantise_network(
    network: Network,
    parameters: Mapping[str, Parameters],
    settings: QuantizeSpec,
    x: Values,
    *,
    in_turn: bool = False,
) -> Quantised:
    """Return the integer network of a float one, calibrated on inputs `x` `(n, channels, height, width)`.

    `in_turn`: engines take its layers in their turn, whole rows (attention, layer_norm, affine) among them.

    Raises:
        SpecError: sums of a layer could exceed 32 bits, or a layer has no integer form.
    """
    outputs = [y for _, y in float_activations(network, parameters, x)]
    about_zero = _centred(network) if in_turn else frozenset()
    symmetric = settings.model_copy(update={"symmetric": True})
    ranges = {
        layer.index: lambda y=y, seen=seen, layer=layer: (
            activation_quantisation(
                seen,
                symmetric if layer.name in about_zero else settings,
                settings.dtype,
                seen_through(network, layer),
            )
            if _fits_float32(y)
            else None
        )
        for layer, y, seen in zip(network.layers, outputs, without_masks(network, outputs), strict=True)
    }
    inner = _inner(network, outputs, np.asarray(x, np.float64)) if in_turn else {}
    given = activation_quantisation(
        np.asarray(x), symmetric if INPUT in about_zero else settings, settings.dtype
    )
    walk = None
    if settings.bias_correction:
        walk = Walk(network, parameters, x, outputs, (given, settings.dtype))
    return _Builder(
        network=network,
        trained=parameters,
        settings=settings,
        given=given,
        ranges=ranges,
        walk=walk,
        inner=inner,
        about_zero=about_zero,
        in_turn=in_turn,
    ).build()


def _centred(network: Network) -> frozenset[str]:
    """Return the layers whose elements mean 0 by 0, INPUT for the network's input: those that are multiplied as weights are.

    Where such a layer's results mean what its input's elements mean, the layer before it is one of them too, and so on.
    """
    found: set[str] = set()
    for layer in reversed(network.layers):  # readers come before what they read
        operator = REGISTRY[layer.op]
        if isinstance(operator, InnerOperator):
            found.update(operator.centred(layer))
        if layer.name in found and operator.keeps_quantisation:
            found.add(layer.inputs[0])
    return frozenset(found)


def _inner(network: Network, outputs: list[Values], x: Values) -> dict[str, tuple[tuple[float, float], ...]]:
    """Return the ranges of tensors inside layers, by layer: what calibration sees of each."""
    made = {INPUT: x} | {la.name: y for la, y in zip(network.layers, outputs, strict=True)}
    found = {}
    for layer in network.layers:
        operator = REGISTRY[layer.op]
        if isinstance(operator, InnerOperator):
            inside = operator.inner(layer, tuple(made[name] for name in layer.inputs))
            found[layer.name] = tuple((float(v.min()), float(v.max())) for v in inside)
    return found


def cast_network(network: Network, parameters: Mapping[str, Parameters], settings: QuantizeSpec) -> Quantised:
    """Return a float network whose layers exchange bfloat16; nothing is fused, nothing calibrated."""

    def cast(tensor: TensorType) -> TensorType:
        return replace(tensor, dtype=settings.dtype)

    on_processor = partition(network, REGISTRY, settings.dtype).reasons
    layers = tuple(
        _finite(la)
        if la.name in on_processor
        else replace(la, x=cast(la.x), y=cast(la.y), others=tuple(map(cast, la.others)))
        for la in network.layers
    )
    floats = unquantised(network, parameters)
    return replace(floats, network=replace(network, layers=layers), settings=settings)


def _finite(layer: Layer) -> Layer:
    """Return a layer on the processor whose factor, beside bfloat16, is one that bfloat16 has.

    A mask hides keys by the least float32, which rounds to minus infinity: of an image all of whose keys are hidden a softmax
    would be no number.
    """
    factor = getattr(layer.spec, "factor", None)
    if factor is None or abs(factor) <= BFLOAT16_MOST:
        return layer
    bounded = math.copysign(BFLOAT16_MOST, factor)
    return replace(layer, spec=layer.spec.model_copy(update={"factor": bounded}))


def unquantised(network: Network, parameters: Mapping[str, Parameters]) -> Quantised:
    """Return a float32 network as one that stands for itself: what its tables lose is told as what integers lose."""
    return Quantised(
        network=network,
        parameters=parameters,
        floats=network,
        float_parameters=parameters,
        shows=tuple(range(len(network.layers))),
        settings=QuantizeSpec(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenScales:
    """What a quantised model says itself, by layer: what results mean, and the scales of weights."""

    results: Mapping[str, Quantisation]
    weights: Mapping[str, Values]


def given_network(
    network: Network,
    parameters: Mapping[str, Parameters],
    settings: QuantizeSpec,
    given: Quantisation,
    scales: GivenScales,
) -> Quantised:
    """Return the integer network of a model whose quantisations are known.

    Raises:
        SpecError: a layer's results have none, weights are no 8-bit integers, or sums could exceed 32 bits.
    """
    return _Builder(network=network, trained=parameters, settings=settings, given=given, said=scales).build()


@dataclass(kw_only=True)
class _Builder:
    """Walks along the float layers in order of evaluation and makes the integer ones."""

    network: Network
    trained: Mapping[str, Parameters]
    settings: QuantizeSpec
    given: Quantisation  # what the network's input means
    ranges: Mapping[int, Callable[[], Quantisation | None]] = field(default_factory=dict)
    walk: Walk | None = None
    inner: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    about_zero: frozenset[str] = frozenset()
    in_turn: bool = False
    said: GivenScales | None = None  # of a quantised model

    def __post_init__(self) -> None:
        self.is_given = self.said is not None
        self.scales = self.said or GivenScales(results={}, weights={})
        self.made: dict[str, dict[str, Tensor]] = {}
        network, settings, in_turn = self.network, self.settings, self.in_turn
        self.turns = {la.name for la in network.layers if in_turn and turns(network, REGISTRY, la.name)}
        spatial = partition(network, REGISTRY, settings.dtype)
        # No product: engines in turn have the other layers all the same
        alone = in_turn and not spatial.subgraphs
        self.on_processor = (
            processor_in_turn(network, REGISTRY, settings.dtype) if self.turns or alone else spatial.reasons
        )
        self._check_integers()

        if self.is_given and network.spec.execution == "sequential":
            self.on_processor = {**self.on_processor, **self._left_in_floats()}

    def _check_integers(self) -> None:
        """Refuse a network that would be computed in float32 as if nobody had asked for integers.

        Raises:
            SpecError: the processor has all layers.
        """
        if self.is_given or any(la.name not in self.on_processor for la in self.network.layers):
            return
        spec, (first, *_) = self.network.spec, self.network.layers
        why = self.on_processor[first.name]
        kind = self.settings.dtype.value
        text = f"no layer is computed in {kind}: the processor has all of them in float32 ('{first.name}': {why})"
        raise SpecError(spec.source.problem("quant-7", ("quantize",), text, "leave 'quantize:' out"))

    def _left_in_floats(self) -> dict[str, str]:
        """Return the layers whose results, or inputs, a quantised model leaves in floats: in turn the processor has them.

        A product without quantisation behind it is none: that is refused, as an engine would be expected to multiply it.
        """
        floats: set[str] = set()
        found: dict[str, str] = {}
        for layer in self.network.layers:
            reads = next((name for name in layer.inputs if name in floats), None)
            if layer.name not in self.on_processor and (reads or self._gives_floats(layer)):
                found[layer.name] = f"reads {reads} as floats" if reads else "gives floats in the model"
            if layer.name in {*self.on_processor, *found} and layer.name not in self.scales.results:
                floats.add(layer.name)
        return found

    def _gives_floats(self, layer: Layer) -> bool:
        """Tell whether nothing says what a layer's results mean as elements, though others read them."""
        said = layer.name in self.scales.results or self._keeps(layer)
        part = is_product(layer) or (layer.op in FUSES and bool(self._fused(layer)))
        return not said and not part and bool(self.network.readers(layer.name))

    def build(self) -> Quantised:
        layers, shows = [], []
        made = {INPUT: replace(self.network.x, dtype=self.settings.dtype, quant=self.given)}
        inside: dict[str, str] = {}  # a layer that is fused: the one whose part it is
        places = {layer.name: i for i, layer in enumerate(self.network.layers)}
        for whole in self.network.layers:
            if whole.name in inside:
                continue
            inputs = tuple(inside.get(name, name) for name in whole.inputs)
            if self.walk:
                self.walk.enter(whole)
            if whole.name in self.on_processor:  # float32, with the trained tensors as they are
                rounded = self._rounded(whole)
                self.made[whole.name] = dict(self.trained.get(whole.name, {}))
                layers.append(replace(whole, inputs=inputs, rounded=rounded))
                shows.append(places[whole.name])
                if self.walk:
                    self.walk.processor(whole)
                continue
            fused = self._fused(whole)
            xs = tuple(made[name] if name in made else self._sent(name) for name in inputs)
            layer = self._layer(replace(whole, inputs=inputs, x=xs[0], others=xs[1:]), fused)
            if self.walk:
                if is_product(whole):
                    self.walk.product(whole, fused, layer.y)
                else:
                    self.walk.logic(layer, fused, self.made.get(layer.name, {}))
            inside |= {f.name: whole.name for f in fused}
            made[layer.name] = layer.y
            layers.append(layer)
            shows.append(places[(fused or (whole,))[-1].name])
        return Quantised(
            network=replace(self.network, layers=tuple(layers)),
            parameters=self.made,
            floats=self.network,
            float_parameters=self.trained,
            shows=tuple(shows),
            settings=self.settings,
            holds=self._held(),
        )

    def _held(self) -> dict[str, tuple[float, float]]:
        """Return what the tensors of a model whose quantisations are known can hold."""
        if not self.is_given:
            return {}
        low, high = limits(self.settings.dtype)
        known = {INPUT: self.given, **self.scales.results}
        return {
            name: (q.scale * (low - q.zero_point), q.scale * (high - q.zero_point))
            for name, q in known.items()
        }

    def _rounded(self, layer: Layer) -> Quantisation | None:
        """Return what a processor's results of a quantised model are rounded to, where that is a step of its own.

        Elements are made where tensors enter the device, and read where they leave it. Between layers on the processor, and
        of the network's output, there are some where layers take turns: its tensors lie in memory.

        Raises:
            SpecError: the layer would be given, or give, floats where the model has elements.
        """
        if not self.is_given:
            return None
        readers = [r.name for r in self.network.readers(layer.name)]
        rounded = layer.name in self.scales.results
        if layer.op == GRAPH_INPUT and not any(name in self.on_processor for name in readers):
            return None
        if INPUT in layer.inputs and layer.op != GRAPH_INPUT:
            text = "reads the model's quantised input on the processor, which has it as floats"
        elif self.network.spec.execution == "sequential":
            among = not readers or any(name in self.on_processor for name in readers)
            return self.scales.results[layer.name] if rounded and among else None
        elif rounded and not readers:
            text = "is quantised, but ends the network on the processor, as floats"
        elif rounded and any(name in self.on_processor for name in readers):
            text = "is quantised, but another layer on the processor reads it, as floats"
        else:
            return None
        remedy = "leave engine: ps out, leave that tensor in floats, or use execution: sequential"
        raise self._refused(layer, text, remedy)

    def _sent(self, name: str) -> TensorType:
        """Return the elements as which a result of the processor enters the device."""
        layer = next(la for la in self.network.layers if la.name == name)
        return replace(layer.y, dtype=self.settings.dtype, quant=self._range(layer))

    def _layer(self, layer: Layer, fused: tuple[Layer, ...]) -> Layer:
        """Return the integer layer of a float one whose inputs are integers already."""
        if is_product(layer):
            return self._product(layer, fused)
        operator: object = REGISTRY[layer.op]
        if fused:
            quant: Quantisation | None = self._range(fused[-1])
        elif layer.name in self.scales.results:
            quant = self.scales.results[layer.name]
        elif self._keeps(layer):
            quant = layer.x.quant
        elif hasattr(operator, "own_quantisation") and self._may_have_own(layer):
            symmetric = self.settings.symmetric or layer.name in self.about_zero
            quant = _widened(operator.own_quantisation(symmetric=symmetric), self.settings.dtype)
        else:
            quant = self._range(layer)
        assert quant is not None
        y = replace(layer.y, dtype=self.settings.dtype, quant=quant)
        if layer.name in self.turns:
            return self._in_turn(replace(layer, y=y))
        bounds = Bounds(*bounds_of(fused, quant, self.settings.dtype)) if layer.op in FUSES else None
        return replace(layer, y=y, bounds=bounds)

    def _in_turn(self, layer: Layer) -> Layer:
        """Return a layer of whole rows with what it multiplies by.

        Raises:
            SpecError: its scales lie too far apart.
        """
        operator = REGISTRY[layer.op]
        assert isinstance(operator, TurnOperator)
        if isinstance(operator, InnerOperator) and layer.name in self.inner:
            layer = replace(layer, inner=operator.inner_quantisations(self.inner[layer.name]))
        made = operator.integers(layer, self.trained.get(layer.name, {}))
        if made is None:
            spec = self.network.spec
            text = f"layer '{layer.name}' (op {layer.op}): its factors have more than 16 bits in elements of its result"
            raise SpecError(spec.problem("quant-3", layer.index, text, f"{FAR}, or use engine: ps"))
        self.made[layer.name] = dict(made)
        return layer

    def _keeps(self, layer: Layer) -> bool:
        """Tell whether a layer's results mean what its input's elements mean; a given model's averages do not."""
        operator = REGISTRY[layer.op]
        return operator.only_moves if self.is_given and layer.op != "relu" else operator.keeps_quantisation

    def _may_have_own(self, layer: Layer) -> bool:
        """Tell whether a layer's results may have a quantisation the model does not say: at its end."""
        return not self.is_given or not self.network.readers(layer.name)

    def _fused(self, layer: Layer) -> tuple[Layer, ...]:
        """Return the layers that become part of `layer`: a relu or a clip from 0 that alone reads a product or a sum."""
        readers = self.network.readers(layer.name)
        if not (is_product(layer) or layer.op in FUSES) or len(readers) != 1:
            return ()
        (after,) = readers
        if after.name in self.on_processor:
            return ()
        apart = layer.name in self.scales.results  # the model quantises between the two
        return (after,) if not apart and (after.op == "relu" or _is_relu_like(after)) else ()

    def _range(self, layer: Layer) -> Quantisation:
        """Return what a layer's results mean: as the model says, or from calibration."""
        if layer.name in self.scales.results:
            return self.scales.results[layer.name]
        if layer.index in self.ranges:
            return self._calibrated(layer)
        text = (
            f"layer '{layer.name}' (op {layer.op}): the model does not say what its results are quantised to"
        )
        remedy = "put QuantizeLinear and DequantizeLinear behind it too"
        raise SpecError(self.network.spec.problem("quant-5", layer.index, text, remedy))

    def _calibrated(self, layer: Layer) -> Quantisation:
        """Return the quantisation of what calibration sees behind a layer.

        Raises:
            SpecError: it sees what is no finite number.
        """
        found = self.ranges[layer.index]()
        if found is None:
            spec = self.network.spec
            text = f"layer '{layer.name}' (op {layer.op}) gives NaN or values beyond float32 for inputs of the calibration"
            remedy = "use inputs or weights for which it has finite results, or engine: ps"
            raise SpecError(spec.problem("quant-6", layer.index, text, remedy))
        return found

    def _weights(self, layer: Layer, x_scale: float) -> tuple[Values, Values]:
        """Return a layer's weights as integers, and the scale of each output channel."""
        weight = self.trained[layer.name]["weight"].astype(np.float64)
        given = self.scales.weights.get(layer.name)
        if given is None and self.is_given:
            raise self._refused(layer, "its weights are floats", "quantise them too, to int8")
        if given is None:
            bias = self.trained[layer.name].get("bias", np.zeros(len(weight)))
            scales = weight_scales(weight, bias, x_scale, self.settings, self.settings.dtype)
            if not np.isfinite(scales).all():
                largest = max(np.abs(weight).max(), np.abs(bias).max())
                sizes = f"up to {largest:.3g} beside inputs in steps of {x_scale:.3g}"
                text = f"layer '{layer.name}': weights and biases {sizes} need a scale beyond float32"
                at = self.network.spec.at_layer(layer.index)
                remedy = "scale the weights or the inputs: trained networks have numbers near 1"
                raise SpecError(self.network.spec.source.problem("quant-6", at, text, remedy))
        else:
            scales = np.broadcast_to(given.astype(np.float64), len(weight))
        steps = weight / scales.reshape(-1, *(1,) * (weight.ndim - 1))
        integers = np.rint(steps).astype(np.int64)
        if given is None:
            most = limits(self.settings.dtype)[1]
            return np.clip(integers, -most, most), scales
        if np.abs(integers + 0.5).max(initial=0) > 128:
            text = f"its weights reach from {integers.min()} to {integers.max()}, int8 from -128 to 127"
            raise self._refused(layer, text, "quantise the weights symmetrically to int8")
        if np.abs(steps - integers).max(initial=0) > WHOLE:
            text = "its weights are no whole multiples of their scale: something scales them behind DequantizeLinear"
            raise self._refused(
                layer, text, "leave alpha out, and quantise the weights as they are multiplied"
            )
        return integers, scales

    def _refused(self, layer: Layer, text: str, remedy: str) -> SpecError:
        spec = self.network.spec
        problem = spec.problem("quant-5", layer.index, f"layer '{layer.name}': {text}", remedy)
        return SpecError(problem)

    def _product(self, layer: Layer, fused: tuple[Layer, ...]) -> Layer:
        x, step = layer.x, layer.x.means.scale
        y = self._range(fused[-1] if fused else layer)
        integers, scales = self._weights(layer, step)
        if self.settings.scaling is Scales.POWER_OF_TWO:  # no shift to the left: it would only add zeros
            y = _coarser(y, rounded_scale(step * scales.max(), Scales.POWER_OF_TWO))
        bias = self.trained[layer.name].get("bias", np.zeros(len(integers))).astype(np.float64)
        if self.walk:
            weight = integers * scales.reshape(-1, *(1,) * (integers.ndim - 1))
            bias = bias + self.walk.correction(layer, {"weight": weight, "bias": bias})
        sums = np.rint(bias / (step * scales)).astype(np.int64)
        product = Product(layer=layer, fused=fused, x=x, y=y, weight=integers, bias=sums, scales=scales)
        return finish_product(self.network, product, self.made, self.settings)


def _fits_float32(y: Values) -> bool:
    """Tell whether values, computed in float64, are numbers of float32; NaN is none, what is rounded to its largest one is."""
    with np.errstate(over="ignore"):
        return bool(np.isfinite(y.astype(np.float32)).all())


def _widened(quant: Quantisation, dtype: DataType) -> Quantisation:
    """Return what 8-bit elements mean as a quantisation of `dtype`: the same range, of int16 in steps of 1/256."""
    if dtype is DataType.INT8:
        return quant
    return Quantisation(scale=quant.scale / 256, zero_point=quant.zero_point * 256)


def _coarser(y: Quantisation, scale: float) -> Quantisation:
    """Return `y`, or the quantisation from the same lowest value with a scale of at least `scale`."""
    if y.scale >= scale:
        return y
    least, _ = limits(DataType.INT8)
    zero = round((y.zero_point - least) * y.scale / scale) + least if y.zero_point else 0
    return Quantisation(scale=scale, zero_point=zero)


def _is_relu_like(layer: Layer) -> bool:
    return layer.op == "clip" and getattr(layer.spec, "min", None) == 0
