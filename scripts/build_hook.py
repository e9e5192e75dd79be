"""What is done beyond copying when a wheel is built or a checkout installed: the emulator's runtime is compiled once.

Its objects are for every processor of the machine's kind and every g++ (emulator/compiler.py), so that a wheel has them and is
one for the kind of machine that built it; without a compiler there it is a wheel for all, and the first design compiles them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileRuntime(BuildHookInterface[Any]):
    """Hatchling calls this before it builds."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the runtime into the package; whatever goes wrong, the first design's build does it again."""
        scripts = Path(self.root) / "scripts"
        environment = {**os.environ, "PYTHONPATH": str(scripts)}
        subprocess.run([sys.executable, "-m", "aieloom.emulator.prebuild"], env=environment, check=False)
        objects = scripts / "aieloom" / "emulator" / "prebuilt"
        if version != "editable" and objects.is_dir():
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
            build_data["force_include"][str(objects)] = "aieloom/emulator/prebuilt"
