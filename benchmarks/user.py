"""What a user waits for: the way from an own ONNX file to a report, and `aieloom watch` after a tile was edited.

    python -m benchmarks.user

Works in a temporary folder with an empty object cache, with the commands that the tutorials tell; prints a table.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import torch

from benchmarks.espcn import DODO, ROOT

FIRST, EDITED = "tile: [4, 288, 16]", "tile: [4, 96, 16]"  # of ESPCN's conv3


def export(file: Path) -> None:
    """Write a classifier of 32x32 pictures with PyTorch's exporter."""
    torch.manual_seed(1)
    layers = [
        torch.nn.Conv2d(3, 16, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(16, 32, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(2048, 10),
        torch.nn.Softmax(-1),
    ]
    model = torch.nn.Sequential(*layers).eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what PyTorch says of its own ways to compute
        torch.onnx.export(model, (torch.randn(1, 3, 32, 32),), file, external_data=False)


def timed(folder: Path, *words: str) -> float:
    """Run one of the commands; return its seconds."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def own_onnx(folder: Path) -> list[tuple[str, float]]:
    """Return the three commands with their seconds."""
    export(folder / "net.onnx")
    new = timed(folder, "aieloom", "new", "mynet", "--model", "net.onnx", "--target", "vck190")
    made = folder / "mynet"
    return [
        ("aieloom new mynet --model net.onnx", new),
        ("doit sim", timed(made, "doit", "sim")),
        ("doit report", timed(made, "doit", "report")),
    ]


MODULE = """\
import torch
import aieloom

nn = torch.nn
module = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(72, 10))
x = torch.rand(32, 1, 8, 8)
design = aieloom.from_torch(module, x, quantize="int8")
print(design.compare())
assert (design.emulate(x) == design.reference(x)).all()
"""


def own_module(folder: Path) -> tuple[float, float]:
    """Return the seconds of a program from a PyTorch module to the emulated result that equals the reference, twice."""
    program = folder / "quick.py"
    program.write_text(MODULE)
    seconds = []
    for _ in range(2):
        began = time.perf_counter()
        subprocess.run([sys.executable, str(program)], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - began)
    return seconds[0], seconds[1]


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
        folder = Path(temporary)
        os.environ["AIELOOM_CACHE"] = str(folder / "cache")
        module = own_module(folder)
        commands = own_onnx(folder)
        first, again = watched(folder)
    print(f"{'from a PyTorch module to PASS, first':<36} {module[0]:6.1f} s")
    print(f"{'the same again':<36} {module[1]:6.1f} s")
    for command, seconds in commands:
        print(f"{command:<36} {seconds:6.1f} s")
    print(f"{'from an own ONNX file to a report':<36} {sum(s for _, s in commands):6.1f} s")
    print(f"{'aieloom watch, ESPCN, first run':<36} {first:6.1f} s")
    print(f"{'the same after a tile edit':<36} {again:6.1f} s   (< 15)")


if __name__ == "__main__":
    main()
