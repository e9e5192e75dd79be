"""`aieloom watch` on ESPCN: its first run, with an empty object cache, and what follows an edited tile.

python -m benchmarks.watch
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.espcn import DODO, ROOT

FIRST, EDITED = "tile: [4, 288, 16]", "tile: [4, 96, 16]"  # of ESPCN's conv3


def watched(folder: Path) -> tuple[float, float]:
    """Return the seconds of the first run, and from saving an edited tile to its PASS."""
    project = folder / "espcn"
    shutil.copytree(
        ROOT / "projects" / "espcn", project, ignore=shutil.ignore_patterns("build", "__pycache__")
    )
    (project / "dodo.py").write_text(DODO)
    yaml = project / "network.yaml"
    words = [sys.executable, "-u", "-m", "aieloom", "watch", "--project", str(project), "--runs", "2"]
    began = time.perf_counter()
    with subprocess.Popen(words, cwd=project, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        seconds = []
        for line in process.stdout:
            if line.startswith("PASS"):
                seconds.append(time.perf_counter() - began)
            if line.startswith("watching"):
                began = time.perf_counter()
                yaml.write_text(yaml.read_text().replace(FIRST, EDITED))
    first, again = seconds
    return first, again


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["AIELOOM_CACHE"] = str(Path(temporary) / "cache")
        first, again = watched(Path(temporary))
    print(f"{'aieloom watch, first run':<36} {first:6.1f} s")
    print(f"{'the same after a tile edit':<36} {again:6.1f} s   (< 15)")


if __name__ == "__main__":
    main()
