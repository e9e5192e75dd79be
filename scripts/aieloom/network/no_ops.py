"""Layers that compute and move nothing: flatten, reshape, identity, transposes of axes of length 1 or that cancel.

Such a layer gives its input's values another shape. Its readers can read the values where they are: a dense layer sees
values in order of channel, row and column whatever shape they have; a function of each value does not look at the shape; and
any layer reads a tensor that has the shape it had before. So the layer leaves the network that is planned, and nothing on
the device stands for it. One that a reader needs (a convolution behind a reshape) stays; so does one of the
network's output that is not read from memory in the same order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from aieloom.network.layers import Layer, Network
from aieloom.network.operator import Operators
from aieloom.network.tensor import TensorType
from aieloom.spec.network import INPUT

Axes = tuple[int, int, int]
IN_ORDER: Axes = (0, 1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dissolved:
    """The network without the layers that do nothing; by name of each, the layer whose result is read in its place."""

    network: Network
    sources: Mapping[str, str]

    def notes(self) -> tuple[str, ...]:
        """Return a line for all of them."""
        if not self.sources:
            return ()
        names = ", ".join(f"'{name}'" for name in self.sources)
        verb = "cost nothing: they only rename" if len(self.sources) > 1 else "costs nothing: it only renames"
        return (f"{names} {verb} values, which are read as they lie",)


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """A tensor as its readers know it, and what holds its values.

    `x` has the axes of a tensor of shape `before` in the order `axes`; that one has the values of `holds` in their order.
    """

    source: str  # the layer that gives the values, or INPUT
    holds: TensorType
    x: TensorType
    before: tuple[int, int, int]
    axes: Axes = IN_ORDER
    chain: tuple[str, ...] = ()  # the layers that are left out between

    @property
    def in_order(self) -> bool:
        return self.axes == IN_ORDER

    @property
    def is_exact(self) -> bool:
        return self.in_order and self.holds == self.x


class _Needed(Exception):
    """A layer that has to stay, because a reader needs its result as it is."""

    def __init__(self, view: _View, reader: Layer | None) -> None:
        super().__init__(view.chain[-1])
        self.view = view
        self.reader = reader  # None: the network's user


def dissolve(network: Network, operators: Operators, stay: Collection[str] = ()) -> Dissolved:
    """Take out the layers that only rename; those named in `stay` do more, e.g. round to a quantisation of their own."""
    kept = {la.name for la in network.layers if _said(network, la)} | set(stay)
    given: TensorType | None = None  # what the input is seen as, where its first layers only rename it
    while True:
        walk = _Walk(network, operators, kept, given)
        try:
            return walk.result()
        except _Needed as needed:
            view = needed.view
            if (
                given is None
                and view.source == INPUT
                and view.in_order
                and _read_once(network, needed.reader)
            ):
                given = view.x
            else:
                kept.add(view.chain[-1])


def _said(network: Network, layer: Layer) -> bool:
    """Tell whether network.yaml puts a layer on an engine itself."""
    mapping = network.spec.mapping.get(layer.name)
    return mapping is not None and "engine" in mapping.model_fields_set


def _read_once(network: Network, reader: Layer | None) -> bool:
    """Tell whether one layer alone reads the input, on its way to another; tiles are cut of the input as it is."""
    return (
        reader is not None
        and len(network.readers(INPUT)) == 1
        and network.spec.tiles is None
        and not network.x.rows
    )


class _Walk:
    """One pass along the layers, with a decision about each that may only rename."""

    def __init__(
        self, network: Network, operators: Operators, kept: Collection[str], given: TensorType | None
    ) -> None:
        self.network, self.operators, self.kept, self.given = network, operators, kept, given
        x = given or network.x
        self.views = {INPUT: _View(source=INPUT, holds=x, x=network.x, before=network.x.shape)}
        self.layers: list[Layer] = []
        self.sources: dict[str, str] = {}

    def result(self) -> Dissolved:
        """Return the network.

        Raises:
            _Needed: another layer has to stay.
        """
        for layer in self.network.layers:
            view = self._renamed(layer) if layer.name not in self.kept else None
            if view is None:
                self._keep(layer)
            else:
                self.views[layer.name] = view
                self.sources[layer.name] = view.source
        last = self.views[self.network.layers[-1].name]
        if last.chain and (not self._gives(last)):
            raise _Needed(last, None)
        network = replace(self.network, layers=tuple(self.layers))
        if self.given:
            network = replace(network, outer_x=self.network.x.shape)
        if last.holds != last.x:
            network = replace(network, outer_y=last.x.shape)
        return Dissolved(network=network, sources=self.sources)

    def _gives(self, last: _View) -> bool:
        """Tell whether what the last layer that stays gives is the network's output."""
        alone = bool(self.layers) and last.source == self.layers[-1].name
        return alone and (
            last.is_exact or (last.in_order and self.network.spec.tiles is None and not last.holds.rows)
        )

    def _renamed(self, layer: Layer) -> _View | None:
        """Return how a layer's result is seen if it only renames; None if it computes.

        Raises:
            _Needed: the layer before it, which moves values, has to stay.
        """
        axes: Axes | None = self.operators[layer.op].renames(layer.spec)
        if axes is None or (layer.x != layer.y and (layer.x.rows or layer.y.rows)):
            return None
        view = self.views[layer.inputs[0]]
        if view.in_order:
            before, order = view.x.shape, axes
        elif axes != IN_ORDER:
            i, j, k = axes
            before, order = view.before, (view.axes[i], view.axes[j], view.axes[k])
        elif layer.y.shape == view.x.shape:
            before, order = view.before, view.axes
        else:
            raise _Needed(view, layer)
        if [a for a in order if before[a] > 1] == [a for a in IN_ORDER if before[a] > 1]:
            before, order = layer.y.shape, IN_ORDER
        return replace(view, x=layer.y, before=before, axes=order, chain=(*view.chain, layer.name))

    def _keep(self, layer: Layer) -> None:
        """Add a layer, reading what holds its inputs' values."""
        views = [self.views[name] for name in layer.inputs]
        operator = self.operators[layer.op]
        y, chain = layer.y, tuple[str, ...]()
        for view in views:
            if view.is_exact:
                continue
            if (
                len(views) > 1
                or not view.in_order
                or view.holds.rows
                or layer.x.rows
                or not operator.any_shape
            ):
                raise _Needed(view, layer)
            y = operator.infer(layer.spec, view.holds)
            chain = view.chain if y != layer.y else ()
        inputs = tuple(view.source for view in views)
        xs = tuple(view.holds for view in views)
        self.layers.append(replace(layer, inputs=inputs, x=xs[0], others=xs[1:], y=y))
        self.views[layer.name] = _View(
            source=layer.name, holds=y, x=layer.y, before=layer.y.shape, chain=chain
        )
