"""The generations of the AI Engine; a module of its own because the emulator needs no more of the specification."""

from __future__ import annotations

from enum import Enum


class Architecture(Enum):
    """Generations of the AI Engine; the value is the name used in aieloom's files."""

    AIE = "aie"
    AIE_ML = "aie-ml"

    @property
    def macro(self) -> int:
        """Value of __AIE_ARCH__ (aie_api headers 2025.1)."""
        return {"aie": 10, "aie-ml": 20}[self.value]
