"""What the plan counts of a kernel's loops, its source says to the compiler: which are pipelined, which flattened [UG1079, Loops]."""

from __future__ import annotations

import re

import pytest

from aieloom.plan.types import ArrayPart
from tests.designs import ESPCN, SMALL, Design, design_of
from tests.emit.golden import BETWEEN, SPLIT
from tests.ops.networks import design_of_yaml, random_yaml

LOOP = re.compile(r"^( *)for \(unsigned (\w+) = 0;[^;]*;[^)]*\)\s*(chess_\w+[^{]*)?\{", re.MULTILINE)
PRODUCTS = re.compile(r"^void (?:multiply\w*|add_products|convolve|pool)\(.*?^\}", re.MULTILINE | re.DOTALL)
MARKED = "chess_prepare_for_pipelining chess_loop_range({0}, {0})"


def loops(text: str) -> list[list[tuple[int, str]]]:
    """Return the loops around products of each kernel in a source: how far each is indented, and what is said of it."""
    return [
        [(len(indent), said.strip()) for indent, _, said in LOOP.findall(body)]
        for body in PRODUCTS.findall(text)
    ]


def said_by(plan: ArrayPart, files: dict[str, str]) -> list[tuple[str, bool]]:
    """Check every layer's source against its plan; return the layers, and whether their loops are flattened."""
    found = []
    for layer in plan.aie:
        kernels = loops(files[f"src/aie/{layer.name}.cc"])
        assert len(kernels) == len(layer.draft.loops), layer.name
        for kernel, planned in zip(kernels, layer.draft.loops, strict=True):
            words = [said for _, said in kernel]
            around, inside = words[: len(planned.outer)], words[len(planned.outer) :]
            assert len(inside) == len(planned.trips)
            turning = [i for i, trips in enumerate(planned.outer) if trips > 1]
            if planned.flattened:
                assert inside == ["chess_flatten_loop"] * len(inside), layer.name
                marked = [MARKED.format(planned.outer[turning[-1]])] if turning else []
                assert [w for w in around if w and w != "chess_flatten_loop"] == marked
                assert around[turning[-1] + 1 if turning else 0 :] == ["chess_flatten_loop"] * (
                    len(around) - 1 - (turning[-1] if turning else -1)
                )
            else:
                assert inside == [MARKED.format(trips) for trips in planned.trips], layer.name
                assert not any(around), f"{layer.name}: nothing is counted of the loops around"
            found.append((layer.name, planned.flattened))
    return found


@pytest.mark.parametrize("text", [SMALL, SPLIT, ESPCN], ids=["small", "split", "espcn"])
def test_a_source_asks_for_what_the_plan_counts(text: str) -> None:
    design = design_of(text)
    assert said_by(design.plan, dict(design.files()))


def test_so_do_the_sources_of_random_networks() -> None:
    designs: list[Design] = [d for seed in range(40, 46) if (d := design_of_yaml(random_yaml(seed)))]
    found = [one for d in designs for one in said_by(d.plan, dict(d.files()))]
    assert {flattened for _, flattened in found} == {True, False}, "both kinds are seen"


def test_a_loop_that_is_counted_otherwise_is_seen() -> None:
    design = design_of(BETWEEN)
    files = {
        path: text.replace("chess_flatten_loop", MARKED.format(4)) for path, text in design.files().items()
    }
    assert any(layer.draft.loops[0].flattened for layer in design.plan.aie)
    with pytest.raises(AssertionError):
        said_by(design.plan, files)
