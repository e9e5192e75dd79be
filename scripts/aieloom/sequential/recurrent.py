"""Recurrences, LSTM and GRU, on the recurrent unit in the logic: what it is told, and its arithmetic.

The unit goes over all steps of a layer by itself: h and c stay on the chip, and so do the weights by which h goes to the gates
where they have room. What x gives to the gates is a product of all steps at once, another layer's. All is float32: sums from 0
on in order of h's features, each operation rounded; then x's part; functions of ops/gates.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

import numpy as np

from aieloom.arrays import Values
from aieloom.layout.channel_words import LANES, words_of
from aieloom.layout.expression import index
from aieloom.layout.nest import Layout, Table, axis
from aieloom.network.layers import Parameters
from aieloom.network.tensor import TensorType
from aieloom.ops import gates
from aieloom.ops.recurrent import Recurrence
from aieloom.plan.processor import Function
from aieloom.sequential.engine import turns_of
from aieloom.spec.types import DataType
from aieloom.units.types import LayerStep


class Cell(IntEnum):
    """What a step computes; the numbers of the command list."""

    LSTM = 0
    GRU = 1  # the reset gate is a factor of the product with h
    GRU_BEFORE = 2  # the reset gate is a factor of h before the product

    @property
    def gates(self) -> int:
        """Gates of a feature of h."""
        return 4 if self is Cell.LSTM else 3

    @property
    def products(self) -> tuple[int, ...]:
        """Gates of each product of a step, one after another: the new value's of GRU_BEFORE waits for the others."""
        return {Cell.LSTM: (4,), Cell.GRU: (3,), Cell.GRU_BEFORE: (2, 1)}[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurrentStep(LayerStep):
    """A recurrence on the recurrent unit."""

    layer: str
    op: str
    x: TensorType
    y: TensorType
    inputs: tuple[str, ...]
    cell: Cell
    hidden: int
    reverse: bool
    why: tuple[str, ...]
    others: tuple[TensorType, ...] = ()
    unit: ClassVar[str] = "recurrent_unit"
    called: ClassVar[None] = None

    @property
    def hidden_words(self) -> int:
        """Words of h, filled up."""
        return words_of(self.hidden)

    @property
    def row_words(self) -> tuple[int, ...]:
        """Words of a row of weights, of each product: sums of so many take turns at least."""
        return tuple(max(turns_of("float32"), words_of(n * self.hidden)) for n in self.cell.products)

    @property
    def weight_words(self) -> int:
        """Words of the weights of a step's products: a row for each feature of h."""
        return self.hidden * sum(self.row_words)

    @property
    def bias_words(self) -> int:
        """Words of the bias that is added to the new value's product."""
        return self.hidden_words if self.cell is Cell.GRU else 0

    @property
    def products(self) -> int:
        """Multiplications of an image by weights."""
        return self.x.pixels * self.cell.gates * self.hidden * self.hidden

    @property
    def trained_bytes(self) -> int:
        """Bytes of weights and bias."""
        return (self.weight_words + self.bias_words) * LANES * DataType.FLOAT32.bytes


def recurrent_step(step: Function) -> RecurrentStep | None:
    """Return a layer as the unit computes it; None of one that is no recurrence."""
    if not isinstance(step.detail, Recurrence):
        return None
    after = step.host is not None and "bias" in step.host.weights  # the reset gate is behind the product
    cell = Cell.LSTM if step.op == "lstm" else Cell.GRU if after else Cell.GRU_BEFORE
    detail = step.detail
    what = f"{detail.steps} steps of {detail.gates} x {detail.hidden} products"
    return RecurrentStep(
        layer=step.layer,
        op=step.op,
        x=step.x,
        y=step.y,
        inputs=step.inputs,
        cell=cell,
        hidden=detail.hidden,
        reverse=detail.reverse,
        why=(f"{step.op}: {what}, sums in order; functions in float32",),
    )


def computed_recurrence(step: RecurrentStep, trained: Parameters, inputs: Sequence[Values]) -> Values:
    """Return h of every step, `(n, hidden, steps, 1)`, of gates `(n, gates * hidden, steps, 1)`, the only one of `inputs`."""
    (x,) = inputs
    given = np.asarray(x, np.float32).reshape(*x.shape[:2], -1)
    weight = np.asarray(trained["weight"], np.float32)
    bias = np.asarray(trained.get("bias", np.zeros(step.hidden)), np.float32)
    h = c = np.zeros((len(x), step.hidden), np.float32)
    y = np.empty((len(x), step.hidden, given.shape[2]), np.float32)
    for t in range(given.shape[2])[:: -1 if step.reverse else 1]:
        if step.cell is Cell.LSTM:
            h, c = _lstm(given[:, :, t], weight, h, c)
        else:
            h = _gru(step, given[:, :, t], weight, bias, h)
        y[:, :, t] = h
    return y[..., None]


def _lstm(given: Values, weight: Values, h: Values, c: Values) -> tuple[Values, Values]:
    i, f, g, o = np.split(given + _products(weight, h), 4, axis=1)
    kept, new = gates.sigmoid(f) * c, gates.sigmoid(i) * gates.tanh(g)
    c = kept + new
    return gates.sigmoid(o) * gates.tanh(c), c


def _gru(step: RecurrentStep, given: Values, weight: Values, bias: Values, h: Values) -> Values:
    both = 2 * step.hidden
    if step.cell is Cell.GRU:
        sums = _products(weight, h)
        r, z = np.split(gates.sigmoid(given[:, :both] + sums[:, :both]), 2, axis=1)
        new = r * (sums[:, both:] + bias)
    else:
        r, z = np.split(gates.sigmoid(given[:, :both] + _products(weight[:both], h)), 2, axis=1)
        new = _products(weight[both:], r * h)
    n = gates.tanh(given[:, both:] + new)
    made, kept = (np.float32(1) - z) * n, z * h
    return np.asarray(made + kept, np.float32)


def _products(weight: Values, h: Values) -> Values:
    """Return sums of products in order of h's features, each operation rounded: `(n, rows of weight)`."""
    found = np.zeros((len(h), len(weight)), np.float32)
    for k in range(weight.shape[1]):
        found += weight[:, k] * h[:, k, None]
    return found


def recurrence_tables(step: RecurrentStep, trained: Parameters) -> Iterator[Table]:
    """Yield what the unit reads beside x: a row for every feature of h, of each product, filled up with zeros; a bias."""
    weight, begin = np.asarray(trained["weight"], "<f4"), 0
    feature = index("feature", step.hidden)
    for n, row_words in zip(step.cell.products, step.row_words, strict=True):
        rows, gate = n * step.hidden, index("gate", row_words * LANES)
        axes = (axis("gate", gate, rows), axis("feature", feature, step.hidden))
        yield Table("weights", weight[begin : begin + rows], Layout((feature, gate), axes))
        begin += rows
    if step.bias_words:
        word = index("word", step.bias_words * LANES)
        order = Layout((word,), (axis("feature", word, step.hidden),))
        yield Table("weights", np.asarray(trained["bias"], "<f4"), order)
