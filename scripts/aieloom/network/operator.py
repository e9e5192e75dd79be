"""What every stage may ask of an operator; what only some have is a protocol of the stage that asks (plan/operators.py).

How far a layer sees is, along an axis, a `Span`: output `j` reads the inputs `j * stride - before` to
`j * stride - before + kernel - 1` and is then shown `up` times.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar, cast, get_args

from aieloom.network.tensor import ParameterType, TensorType
from aieloom.spec.network import LayerSpec, MappingSpec
from aieloom.spec.types import DataType

LayerT = TypeVar("LayerT", bound=LayerSpec)
MappingT = TypeVar("MappingT", bound=MappingSpec)


@dataclass(frozen=True, slots=True)
class Span:
    """What one output of a layer sees along an axis."""

    kernel: int = 1
    stride: int = 1
    before: int = 0  # padding in front
    up: int = 1


POINT = (Span(), Span())  # each output sees the input in its own place
Reach = tuple[Span, Span]  # vertical, horizontal


class Operator(Generic[LayerT, MappingT]):
    """What an operator is: its keys in network.yaml, its shapes, its meaning, its ways onto the device.

    `class Relu(Elementwise[ReluSpec])` says its layers' keys, and by their `op` its name; a second one those of its mappings.
    """

    name: ClassVar[str]
    layer_model: type[LayerT]
    mapping_model: type[MappingT]
    arity: ClassVar[tuple[int, int]] = (1, 1)  # inputs at least and at most; of several see ops.join.Join
    only_moves: ClassVar[bool] = False  # each result is one of the values that it sees
    reads_outside: ClassVar[bool] = False  # of rows: in PyTorch's order, (batch, rows, features)
    keeps_quantisation: ClassVar[bool] = False  # results mean what the input's elements mean
    torch_modules: ClassVar[tuple[str, ...]] = ()  # classes of torch.nn that do the same, for comparisons
    any_shape: ClassVar[bool] = False  # reads values in order of channel, row and column, however shaped
    sees: ClassVar[Reach | None] = None  # POINT of one each of whose values is made of those in its own place

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        models: Iterable[Any] = (a for base in cls.__dict__.get("__orig_bases__", ()) for a in get_args(base))
        for model in (m for m in models if isinstance(m, type)):
            if issubclass(model, MappingSpec):
                cls.mapping_model = cast(Any, model)
            elif issubclass(model, LayerSpec) and (names := get_args(model.model_fields["op"].annotation)):
                cls.layer_model, (cls.name,) = cast(Any, model), names

    def renames(self, spec: LayerT) -> tuple[int, int, int] | None:
        """Return, of an operator that only gives its values another shape, the input's axes in the order of the output's.

        None, as by default, of an operator that computes. See network/no_ops.py.
        """
        return None

    def infer(self, spec: LayerT, x: TensorType) -> TensorType:
        """Return the output's type, by default the input's; raise ShapeError when `x` cannot be taken."""
        return x

    def infer_join(self, spec: LayerT, xs: tuple[TensorType, ...]) -> TensorType:
        """Return the output's type of an operator of several inputs; by default that of the first input."""
        return self.infer(spec, xs[0])

    def parameters(self, spec: LayerT, x: TensorType) -> tuple[ParameterType, ...]:
        """Return the trained tensors the layer needs; none by default."""
        return ()

    def torch_forward(self, spec: LayerT, params: Any, x: Any) -> Any:
        """Return PyTorch's result: what the user trained; of several inputs `x` is a tuple."""
        raise NotImplementedError

    def processor_reason(self, dtype: DataType) -> str:
        """Return why a layer whose elements are `dtype` can only run on the processor; empty when it need not."""
        return ""

    def reach(self, spec: LayerT) -> Reach | None:
        """Return what one output pixel sees of the input, by default `sees`; None when that may be all of it."""
        return self.sees


AnyOperator: TypeAlias = Operator[Any, Any]
Operators: TypeAlias = Mapping[str, AnyOperator]
