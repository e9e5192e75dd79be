"""Attention as its readers find it: heads taken apart, two products with a softmax between, heads put together again.

A mask of keys that is added to the scores (key_mask.py) becomes the layer's fourth input.

Of `rearrange`s that only pick a head's features out of rows nothing is left: the layer `attention` reads queries, keys and
values where they lie, and writes heads side by side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from aieloom.arrays import Values
from aieloom.layout.channel_words import LANES
from aieloom.network.layers import Layer, Network
from aieloom.ops.attention import Attention, AttentionSpec
from aieloom.ops.batch_matmul import BatchMatmulSpec
from aieloom.ops.reorder import RearrangeSpec
from aieloom.quantize.key_mask import MASKED, Traced, traced
from aieloom.quantize.product import is_product
from aieloom.spec.network import GRAPH_INPUT, INPUT

# Below a row's largest score: exp(-16) of its share, which thousands of keys do not see in 8 bits
APART = 16.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A place where attention stands: the layers that leave, the one that comes, and whose readers read it."""

    gone: frozenset[str]
    layer: Layer
    joined: str  # the layer behind which its result is read


@dataclass(frozen=True, slots=True, kw_only=True)
class _Operand:
    """Heads that a rearrange picks: of which tensor, from which feature on."""

    source: str
    first: int


def with_attention(network: Network) -> Network:
    """Return a network with a layer `attention` wherever it stands as single layers that nobody else reads."""
    layers, masks = {la.name: la for la in network.layers}, traced(network)
    places = [p for p in (_place(network, layers, masks, la) for la in network.layers) if p]
    if not places:
        return network
    gone = frozenset[str]().union(*(p.gone for p in places))
    at = {p.layer.name: p.layer for p in places}
    reads = {p.joined: p.layer.name for p in places}
    kept = (at.get(la.name, la) for la in network.layers if la.name not in gone)
    made = tuple(replace(la, inputs=tuple(reads.get(n, n) for n in la.inputs)) for la in kept)
    return replace(network, layers=_read(made, masks))


def masks_apart(network: Network) -> Iterator[str]:
    """Yield a line for each attention that stays apart because what is added to its scores is no mask of keys."""
    layers, masks = {la.name: la for la in network.layers}, traced(network)
    for mix in network.layers:
        softmax = layers.get(mix.inputs[0])
        added = layers.get(softmax.inputs[0]) if softmax and softmax.op == "softmax" else None
        if not added or mix.op != "batch_matmul" or added.op != "add":
            continue
        scores, mask = _scores_and_mask(layers, added)
        why = _why_no_key_mask(masks, mask, added) if scores and mask else ""
        if scores and why:
            both = f"'{scores.name}' and '{mix.name}' are the processor's"
            yield f"{both}: what '{added.name}' adds to scores is no mask of keys: '{mask}' {why}"


def _read(layers: tuple[Layer, ...], masks: Mapping[str, Traced]) -> tuple[Layer, ...]:
    """Return the layers without those that made masks of which nobody reads a thing any more."""
    found: list[Layer] = []
    read = {layers[-1].name}
    for layer in reversed(layers):
        if layer.op == GRAPH_INPUT or layer.name in read or layer.name not in masks:
            found.append(layer)
            read.update(layer.inputs)
    return tuple(reversed(found))


def without_masks(network: Network, outputs: Sequence[Values]) -> list[Values]:
    """Return what calibration sees of each layer, `(n, channels, height, width)`, without masks.

    Scores that only a softmax reads and that are masked lie APART from the largest of any row, where their elements saturate: a
    share of 0, and the others keep steps of their own size. Of a mask that is added to scores no more is seen than takes the
    largest score there.
    """
    made = {la.name: y for la, y in zip(network.layers, outputs, strict=True)}
    layers = {la.name: la for la in network.layers}
    seen = {name: _scores(network, layers[name], y) for name, y in made.items()}
    for layer in network.layers:
        if layer.op != "add" or seen[layer.name] is made[layer.name]:
            continue
        masks = [name for name in layer.inputs if name in made and _is_mask(made[name])]
        others = [name for name in layer.inputs if name not in masks]
        if not masks or not others:
            continue
        floor = float(seen[layer.name].min()) - max(float(made[name].max()) for name in others)
        for name in _above(layers, masks):
            if _is_mask(made[name]):  # of a mask that several layers add, as far as the widest scores need
                before = seen[name].min() if seen[name] is not made[name] else floor
                seen[name] = np.maximum(made[name], min(floor, float(before)))
    return [seen[la.name] for la in network.layers]


def _is_mask(y: Values) -> bool:
    return float(y.min(initial=0.0)) < MASKED


def _above(layers: Mapping[str, Layer], names: Iterable[str]) -> list[str]:
    """Return layers and all that they follow from."""
    found = dict.fromkeys(names)
    stack = [*found]
    while stack:
        new = [n for n in layers[stack.pop()].inputs if n in layers and n not in found]
        found |= dict.fromkeys(new)
        stack += new
    return [*found]


def _scores(network: Network, layer: Layer, y: Values) -> Values:
    readers = network.readers(layer.name)
    masked = y < MASKED
    if not readers or any(r.op != "softmax" for r in readers) or not masked.any() or masked.all():
        return y
    seen = np.where(masked, -np.inf, y)
    largest = seen.max(1)
    low = min(float(y[~masked].min()), float(largest[np.isfinite(largest)].min()) - APART)
    return np.where(masked, low, y)


def _place(
    network: Network, layers: Mapping[str, Layer], masks: Mapping[str, Traced], mix: Layer
) -> _Found | None:
    """Return the attention whose second product is `mix`."""
    chain = _chain(network, layers, mix)
    if chain is None:
        return None
    scores, added, softmax, joined = chain
    _, mask = _scores_and_mask(layers, added)
    if mask and _why_no_key_mask(masks, mask, added):
        return None
    assert isinstance(scores.spec, BatchMatmulSpec)
    heads, names = scores.spec.heads, (*scores.inputs, mix.inputs[1])
    turned = (False, not scores.spec.transpose, False)  # PyTorch exports keys with their rows as columns
    found = [_operand(layers, n, heads, turned=t) for n, t in zip(names, turned, strict=True)]
    operands = [o for o in found if o]
    if len(operands) < len(found) or not all(is_product(layers[o.source]) for o in operands[1:]):
        return None
    width = scores.x.shape[0]
    if any(n % LANES for n in (width, *(o.first for o in operands))) or mix.y.shape[0] != width:
        return None
    q, k, v = operands
    spec = AttentionSpec(
        name=mix.name,
        op="attention",
        heads=heads,
        width=width,
        first=(q.first, k.first, v.first),
        factor=scores.spec.factor,
    )
    sources = (*(o.source for o in operands), *([masks[mask].source.name] if mask else []))
    xs = tuple(layers[name].y for name in sources)
    y = Attention().infer_join(spec, xs)
    layer = replace(mix, spec=spec, x=xs[0], others=xs[1:], y=y, inputs=sources)
    picks = {n for n in names if len(network.readers(n)) == 1}
    return _Found(
        gone=frozenset({scores.name, added.name, softmax.name, joined.name, *picks}),
        layer=layer,
        joined=joined.name,
    )


def _chain(
    network: Network, layers: Mapping[str, Layer], mix: Layer
) -> tuple[Layer, Layer, Layer, Layer] | None:
    """Return the product of queries and keys, what adds a mask to it, the softmax, and what puts heads together.

    Each is read by the next alone; of no mask the second is the first.
    """
    softmax = layers.get(mix.inputs[0])
    added = layers.get(softmax.inputs[0]) if softmax and softmax.op == "softmax" else None
    if not softmax or not added or not isinstance(mix.spec, BatchMatmulSpec):
        return None
    scores, _ = _scores_and_mask(layers, added)
    if not scores or not isinstance(scores.spec, BatchMatmulSpec) or scores.spec.heads != mix.spec.heads:
        return None
    alone = all(len(network.readers(la.name)) == 1 for la in (scores, added, softmax, mix))
    said = any(_said(network, la) for la in (scores, added, softmax, mix))
    if not alone or said or mix.spec.transpose or mix.spec.factor != 1:
        return None
    joined = network.readers(mix.name)[0]
    if joined.name == network.layers[-1].name or not _joins(joined, mix, mix.spec.heads):
        return None
    return scores, added, softmax, joined


def _scores_and_mask(layers: Mapping[str, Layer], added: Layer) -> tuple[Layer | None, str]:
    """Return the product that gives what a softmax reads, and the layer that is added to it, if there is one."""
    if added.op != "add":
        return added, ""
    scores = next((layers[n] for n in added.inputs if n in layers and layers[n].op == "batch_matmul"), None)
    return scores, next((n for n in added.inputs if scores and n != scores.name), "")


def _why_no_key_mask(masks: Mapping[str, Traced], mask: str, added: Layer) -> str:
    """Return why a layer that is added to scores is no mask of keys; empty if it is one."""
    if mask not in masks:
        return "does not follow from one input of 0 and 1 by functions of single values"
    return masks[mask].why_no_key_mask(added.y.shape[0])


def _said(network: Network, layer: Layer) -> bool:
    mapping = network.spec.mapping.get(layer.name)
    return mapping is not None and "engine" in mapping.model_fields_set


def _operand(layers: Mapping[str, Layer], name: str, heads: int, *, turned: bool) -> _Operand | None:
    """Return which features a layer picks as heads: row after row of the first, then of the next.

    `turned`: as the columns of each head's product, feature after feature.
    """
    pick = layers.get(name)
    if pick is None or not isinstance(pick.spec, RearrangeSpec) or pick.inputs[0] == INPUT:
        return None
    features, rows = pick.x.shape[0], pick.x.pixels
    across, down = pick.y.shape[0], pick.y.pixels // heads
    width = down if turned else across
    first = pick.spec.offset
    if not pick.x.rows or not pick.y.rows or pick.y.pixels % heads or first + heads * width > features:
        return None
    if (across if turned else down) != rows:
        return None
    head, row, feature = np.ogrid[:heads, :rows, :width]
    wanted = row * features + first + head * width + feature
    wanted = wanted.swapaxes(1, 2) if turned else wanted
    is_so = np.array_equal(_places(pick.spec), wanted.ravel())
    return _Operand(source=pick.inputs[0], first=first) if is_so else None


def _joins(joined: Layer, mix: Layer, heads: int) -> bool:
    """Tell whether a layer puts heads side by side."""
    if not isinstance(joined.spec, RearrangeSpec) or not joined.y.rows:
        return False
    width, rows = mix.y.shape[0], mix.y.pixels // heads
    if joined.y.shape != (heads * width, rows, 1):
        return False
    row, head, feature = np.ogrid[:rows, :heads, :width]
    return np.array_equal(_places(joined.spec), ((head * rows + row) * width + feature).ravel())


def _places(spec: RearrangeSpec) -> np.ndarray:
    """Return the place in the input of each value of a rearrange, in its user's order."""
    at = np.full(1, spec.offset, np.int64)
    for size, stride in zip(spec.sizes, spec.strides, strict=True):
        at = (at[:, None] + np.arange(size) * stride).reshape(-1)
    return at
