"""What pip does beyond copying when it installs from a checkout: the emulator's runtime is compiled once.

Only for editable installs: a wheel holds no objects, because they belong to one compiler and processor.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileRuntime(BuildHookInterface[Any]):
    """Hatchling calls this before it builds."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's signature
        """Compile the runtime into the package; whatever goes wrong, the first design's build does it again."""
        if version != "editable":
            return
        scripts = Path(self.root) / "scripts"
        environment = {**os.environ, "PYTHONPATH": str(scripts)}
        subprocess.run([sys.executable, "-m", "aieloom.emulator.prebuild"], env=environment, check=False)
