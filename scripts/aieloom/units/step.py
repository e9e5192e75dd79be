"""A layer as a step of a design: what is asked of all steps alike, and the answers of one that is the network's own layer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from aieloom.network.tensor import TensorType
from aieloom.units.types import PROCESSOR

StepT = TypeVar("StepT", bound="LayerStep")


class LayerStep:
    """A step that is one layer as the network has it; a kind of step says where its own are not."""

    __slots__ = ()
    unit: ClassVar[str] = PROCESSOR  # the kind of unit that such steps are made for
    product: ClassVar[None] = None  # what an engine multiplies
    fold: ClassVar[tuple[int, int]] = (1, 1)  # rows and columns of the image that are channels of one pixel
    rounds: ClassVar[bool] = False  # it rounds another layer's results, as a quantised model does

    if TYPE_CHECKING:  # a dataclass would take a property for the default of its field

        @property
        def layer(self) -> str: ...  # noqa: D102
        @property
        def x(self) -> TensorType: ...  # noqa: D102

    @property
    def name(self) -> str:
        """The layer's name."""
        return self.layer

    @property
    def fused(self) -> tuple[str, ...]:
        """The layers that it does beside its own: none."""
        return ()

    @property
    def gives(self) -> str:
        """The tensor that it makes."""
        return self.layer

    @property
    def part_of(self) -> str:
        """The layer whose trained tensors it reads."""
        return self.layer

    @property
    def taken(self) -> TensorType:
        """What it reads first, as the network has it."""
        return self.x

    @property
    def others(self) -> tuple[TensorType, ...]:
        """Types of its inputs behind the first: none."""
        return ()

    @property
    def words(self) -> int:
        """Words of a row on the row unit."""
        return 0

    @property
    def products(self) -> int:
        """Multiplications of an image that an engine or unit does by weights."""
        return 0

    def reading(self: StepT, inputs: tuple[str, ...]) -> StepT:
        """Return it with other inputs."""
        made: StepT = replace(cast(Any, self), inputs=inputs)
        return made
