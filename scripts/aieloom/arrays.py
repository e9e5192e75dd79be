"""Arrays of whatever element type: what a function of elements and of floats takes and gives."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # seconds of start-up, and not everybody has it
    import torch

Values: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.float32]


def is_tensor(value: object) -> TypeGuard[torch.Tensor]:
    """Tell whether a value is PyTorch's; where nobody imported that, nothing is."""
    module = sys.modules.get("torch")
    return module is not None and isinstance(value, module.Tensor)
