"""Packages that take seconds to import: a test file names them as ever, the first test that uses one imports it.

Collecting the tests imports none of them (tests/test_collection.py): whoever runs one quick test does not wait for PyTorch.
What a test file does with them at its top level (an element of a `parametrize`, a constant) has to be a function or a string.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

__all__ = [
    "Module",
    "TensorProto",
    "helper",
    "later",
    "nn",
    "numpy_helper",
    "onnx",
    "onnxruntime",
    "quantization",
    "torch",
]


class _Later:
    """A module, or what a module has under a name, found when it is first used."""

    def __init__(self, module: str, name: str = "") -> None:
        vars(self).update(_module=module, _name=name)

    def _found(self) -> Any:
        module = pytest.importorskip(self._module)
        return getattr(module, self._name) if self._name else module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what pytest and typing look for in all that they collect
            raise AttributeError(name)
        return getattr(self._found(), name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._found()(*args, **kwargs)


def later(module: str, name: str = "") -> Any:
    """Return a module, or what it has under a name, which is imported when it is first used."""
    return _Later(module, name)


class _Module:
    """The base of PyTorch modules in tests: a class gets torch.nn.Module for a further base with its first object."""

    def __new__(cls, *_args: Any, **_kwargs: Any) -> Any:
        known: Any = cls
        return object.__new__(_module_class(known))


@cache
def _module_class(cls: Any) -> Any:
    base = pytest.importorskip("torch.nn").Module
    if issubclass(cls, base):
        return cls
    name, module = str(cls.__name__), str(cls.__module__)
    made = type(name, (cls, base), {"__module__": module})
    home = sys.modules[module]
    if getattr(home, name, None) is cls:  # what pickles an object finds its class by this name
        setattr(home, name, made)
    return made


if TYPE_CHECKING:
    import onnx
    import onnxruntime
    import torch
    from onnx import TensorProto, helper, numpy_helper
    from onnxruntime import quantization
    from torch import nn
    from torch.nn import Module
else:
    onnx, onnxruntime, torch, nn = map(later, ("onnx", "onnxruntime", "torch", "torch.nn"))
    helper, numpy_helper = later("onnx.helper"), later("onnx.numpy_helper")
    quantization = later("onnxruntime.quantization")
    TensorProto, Module = later("onnx", "TensorProto"), _Module
