"""A project's design as the vendor's flow takes it, whatever planned it: files, kernels, expected results, its report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aieloom.errors import SpecError
from aieloom.flow.project import Opened
from aieloom.spec.board import Board
from aieloom.spec.device import Device, array_names
from aieloom.vitis.design import VitisDesign

Values = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class System:
    """A design that the vendor's tools build.

    Attributes:
        reference: what the hardware computes of `(n, channels, height, width)`.
        tolerance: the largest absolute difference of hardware that counts as agreement.
        show: prints how the emulated run went; returns whether it passed.
    """

    project: Opened
    device: Device
    design: VitisDesign
    reference: Callable[[Values], Values]
    tolerance: float
    show: Callable[[], bool]


def no_platform(project: Opened, board: Board) -> SpecError:
    """Return the refusal of a build for a board that aieloom knows no platform of."""
    text = f"{board.name} has no Vitis platform that aieloom knows, so it cannot be built for"
    *others, last = array_names()
    remedy = (
        f"use target={', '.join(others)} or {last}; or give {project.build.name}/src to v++ with a platform of yours: "
        "doit gen writes kernels, system.cfg and host program"
    )
    return SpecError(project.network.spec.source.problem("build-1", ("target",), text, remedy))
