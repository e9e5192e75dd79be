"""All operators by name. An operator is a folder, or one of a family's; `@operator` is all that ties it to the rest.

What every stage may ask is network.operator.Operator; what only some operators have is a Protocol of the stage that asks
(plan/operators.py, reference/results.py), and an operator's class satisfies those that it can.

aieloom's own are imported when they are asked for: a network takes few of them, and each brings pydantic models and dataclasses
whose making costs more than reading the network.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from pydantic import create_model

from aieloom.network.operator import AnyOperator, LayerT, MappingT, Operator
from aieloom.network.readers.registry import declare_moving
from aieloom.spec.network import LayerSpec

__all__ = [
    "OWN",
    "REGISTRY",
    "UNITS",
    "LayerT",
    "MappingT",
    "Operator",
    "Registry",
    "layer_model",
    "operator",
    "register_rows",
]

OperatorT = TypeVar("OperatorT", bound=AnyOperator)


class Registry(Mapping[str, AnyOperator]):
    """Operators by name, in alphabetical order; also the LayerCatalog that reading network.yaml asks.

    `homes` has modules that register operators when they are imported, by the name of the one that is looked for there first.
    A name that is neither registered nor a home's may be of a module that registers several: they are imported in order until
    it is there, all of them when somebody goes through the names.
    """

    def __init__(self, homes: Mapping[str, str] | None = None) -> None:
        self._operators: dict[str, AnyOperator] = {}
        self._homes = dict(homes or {})

    def _visit(self, name: str) -> None:
        """Import the module that is the home of an operator; of one that is being imported, or was, nothing is done again."""
        if name not in self._operators and name in self._homes:
            import_module(self._homes[name])

    def _visit_all(self) -> None:
        for module in self._homes.values():
            import_module(module)

    def add(self, op: AnyOperator) -> None:
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

    def __getitem__(self, name: str) -> AnyOperator:
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


def layer_model(name: str, means: str, **keys: Any) -> type[LayerSpec]:
    """Return the model of the layers of a table's row: what they compute, and their own keys as pydantic's fields."""
    op = (cast(Any, Literal[name]), ...)
    made = create_model(f"{name.title().replace('_', '')}Spec", __base__=LayerSpec, op=op, **keys)
    made.__doc__ = means
    return made


def register_rows(operators: Iterable[AnyOperator], module: dict[str, Any]) -> None:
    """Register operators that are rows of a table of `module`, where the search's processes find their layers' models."""
    for op in operators:
        REGISTRY.add(op)
        model = op.layer_model
        model.__module__ = module["__name__"]
        module[model.__name__] = model
