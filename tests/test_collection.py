"""Collecting the tests takes what a quick test should take: none of the packages that need seconds is imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.designs import ROOT
from tests.order import LONG, place

HEAVY = ("torch", "onnx", "onnxruntime", "keras", "sklearn", "skimage", "tflite", "distributed", "matplotlib")
REFUSING = f"""\
import sys
from importlib.abc import MetaPathFinder


class Refusing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in {HEAVY!r}:
            raise RuntimeError(f"{{name}} is imported at a test file's top level: take it from tests/heavy.py")


sys.meta_path.insert(0, Refusing())
"""


def collected(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    (folder / "refusing.py").write_text(REFUSING)
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "pytest", "-p", "refusing", "-n", "0", "--collect-only", "-q", *more]
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )


def test_tests_are_collected_without_what_takes_seconds_to_import(tmp_path: Path) -> None:
    done = collected(tmp_path, "-m", "")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert len(done.stdout.splitlines()) > 1000


def test_an_import_at_the_top_level_is_found(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text("import onnx\n\n\ndef test_one() -> None:\n    assert onnx\n")
    done = collected(tmp_path, str(tmp_path / "test_one.py"))
    assert done.returncode
    assert "onnx is imported at a test file's top level" in done.stdout


def test_quick_proofs_run_first_and_long_files_before_short_ones() -> None:
    names = [
        "tests/emulator/test_reads.py::test_b",
        "tests/emulator/test_reads.py::test_a",
        f"tests/{LONG[0]}::test_it[tests/spec]",
        "tests/test_docs.py::test_a",
        "tests/onnx/test_onnx_rows.py::test_a",
        "tests/spec/test_spec_lines.py::test_a",
    ]
    assert sorted(names, key=place) == [*reversed(names[3:]), names[2], *names[:2]]
    for name in LONG:
        assert (ROOT / "tests" / name).is_file(), f"{name} is in tests/order.py"
