"""A table: values, and the order in which their reader wants them; what stands in a source, a header or the weights file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from aieloom.layout.nest import Layout


@dataclass(frozen=True, slots=True)
class Table:
    """Values `(..., *order.sizes)` by the name of their destination; without an order they stand there as they are.

    Where the order has padding, `outside` stands: one value, or one for each element.
    """

    name: str
    values: NDArray[Any]
    order: Layout | None = None
    outside: NDArray[Any] | float = 0

    @property
    def elements(self) -> NDArray[Any]:
        """The elements `(..., order.elements)` as their reader finds them."""
        return self.order.gather(self.values, self.outside) if self.order else self.values
