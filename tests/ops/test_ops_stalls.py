"""Streams that stall show a line buffer that is too small, which a run without stalls does not."""

from __future__ import annotations

import shutil
from pathlib import Path

from aieloom.emit.library import library_file
from tests.ops.cases import built, cases_of, given_of, outcome, program_of
from tests.ops.kernels import random_image
from tests.ops.lines import PARTS
from tests.ops.networks import design_of_yaml

# Of the second kernel's windows two rows, not four; images begin one behind another in that ring too.
MUTATED = {
    "kDepth = kKept * kRowWords;": "kDepth = kKept * kRowWords / (S::kKernelY == 3 ? 2 : 1);",
    "% R::kKept * R::kRowWords,": "% R::kKept * R::kRowWords % R::kDepth,",
}
SEEDS = range(6)


def test_a_line_buffer_with_half_its_rows_fails_where_streams_stall(tmp_path: Path) -> None:
    design = design_of_yaml(PARTS)
    assert design is not None
    cases = cases_of(design, random_image(1, design.network.x.shape))
    given = given_of([(design, cases)])
    text = program_of([(design, [c.kernel for c in cases])])
    library = library_file("aieloom/pl/windows.h").parent
    programs = list[Path]()
    for mutated in (dict[str, str](), MUTATED):
        folder = tmp_path / str(len(programs))
        shutil.copytree(library, folder / "pl")
        header = folder / "pl" / "windows.h"
        for sound_line, other in mutated.items():
            assert header.read_text().count(sound_line) == 1
            header.write_text(header.read_text().replace(sound_line, other))
        programs.append(built(text.replace(str(library), str(header.parent)), folder))
    sound, mutant = programs
    wanted = outcome(sound, given).stdout
    assert len(wanted) > 1000
    assert outcome(mutant, given).stdout == wanted, "without stalls the fault shows too: choose another"
    for seed in SEEDS:
        assert outcome(sound, given, seed).stdout == wanted
        assert outcome(mutant, given, seed).stdout != wanted
