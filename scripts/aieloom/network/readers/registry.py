"""What operators bring with them to read models: readers of ONNX's nodes and PyTorch's calls, expansions, patterns.

What a folder brings is asked before the tables of this room, what a plug-in brings before both. An expansion writes a node as
others (onnx_expanded.Rule), a pattern puts nodes back into one (onnx_patterns.Pattern), a reader makes layers of a node, or
nodes of a call (onnx_nodes.Translator, torch_ops.Translator). A module that is declared here registers them by the decorators
when it is imported, and that is when a model is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeVar

Function = Callable[..., Any]  # of the types above, whose modules ask this one
FunctionT = TypeVar("FunctionT", bound=Function)


@dataclass(frozen=True, slots=True)
class OnnxReader:
    """What takes a node of ONNX; `rows`: also of a matrix, whose rows are features."""

    read: Function
    rows: bool


@dataclass(frozen=True, slots=True)
class Brought:
    """What one origin brings, each by the operator of ONNX or of PyTorch that it is for."""

    onnx: dict[str, OnnxReader] = field(default_factory=dict)
    expansions: dict[str, Function] = field(default_factory=dict)
    patterns: dict[str, tuple[Function, ...]] = field(default_factory=dict)
    torch: dict[str, Function] = field(default_factory=dict)


OPERATORS = "aieloom.ops"  # whose folders declare themselves: this room knows none of them
_moving: set[str] = set()
_declared: dict[str, None] = {}
_brought = {OPERATORS: Brought()}  # by origin, aieloom's own first
_used = {OPERATORS}  # the origins that are asked
_origin = [OPERATORS]  # whose modules run, the last one


def declare(module: str) -> None:
    """Name a module whose readers are registered when the first model is read."""
    _declared[module] = None


@contextmanager
def plug_in(name: str) -> Iterator[None]:
    """Let what is registered inside be what plug-in `name` brings, in place of what it did before; as before if it fails."""
    _load()
    before = _brought.get(name, Brought())
    _brought[name] = Brought()
    _used.add(name)
    _origin.append(name)
    try:
        yield
    except BaseException:
        _brought[name] = before
        raise
    finally:
        _origin.pop()


def use(plug_ins: Iterable[str]) -> None:
    """Ask these plug-ins from now on, and no others: what another project brings is not for this one's models."""
    _used.clear()
    _used.update((OPERATORS, *plug_ins))


def _registering(put: Callable[[Brought, Function], None]) -> Callable[[FunctionT], FunctionT]:
    """Return a decorator that puts a function among what the module that runs brings."""

    def register(function: FunctionT) -> FunctionT:
        put(_brought[_origin[-1]], function)
        return function

    return register


def from_onnx(kind: str, *, rows: bool = False) -> Callable[[FunctionT], FunctionT]:
    """Return a decorator: the function takes the nodes of an ONNX operator; where several tensors flow in, without pieces."""
    return _registering(lambda brought, read: brought.onnx.update({kind: OnnxReader(read, rows)}))


def expands_onnx(kind: str) -> Callable[[FunctionT], FunctionT]:
    """Return a decorator: the function writes nodes of an ONNX operator as others, or returns None of one that it leaves."""
    return _registering(lambda brought, rule: brought.expansions.update({kind: rule}))


def fuses_onnx(kind: str) -> Callable[[FunctionT], FunctionT]:
    """Return a decorator: the function finds nodes that are one operator, from one of `kind` on, or returns None."""

    def put(brought: Brought, match: Function) -> None:
        brought.patterns[kind] = (*brought.patterns.get(kind, ()), match)

    return _registering(put)


def from_torch(*names: str) -> Callable[[FunctionT], FunctionT]:
    """Return a decorator: the function takes the calls of ATen operators, named without their overload and `_`."""
    return _registering(lambda brought, read: brought.torch.update(dict.fromkeys(names, read)))


def declare_moving(op: str) -> None:
    """Say that each result of an operator is one of the values that it sees."""
    _moving.add(op)


def _load() -> None:
    import_module(OPERATORS)
    while _declared:
        import_module(_declared.popitem()[0])


def only_moves(op: str) -> bool:
    """Tell whether each result of an operator is one of the values that it sees."""
    _load()
    return op in _moving


def _asked() -> list[Brought]:
    """Return what is brought by those who are asked, the last word last: aieloom's folders, then plug-ins."""
    _load()
    return [brought for origin, brought in _brought.items() if origin in _used]


def onnx_readers() -> Mapping[str, OnnxReader]:
    """Return the readers of ONNX's nodes by operator."""
    return {kind: reader for brought in _asked() for kind, reader in brought.onnx.items()}


def torch_readers() -> Mapping[str, Function]:
    """Return the readers of PyTorch's calls by ATen operator."""
    return {name: reader for brought in _asked() for name, reader in brought.torch.items()}


def read_by_plug_ins() -> frozenset[str]:
    """Return ONNX's operators that plug-ins read: nothing of aieloom's takes such a node before them."""
    return frozenset(kind for brought in _asked()[1:] for kind in brought.onnx)


def expansions(table: Mapping[str, Function]) -> Mapping[str, Function]:
    """Return what writes nodes as others: what folders bring, and of `table` what no folder reads."""
    own, *plug_ins = _asked()
    rules = {kind: rule for kind, rule in table.items() if kind not in own.onnx} | own.expansions
    kept = {kind: rule for kind, rule in rules.items() if kind not in read_by_plug_ins()}
    return kept | {kind: rule for brought in plug_ins for kind, rule in brought.expansions.items()}


def patterns(table: Mapping[str, tuple[Function, ...]], kind: str) -> Iterator[tuple[Function, bool]]:
    """Yield what finds groups that are one operator at nodes of `kind`, plug-ins' first; and whether a plug-in brings it."""
    own, *plug_ins = _asked()
    for brought in reversed(plug_ins):
        yield from ((match, True) for match in brought.patterns.get(kind, ()))
    yield from ((match, False) for match in (*own.patterns.get(kind, ()), *table.get(kind, ())))


def fingerprint() -> tuple[object, ...]:
    """Return what is equal while the same functions read models."""
    kinds = (kind for brought in _asked() for kind in (brought.onnx, brought.expansions, brought.patterns))
    return tuple(tuple(kind.items()) for kind in kinds)
