"""One memory is not written through two `__restrict` pointers: a compiler that inlines takes them for two memories [UG1079]."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from aieloom.emit.project import render
from aieloom.flow.gemm.files import render_gemm
from aieloom.flow.opening import open_project
from aieloom.strategies.array_gemm.whole import whole
from tests.designs import ESPCN, SMALL, design_of
from tests.emit.golden import SPLIT, sources
from tests.ops.networks import design_of_yaml, random_yaml
from tests.quantize.designs import MIXED
from tests.quantize.projects import write_project
from tests.strategies.array_gemm.plans import plan_of as product_of

WRITTEN = re.compile(
    r"(?<!const )\b(\w+)\* __restrict (\w+)"
)  # a pointer through which something may be written
FUNCTION = re.compile(r"^void (\w+)\(([^{]*?)\) \{$", re.MULTILINE)
CALL = re.compile(r"^ +(\w+)(?:<\w+>)?\(([^;]*)\);$", re.MULTILINE)


def faults(text: str) -> list[str]:
    """Return what reaches a memory twice: names in a function beside its parameters, and arguments of several calls."""
    parameters = {name: [p.strip() for p in given.split(",")] for name, given in FUNCTION.findall(text)}
    declared = {p for given in parameters.values() for p in given}
    found = [m[0] for m in WRITTEN.finditer(text) if not any(m[0] in p for p in declared)]
    passed: Counter[str] = Counter()
    restricted = set()
    for name, given in CALL.findall(text):
        for parameter, argument in zip(parameters.get(name, ()), given.split(","), strict=False):
            passed[argument.strip()] += 1
            if WRITTEN.search(parameter):
                restricted.add(argument.strip())
    return found + [argument for argument in restricted if passed[argument] > 1]


def test_both_kinds_of_fault_are_seen() -> None:
    twice = "void f(float* __restrict y) {\n}\nvoid g(float* __restrict y) {\n}\nvoid run() {\n  f(out);\n  g(out);\n}\n"
    assert faults(twice) == ["out"]
    inner = "void f(float* __restrict y) {\n  float* __restrict c0 = y;\n}\n"
    assert faults(inner) == ["float* __restrict c0"]
    assert not faults(
        "void f(const float* __restrict x, float* y) {\n}\nvoid run() {\n  f(a, y);\n  f(b, y);\n}\n"
    )


def kernels(folder: Path) -> dict[str, str]:
    """Return AIE kernels of all strategies: floats and integers, one pass and several, products over the whole array."""
    trees = {name: sources(text) for name, text in {"small": SMALL, "split": SPLIT}.items()}
    trees["espcn"] = design_of(ESPCN).files()
    for dtype in ("int8", "float32"):
        trees[f"product_{dtype}"] = render_gemm(
            whole(product_of(256, 2048, 256, dtype=dtype, grid=(2, 1, 2)))
        )
    mixed = open_project(write_project(folder, MIXED, "symmetric: true"), build=folder / "build")
    trees["mixed"] = render(mixed.array, mixed.parameters)
    for seed in range(40, 46):
        if design := design_of_yaml(random_yaml(seed)):
            trees[str(seed)] = design.files()
    return {
        f"{name}/{path}": text
        for name, tree in trees.items()
        for path, text in tree.items()
        if path.endswith(".cc")
    }


def test_no_kernel_writes_one_memory_through_two_restrict_pointers(tmp_path: Path) -> None:
    found = kernels(tmp_path)
    assert len(found) > 20
    assert any("kPasses" in text and "sums_" in text for text in found.values()), "sums of several passes"
    assert {name: faults(text) for name, text in found.items() if faults(text)} == {}
