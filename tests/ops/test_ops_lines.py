"""Streaming PL kernels with layers that see neighbours: pools, borders, upsampling, in every place, to the bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.pl.kernel import PlKernel
from aieloom.plan.types import ArrayPart
from aieloom.spec.quantize import QuantizeSpec
from tests.designs import plan_of
from tests.ops.kernels import ELEMENTWISE, check
from tests.ops.lines import PARTS, PIXELS, PLACES, STREAMED, WRAPPED, WRAPPED_INTEGERS
from tests.ops.networks import random_yaml
from tests.quantize.kernels import BFLOAT16, INT16, integer_design

LINES = (*ELEMENTWISE, "max_pool", "avg_pool", "global_avg_pool", "pad", "upsample")


def staged(text: str) -> list[PlKernel]:
    return [g for g in plan_of(text).pl if g.part and g.part.tasks.stages]


def random_lines(seed: int) -> str:
    """Return a random network all of whose PL kernels stream."""
    text = random_yaml(seed, LINES)
    layers = [line.split()[2].rstrip(",") for line in text.splitlines() if line.startswith("  - {name:")]
    ours = [
        n
        for n in layers
        if not any(f"name: {n}, op: {o}" in text for o in ("conv2d", "dense", "batch_norm", "matmul"))
    ]
    return text + ("mapping:\n" + "".join(f"  {n}: {{{STREAMED}}}\n" for n in ours) if ours else "")


@pytest.mark.integration
def test_layers_that_see_neighbours_give_the_references_bits(tmp_path: Path) -> None:
    assert len(staged(PLACES)) == 3
    assert [g.part and g.part.tasks.readers for g in staged(PARTS)] == [4, 2]
    check([PLACES, PARTS], tmp_path)


@pytest.mark.integration
def test_they_give_the_references_elements(tmp_path: Path) -> None:
    tables = PLACES.replace("name: random", "name: tables")  # of 16-bit elements: two entries for each
    kinds = {PLACES: QuantizeSpec(), tables: INT16, PLACES.replace("vck190", "vek280"): BFLOAT16}
    assert "StraightLines<" in "".join(integer_design(tables, INT16).files().values())
    check(list(kinds), tmp_path, lambda text: integer_design(text, kinds[text]))


def ways(plan: ArrayPart) -> list[tuple[int, bool]]:
    """Return of each layer's kernel the rows of a word that a reader passes together, and whether its beats go on in the next row."""
    made = [g.part.tasks for g in plan.pl if g.part and g.steps]
    return [(s.together, any(stage.wraps for stage in s.stages)) for s in made]


@pytest.mark.integration
def test_rows_of_a_word_and_beats_on_two_rows_give_the_references_bits(tmp_path: Path) -> None:
    assert ways(plan_of(WRAPPED)) == [(2, True), (1, False), (2, False)]
    check([WRAPPED, WRAPPED.replace("plio: 128", "plio: 64")], tmp_path)


@pytest.mark.integration
def test_rows_of_a_word_and_beats_on_two_rows_give_the_references_elements(tmp_path: Path) -> None:
    wider = WRAPPED_INTEGERS.replace("vck190", "vek280")
    kinds = {WRAPPED_INTEGERS: QuantizeSpec(), wider: QuantizeSpec()}
    kinds[WRAPPED_INTEGERS.replace("name: random", "name: sixteen")] = INT16
    kinds[wider.replace("name: random", "name: half")] = BFLOAT16
    kinds[PIXELS] = QuantizeSpec()
    designs = {text: integer_design(text, spec) for text, spec in kinds.items()}
    first = [ways(d.plan)[0] for d in designs.values()]
    assert first == [(4, True), (2, True), (2, True), (2, True), (2, False)]
    check(list(kinds), tmp_path, designs.__getitem__)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 180, 30))
def test_many_networks_of_lines_give_the_references_bits(first: int, tmp_path: Path) -> None:
    check([random_lines(seed) for seed in range(first, first + 30)], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("spec", [QuantizeSpec(), INT16, BFLOAT16], ids=["int8", "int16", "bfloat16"])
def test_many_networks_of_lines_give_the_references_elements(spec: QuantizeSpec, tmp_path: Path) -> None:
    board = "vek280" if spec is BFLOAT16 else "vck190"
    texts = [random_lines(seed).replace("vck190", board) for seed in range(200, 220)]
    check(texts, tmp_path, lambda text: integer_design(text, spec))
