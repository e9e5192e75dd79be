"""ESPCN: how long a cold and a warm `doit sim`, a retiled layer and an image take, beside PyTorch on one thread.

    python -m benchmarks.espcn

Works on a copy of the project in a temporary folder with an empty object cache; prints a table, writes nothing here.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

import aieloom
from aieloom.flow.designs import design_of
from aieloom.flow.opening import open_project
from aieloom.reference.results import torch_reference

ROOT = Path(__file__).resolve().parents[1]
DODO = (
    "from pathlib import Path\nfrom aieloom.flow.tasks import define_tasks\n"
    "globals().update(define_tasks(Path(__file__).parent))\n"
)
IMAGES = 2000


def doit(folder: Path, *words: str) -> float:
    """Run doit; return its seconds."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "doit", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def images_per_second(folder: Path) -> tuple[float, float, float]:
    """Return emulated images a second, the host program's own figure, PyTorch's on one thread, and emulated on all cores."""
    project = open_project(folder, build=folder / "build")
    x = np.random.default_rng(1).uniform(0, 1, (IMAGES, *project.plan.x.shape)).astype(np.float32)
    emu = project.build / "emu"
    x.tofile(emu / "bench.bin")
    rates = []
    for _ in range(3):
        said = subprocess.run(
            [emu / f"{project.name}_host", f"{project.name}.xclbin", "bench.bin"],
            cwd=emu,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        found = re.search(r"([\d.]+) images/s", said)
        rates.append(float(found[1]) if found else 0.0)
    torch.set_num_threads(1)
    torch_reference(project.network, project.parameters, x[:100])
    began = time.perf_counter()
    torch_reference(project.network, project.parameters, x)
    alone = IMAGES / (time.perf_counter() - began)
    system = design_of(project).emulated
    seconds = min(system.run(x).seconds for _ in range(3))
    return max(rates), alone, IMAGES / seconds


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "espcn"
        shutil.copytree(
            ROOT / "projects" / "espcn", folder, ignore=shutil.ignore_patterns("build", "__pycache__")
        )
        (folder / "dodo.py").write_text(DODO)
        os.environ["AIELOOM_CACHE"] = str(Path(temporary) / "cache")
        cold = doit(folder, "sim")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        warm = doit(folder, "sim")
        yaml = folder / "network.yaml"
        yaml.write_text(yaml.read_text().replace("tile: [4, 288, 16]", "tile: [4, 96, 16]"))
        retiled = doit(folder, "sim")
        emulated, pytorch, together = images_per_second(folder)
        times = json.loads((folder / "build" / "espcn" / "vck190" / "timing.json").read_text())
    print(f"aieloom {aieloom.__version__}, PyTorch {torch.__version__}, {os.cpu_count()} cores")
    print(f"cold doit sim              {cold:8.1f} s   (<= 120)")
    print(f"again, nothing changed     {warm:8.2f} s   (<= 3)")
    print(f"after retiling conv3       {retiled:8.1f} s   ({100 * retiled / cold:.0f} % of cold; <= 40 %)")
    print(f"plan + emit                {times['plan'] + times['emit']:8.2f} s   (< 1)")
    print(f"emulated images            {emulated:8.0f} /s  (>= 300)")
    print(f"PyTorch on one thread      {pytorch:8.0f} /s")
    print(f"emulated by all cores      {together:8.0f} /s")
    print(f"peak memory of any process {peak:8.0f} MiB (< 1 GB, compilers included)")


if __name__ == "__main__":
    main()
