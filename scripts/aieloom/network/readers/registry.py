"""Readers that operators bring with them: what a node of ONNX, or a call of PyTorch, becomes.

A module that is declared here registers its readers by the decorators when it is imported, and that is when a model is read.
Their types are those of onnx_nodes.Translator and torch_ops.Translator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aieloom.network.readers import onnx_nodes, torch_ops


@dataclass(frozen=True, slots=True)
class OnnxReader:
    """What takes a node of ONNX; `rows`: also of a matrix, whose rows are features."""

    read: onnx_nodes.Translator
    rows: bool


OPERATORS = "aieloom.ops"  # whose folders declare themselves: this room knows none of them
_moving: set[str] = set()
_declared: dict[str, None] = {}
_onnx: dict[str, OnnxReader] = {}
_torch: dict[str, torch_ops.Translator] = {}


def declare(module: str) -> None:
    """Name a module whose readers are registered when the first model is read."""
    _declared[module] = None


def from_onnx(kind: str, *, rows: bool = False) -> Callable[[onnx_nodes.Translator], onnx_nodes.Translator]:
    """Return a decorator: the function takes the nodes of an ONNX operator."""

    def register(read: onnx_nodes.Translator) -> onnx_nodes.Translator:
        _onnx[kind] = OnnxReader(read, rows)
        return read

    return register


def from_torch(*names: str) -> Callable[[torch_ops.Translator], torch_ops.Translator]:
    """Return a decorator: the function takes the calls of ATen operators, named without their overload and `_`."""

    def register(read: torch_ops.Translator) -> torch_ops.Translator:
        _torch.update(dict.fromkeys(names, read))
        return read

    return register


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


def onnx_readers() -> Mapping[str, OnnxReader]:
    """Return the readers of ONNX's nodes by operator."""
    _load()
    return _onnx


def torch_readers() -> Mapping[str, torch_ops.Translator]:
    """Return the readers of PyTorch's calls by ATen operator."""
    _load()
    return _torch
