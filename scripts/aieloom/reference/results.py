"""What the network computes: by PyTorch, by the hardware to the bit, and by the tables without rounding.

- `torch_reference(network, parameters, x)`: PyTorch's float32 operators, what the user trained.
- `hardware_reference(plan, parameters, x)`: NumPy float32 in the plan's own order of accumulation: bias
  first, products in order of K through all passes, product and sum rounded separately, tanh by the table.
  Emulated kernels equal it bit for bit.
- `table_reference(plan, parameters, x)`: the same network of tables in float64, without that rounding.
- `analyse(plan, parameters, x)`: all of it, and which outputs a sum near a table step can reach.

`x` is float32 `(images, channels, height, width)`; `parameters[layer][name]` are the trained tensors.

Why a third reference and an analysis. A table is a staircase: float32 sums differ from exact ones in the last
bits, and one that lies that near to a step takes the neighbouring entry, a *flip*, which moves the layers
behind it by far more than rounding does. So hardware and float64 agree closely only where no flip can have
happened.
`analyse` follows, for every value, an interval that contains what rounding can make of it. Where the interval
holds a step of the table the value is *near* one; an output that depends on such a value is *reached*.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.network.elements import meaning, to_elements
from aieloom.network.layers import Network, Parameters
from aieloom.ops import REGISTRY
from aieloom.plan.operators import Computed
from aieloom.plan.processor import Function
from aieloom.plan.types import AieLayerDraft, ArrayPart
from aieloom.reference.forward import Passing, ProcessorForm, evaluate, forward
from aieloom.reference.layerwise import AllParameters, torch_layers
from aieloom.spec.types import DataType

ANALYSED_VALUES = 1 << 18  # of an image's output: four float64 views of every tensor are kept


@runtime_checkable
class LinearOperator(Computed, Protocol):
    """An operator whose outputs are sums of its inputs."""

    def spread(self, plan: Any, params: Parameters, deviation: Values) -> Values:
        """Return how far the outputs move at most when each input moves by at most `deviation`."""
        ...

    def rounding(self, plan: Any, params: Parameters, x: Values) -> Values:
        """Return how far rounding may move each output, for float32 inputs `x`."""
        ...


@runtime_checkable
class TableOperator(Computed, Protocol):
    """An operator that looks its monotone function up in a table."""

    def table_index(self, plan: Any, x: Values) -> NDArray[np.int64]:
        """Return each value's entry."""
        ...


Step = AieLayerDraft | Function


def torch_reference(
    network: Network, parameters: AllParameters, x: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return PyTorch's outputs.

    Raises:
        ImportError: PyTorch is not installed.
    """
    ((_, y),) = deque(torch_layers(network, parameters, x), maxlen=1)
    return y


def hardware_reference(
    plan: ArrayPart, parameters: AllParameters, x: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return what the device computes, to the bit; of integers, what they mean."""
    elements = to_elements(_images(plan, x, np.float32), plan.x)
    return meaning(_forward(plan, parameters, elements), plan.y)


def table_reference(
    plan: ArrayPart, parameters: AllParameters, x: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return the same network of tables evaluated in float64."""
    return _forward(plan, parameters, _images(plan, x, np.float64))


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCount:
    """What happened at one table: values looked up, near a step, and flipped to a neighbouring entry."""

    layer: str
    values: int
    near: int
    flips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The hardware reference beside the exact evaluation of the same tables."""

    hardware: NDArray[np.float32]
    exact: NDArray[np.float64]
    reached: NDArray[np.bool_]  # outputs that a value near a step can reach
    tables: tuple[TableCount, ...]

    @classmethod
    def of_exact(cls, y: NDArray[np.float32]) -> Analysis:
        """Return the analysis of results that rounding does not reach: integers, and floats whose order is the design's own."""
        return cls(hardware=y, exact=y.astype(np.float64), reached=np.zeros(y.shape, np.bool_), tables=())

    @property
    def flips(self) -> int:
        """Values that took another table entry than exact arithmetic does."""
        return sum(t.flips for t in self.tables)

    def unreached_error(self, y: Values | None = None) -> float:
        """Return the largest error, of the peak, of `y` (or hardware) where no step can reach."""
        return float((self._error(y) * ~self.reached).max(initial=0.0))

    def share_within(self, tolerance: float, y: Values | None = None) -> float:
        """Return the share of all outputs of `y` that are within `tolerance` of the peak."""
        return float((self._error(y) <= tolerance).mean())

    def _error(self, y: Values | None) -> Values:
        peak = float(np.abs(self.exact).max(initial=0.0)) or 1.0
        return np.abs((self.hardware if y is None else y) - self.exact) / peak


def analyse(plan: ArrayPart, parameters: AllParameters, x: NDArray[np.float32]) -> Analysis:
    """Evaluate the plan in both precisions, count flips, and follow how far rounding can lead.

    Of large images in tiles only the hardware's result is made: of the rest nothing is said, as if every output were reached.
    """
    if plan.frame and plan.y.elements > ANALYSED_VALUES:
        found = Analysis.of_exact(hardware_reference(plan, parameters, x))
        return replace(found, reached=np.ones_like(found.reached))
    if plan.elements is not DataType.FLOAT32:
        return Analysis.of_exact(hardware_reference(plan, parameters, x))
    rounded, exact = _images(plan, x, np.float32), _images(plan, x, np.float64)
    steps, start = plan.steps, np.zeros_like(exact)
    # the four views of each tensor: hardware, exact, how far the two may be apart, whether a step may be between them
    views = _Views(rounded, exact, start, start)
    passing, tables = Passing(steps, views), []
    for step in steps:
        operator: Any = REGISTRY[step.op]
        trained = parameters.get(step.name, {})
        given = passing.take(step)
        joined = not isinstance(step, AieLayerDraft) and step.others
        views = _Views(*zip(*given, strict=True)) if joined else cast(_Views, given)
        if not _is_followed(operator, step):
            views = _unfollowed(step, trained, views)
            passing.put(step.name, views)
            continue
        rounded, exact, deviation, reached = views
        if isinstance(operator, TableOperator):
            deviation = _table_deviation(operator, step, exact, deviation)
            reached = (deviation > 0).astype(np.float64)
            tables.append(_count(operator, step, rounded, exact, reached > 0))
        else:
            reached = (operator.spread(step, trained, reached) > 0).astype(np.float64)
            deviation = operator.spread(step, trained, deviation) + operator.rounding(step, trained, rounded)
        views = _Views(
            operator.hardware(step, trained, rounded),
            operator.hardware(step, trained, exact),
            deviation,
            reached,
        )
        passing.put(step.name, views)
    return Analysis(
        hardware=views.rounded, exact=views.exact, reached=views.reached > 0, tables=tuple(tables)
    )


def _is_followed(operator: Any, step: Step) -> bool:
    """Tell whether the analysis knows how far the step's results move with their arguments."""
    if step.host and isinstance(operator, ProcessorForm):
        return False
    return isinstance(operator, LinearOperator | TableOperator)


def _unfollowed(step: Step, trained: Parameters, views: _Views) -> _Views:
    """Return a tensor of which nothing is claimed: all of it counts as reached."""
    rounded, exact = (forward(step, trained, x) for x in (views.rounded, views.exact))
    with np.errstate(invalid="ignore"):
        deviation = np.nan_to_num(np.abs(rounded - exact))
    return _Views(rounded, exact, deviation, np.ones_like(exact))


class _Views(NamedTuple):
    """A tensor in `analyse`; of a join's inputs, tuples of each."""

    rounded: Any
    exact: Any
    deviation: Any
    reached: Any  # 1 where a table's step can reach


def _count(operator: TableOperator, step: Step, rounded: Values, exact: Values, near: Values) -> TableCount:
    flips = operator.table_index(step, rounded) != operator.table_index(step, exact)
    return TableCount(layer=step.name, values=near.size, near=int(near.sum()), flips=int(flips.sum()))


def _table_deviation(operator: TableOperator, step: Step, exact: Values, deviation: Values) -> Values:
    """Return how far the table's value can move when its argument moves by `deviation`; 0: no step is near.

    The table of a monotone function moves most at the ends of the interval. The multiplication by the scale
    rounds as well; it is exact for powers of two, and else adds one unit in the last place.
    """
    width = deviation + np.abs(exact) * 2.0**-23
    value = operator.hardware(step, {}, exact)
    below, above = operator.hardware(step, {}, exact - width), operator.hardware(step, {}, exact + width)
    moved: Values = np.maximum(np.abs(below - value), np.abs(above - value))
    return moved


def _images(plan: ArrayPart, x: NDArray[np.float32], dtype: type[np.floating[Any]]) -> Values:
    """Return `x` as a batch of the network's inputs.

    Raises:
        ValueError: it is none.
    """
    values = np.asarray(x)
    if values.shape[1:] != plan.x.shape or len(values) == 0:
        raise ValueError(f"inputs are (images, {', '.join(map(str, plan.x.shape))}), not {values.shape}")
    result: Values = values.astype(np.float32).astype(dtype)
    return result


def _forward(plan: ArrayPart, parameters: AllParameters, x: Values) -> Values:
    ((_, _, y),) = deque(evaluate(plan.steps, parameters, x), maxlen=1)
    return y
