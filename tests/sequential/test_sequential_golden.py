"""Generated sources of engines, movers and sequencer byte by byte, against the files in tests/golden/sequential.

AIELOOM_REGEN=1 writes the golden files anew; look at the difference before you commit it.
"""

from __future__ import annotations

from pathlib import Path

from aieloom.sequential.emit import render
from tests.emit.golden import GOLDEN, compare
from tests.sequential.networks import opened, quantised


def test_kernels_in_the_logic_equal_the_golden_files(tmp_path: Path) -> None:
    """Movers, sequencer and vector unit of an engine on the array; the engine in the logic with its vector unit."""
    found: dict[str, str] = {}
    for engine, count in (("aie", 5), ("pl", 2)):
        project = opened(tmp_path, quantised("multiplier") + f"engine: {engine}\n")
        tree = render(project.plan, project.parameters)
        kernels = {path: text for path, text in tree.items() if path.startswith("src/pl/")}
        assert len(kernels) == count
        found |= {f"{engine}/{path}": text for path, text in kernels.items() if isinstance(text, str)}
    compare(found, GOLDEN / "sequential")
