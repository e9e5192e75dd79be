"""Generated sources of engines, movers and sequencer byte by byte, against the files in tests/golden/sequential.

AIELOOM_REGEN=1 writes the golden files anew; look at the difference before you commit it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from aieloom.flow.project import Project
from aieloom.sequential.emit import render
from tests.emit.golden import GOLDEN, compare
from tests.sequential.networks import opened, quantised
from tests.sequential.on_chip import staying


def test_kernels_in_the_logic_equal_the_golden_files(tmp_path: Path) -> None:
    """Movers, sequencer and vector unit of an engine on the array; of one whose rows own images; the engine in the logic."""
    found: dict[str, str] = {}
    networks: dict[str, tuple[int, Callable[[], Project]]] = {
        "aie": (5, lambda: opened(tmp_path, quantised("multiplier") + "engine: aie\n")),
        "pl": (2, lambda: opened(tmp_path, quantised("multiplier") + "engine: pl\n")),
        "rows": (6, lambda: staying(tmp_path)),
    }
    for engine, (count, network) in networks.items():
        project = network()
        tree = render(project.plan, project.parameters)
        kernels = {path: text for path, text in tree.items() if path.startswith("src/pl/")}
        assert len(kernels) == count
        found |= {f"{engine}/{path}": text for path, text in kernels.items() if isinstance(text, str)}
    compare(found, GOLDEN / "sequential")
