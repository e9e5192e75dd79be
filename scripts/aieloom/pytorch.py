"""PyTorch for those that need it at times: its types, and its modules, which are imported when something of them is first used.

Importing it takes seconds, and not everybody has it: commands that compare nothing with PyTorch do without.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import torch
    import torch.nn.functional as f
else:

    class _Later:
        """A module that is imported when an attribute of it is asked for."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            return getattr(import_module(self._name), attribute)

    torch, f = _Later("torch"), _Later("torch.nn.functional")

Tensor: TypeAlias = "torch.Tensor"
Tensors: TypeAlias = "dict[str, torch.Tensor]"

__all__ = ["Tensor", "Tensors", "f", "padded", "torch"]


def padded(x: Tensor, sides: tuple[int, int, int, int], **how: Any) -> Tensor:
    """Return an image with a border at the top, left, bottom and right, by PyTorch, which names the last axis first."""
    top, left, bottom, right = sides
    return f.pad(x, (left, right, top, bottom), **how)
