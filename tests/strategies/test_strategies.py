"""Strategies are folders: registered by being there, known to nobody by name, added as docs/adding-a-strategy.md says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from aieloom.emit.project import render
from aieloom.plan import strategy
from aieloom.plan.strategy import strategies, strategy_of
from aieloom.reference.results import hardware_reference
from aieloom.strategies import KEYS
from tests.designs import ROOT, design_of

PACKAGE = ROOT / "scripts" / "aieloom"
DOCUMENT = (ROOT / "docs" / "adding-a-strategy.md").read_text(encoding="utf-8")
NETWORK = """\
name: mixed
target: vck190
weights: w.safetensors
input: {name: x, shape: [6, 4, 8]}
layers:
  - {name: wide, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: act, op: relu}
  - {name: narrow, op: conv2d, out_channels: 4, kernel: 1}
"""


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> dict[str, strategy.Strategy]:
    """Let a test register strategies that are forgotten behind it."""
    known = {s.name: s for s in strategies()}
    monkeypatch.setattr(strategy, "_STRATEGIES", known)
    return known


BY_NAME = {  # whole products, which cut no layer: who asks their planner by name
    "array_gemm": ("flow/gemm/", "sequential/"),
}


def folders() -> list[str]:
    return sorted(p.parent.name for p in (PACKAGE / "strategies").glob("*/__init__.py"))


def test_every_folder_is_a_strategy_with_templates_and_tests_of_its_name() -> None:
    assert sorted([*(s.name for s in strategies()), *BY_NAME]) == folders()
    assert {s.name: s.key for s in strategies()} | dict.fromkeys(BY_NAME, "") == KEYS
    for name in folders():
        assert (PACKAGE / "strategies" / name / "plan.py").is_file()
        assert (PACKAGE / "strategies" / name / "README.md").read_text().startswith(f"# {name}\n")
        assert list((ROOT / "aie_templates" / name).rglob("*.j2")), name
        assert list((ROOT / "tests" / "strategies" / name).glob("test_*.py")), name


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_no_module_outside_a_strategys_folder_imports_from_it() -> None:
    for file in PACKAGE.rglob("*.py"):
        place = file.relative_to(PACKAGE).as_posix()
        barred = [name for name in folders() if not place.startswith(BY_NAME.get(name, ()))]
        rooms = tuple(f"aieloom.strategies.{name}" for name in barred)
        if "strategies" not in file.parts:
            assert [name for name in imported(file) if name.startswith(rooms)] == [], file


def test_two_strategies_of_one_name_are_refused(registered: dict[str, strategy.Strategy]) -> None:
    with pytest.raises(ValueError, match="two strategies are called 'lanes'"):
        strategy.register(registered["lanes"])


def test_the_documents_strategy_cuts_prints_and_computes(registered: dict[str, strategy.Strategy]) -> None:
    before = design_of(NETWORK)
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENT, re.S)
    exec(compile(code, "adding-a-strategy.md", "exec"), {"__name__": "pointwise"})
    assert "pointwise" in registered
    design = design_of(NETWORK)
    wide, narrow = design.plan.aie
    assert strategy_of(wide.grid).name == "im2col_gemm"
    assert strategy_of(narrow.grid).name == "pointwise"
    assert narrow.grid.passes == 1
    assert "class NarrowKernel" in render(design.plan, design.parameters)["src/aie/narrow_kernel.h"]
    x = design.images(2)
    one, other = (hardware_reference(d.plan, d.parameters, x) for d in (before, design))
    assert np.array_equal(one, other)  # sums in the same order
