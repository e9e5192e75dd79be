"""All operators by name. An operator is a folder, or one of a family's; `@operator` is all that ties it to the rest.

What every stage may ask is model.operator.Operator; what only some operators have is a Protocol of the stage that asks
(plan/operators.py, reference/results.py), and an operator's class satisfies those that it can.

aieloom's own are imported when they are asked for: a network takes few of them, and each brings pydantic models and dataclasses
whose making costs more than reading the network.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar, cast, get_args

from aieloom.network.operator import Reach
from aieloom.network.readers.registry import declare_moving
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.spec.network import LayerSpec, MappingSpec
from aieloom.spec.types import DataType

LayerT = TypeVar("LayerT", bound=LayerSpec)
MappingT = TypeVar("MappingT", bound=MappingSpec)


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

        None, as by default, of an operator that computes. See model.no_ops.
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

    def processor_reason(self, dtype: DataType) -> str:
        """Return why a layer whose elements are `dtype` can only run on the processor; empty when it need not."""
        return ""

    def reach(self, spec: LayerT) -> Reach | None:
        """Return what one output pixel sees of the input; None, as by default, when that may be all of it."""
        return None


OperatorT = TypeVar("OperatorT", bound=Operator[Any, Any])


class Registry(Mapping[str, Operator[Any, Any]]):
    """Operators by name; also the LayerCatalog that reading network.yaml asks.

    `homes` has modules that register operators when they are imported, by the name of the one that is looked for there first.
    A name that is neither registered nor a home's may be of a module that registers several: they are imported in order until
    it is there, all of them when somebody goes through the names.
    """

    def __init__(self, homes: Mapping[str, str] | None = None) -> None:
        self._operators: dict[str, Operator[Any, Any]] = {}
        self._homes = dict(homes or {})

    def _visit(self, name: str) -> None:
        """Import the module that is the home of an operator; of one that is being imported, or was, nothing is done again."""
        if name not in self._operators and name in self._homes:
            import_module(self._homes[name])

    def _visit_all(self) -> None:
        for module in self._homes.values():
            import_module(module)

    def add(self, op: Operator[Any, Any]) -> None:
        """Register an operator; a second one of the same name is a programming error."""
        self._visit(op.name)
        if op.name in self._operators:
            raise ValueError(f"two operators are called '{op.name}'")
        self._operators[op.name] = op
        if op.only_moves:
            declare_moving(op.name)

    def remove(self, name: str) -> None:
        """Forget an operator: a plug-in that has changed registers it again."""
        del self._operators[name]

    def keep(self, names: Iterable[str]) -> None:
        """Forget all operators but these."""
        kept = set(names)
        self._operators = {n: op for n, op in self._operators.items() if n in kept}

    def __getitem__(self, name: str) -> Operator[Any, Any]:
        self._visit(name)
        for module in self._homes.values():
            if name in self._operators:
                break
            import_module(module)
        return self._operators[name]

    def __iter__(self) -> Iterator[str]:
        self._visit_all()
        return iter(sorted(self._operators))

    def __len__(self) -> int:
        self._visit_all()
        return len(self._operators)

    def names(self) -> tuple[str, ...]:
        """Return all operators' names in alphabetical order."""
        return tuple(self)

    def layer_model(self, op: str) -> type[LayerSpec]:
        """Return the pydantic model of a layer."""
        model: type[LayerSpec] = self[op].layer_model
        return model

    def mapping_model(self, op: str) -> type[MappingSpec]:
        """Return the pydantic model of its mapping."""
        model: type[MappingSpec] = self[op].mapping_model
        return model

    def arity(self, op: str) -> tuple[int, int]:
        """Return how many inputs a layer has at least and at most."""
        return self[op].arity


# aieloom's own operators: modules, each in a folder of the operator's name, or of a family of several: these are asked first
# for names that no folder has, the most common ones first.
FAMILIES = ("pointwise", "reorder", "piecewise", "arithmetic", "avg_pool", "recurrent", "dense")
_others = {f.parent.name for f in Path(__file__).parent.glob("*/__init__.py")} - {*FAMILIES}
OWN = {f"{__package__}.{name}": Path(__file__).parent / name for name in (*FAMILIES, *sorted(_others))}
UNITS: dict[str, object] = {}  # that compute whole networks (aieloom/makers.py), as `unit:` calls them
REGISTRY = Registry({folder.name: home for home, folder in OWN.items()})


def operator(cls: type[OperatorT]) -> type[OperatorT]:
    """Class decorator: create the operator and register it under its name."""
    REGISTRY.add(cls())
    return cls
