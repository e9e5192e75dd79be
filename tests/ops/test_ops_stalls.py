"""Streams that stall show a line buffer that is too small, which a run without stalls does not."""

from __future__ import annotations

import re
from pathlib import Path

from tests.ops.cases import built, cases_of, given_of, outcome, program_of
from tests.ops.kernels import random_image
from tests.ops.lines import PARTS
from tests.ops.networks import design_of_yaml

ROWS = "constexpr int kDepth = 64;  // words of a bank: 4 x 4 x 4"  # the kernel's second buffer: four rows
SEEDS = range(6)


def test_a_line_buffer_with_half_its_rows_fails_where_streams_stall(tmp_path: Path) -> None:
    design = design_of_yaml(PARTS)
    assert design is not None
    cases = cases_of(design, random_image(1, design.network.x.shape))
    given = given_of([(design, cases)])
    text = program_of([(design, [c.kernel for c in cases])])
    assert text.count(ROWS) == 1
    programs = []
    for words in ("64", "32"):
        folder = tmp_path / words
        folder.mkdir()
        programs.append(built(text.replace(ROWS, re.sub("64", words, ROWS, count=1)), folder))
    sound, mutant = programs
    wanted = outcome(sound, given).stdout
    assert len(wanted) > 1000
    assert outcome(mutant, given).stdout == wanted, "without stalls the fault shows too: choose another"
    for seed in SEEDS:
        assert outcome(sound, given, seed).stdout == wanted
        assert outcome(mutant, given, seed).stdout != wanted
