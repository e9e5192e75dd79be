"""A search that looks at little, for tests of what a design computes: which design is found does not matter to them.

A conftest.py of a folder takes the fixture over: `from tests.searching import little`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from aieloom.search import default, otherwise, quick


@pytest.fixture(scope="module", autouse=True)
def little() -> Iterator[None]:
    """Look at few cuts, and at nothing around the best design; what is found is kept apart from what others find."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quick, "CANDIDATES", 600)
        patch.setattr(quick, "LEAST_CANDIDATES", 200)
        patch.setattr(otherwise, "SWEEPS", 0)
        patch.setattr(default, "FOLDER", "search/little")
        yield
