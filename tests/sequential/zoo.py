"""Networks of projects/zoo, made where they are not yet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.designs import ROOT

ZOO = ROOT / "projects" / "zoo"


def made(name: str) -> Path:
    """Return the folder of a network of the zoo, with its weights."""
    folder = ZOO / name
    if not (folder / "model.onnx").is_file():
        subprocess.run([sys.executable, str(ZOO / "make.py"), name], check=True)
    return folder
