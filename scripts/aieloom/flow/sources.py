"""What is generated of a design: names of files, kernels, the host program; for whoever builds or runs it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from aieloom.spec.device import Device

if TYPE_CHECKING:  # of the tools' room, which checking does without
    from aieloom.vitis.design import CompiledKernel


@dataclass(frozen=True, kw_only=True)
class Sources:
    """What is generated of a design, and how it is built and started.

    Attributes:
        names: of all files, below the build folder.
        kernels: in the logic.
        beside: files that the host program reads beside its xclbin.
        device: where part of it is on an array, whose graph lies in src/aie.
        cores: the sources of the cores' kernels there.
        together: inputs that it takes at a time.
        register_mhz: above which clock streams need registers into the array, where the compiler's default does not do.
    """

    names: tuple[str, ...]
    kernels: tuple[CompiledKernel, ...]
    beside: tuple[str, ...] = ()
    device: Device | None = None
    cores: tuple[str, ...] = ()
    together: int = 1
    register_mhz: float | None = None

    @property
    def host(self) -> PurePosixPath:
        """The host program's source, which has its name."""
        return next(PurePosixPath(n) for n in self.names if n.startswith("src/host/") and n.endswith(".cpp"))

    @property
    def built(self) -> tuple[CompiledKernel, ...]:
        """The kernels with the library's headers, of which each includes some."""
        headers = tuple(name for name in self.names if name.startswith("src/include/aieloom/pl/"))
        return tuple(replace(kernel, headers=headers) for kernel in self.kernels)
