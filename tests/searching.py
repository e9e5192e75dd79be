"""A search that looks at little, for tests of what a design computes: which design is found does not matter to them.

A conftest.py of a folder takes the fixtures over: `from tests.searching import little, much`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from aieloom.search import default, otherwise, quick

MUCH = (quick.CANDIDATES, quick.LEAST_CANDIDATES, otherwise.SWEEPS)


def look_at(patch: pytest.MonkeyPatch, cuts: int, least: int, sweeps: int) -> None:
    patch.setattr(quick, "CANDIDATES", cuts)
    patch.setattr(quick, "LEAST_CANDIDATES", least)
    patch.setattr(otherwise, "SWEEPS", sweeps)


def look_at_little(patch: pytest.MonkeyPatch) -> None:
    """Look at few cuts, and at nothing around the best design."""
    look_at(patch, 600, 200, 0)


@pytest.fixture(scope="module", autouse=True)
def little() -> Iterator[None]:
    """Search so; what is found is kept apart from what others find."""
    with pytest.MonkeyPatch.context() as patch:
        look_at_little(patch)
        patch.setattr(default, "FOLDER", "search/little")
        yield


@pytest.fixture
def much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at as much as users' searches do, for designs that only they find."""
    look_at(monkeypatch, *MUCH)
    monkeypatch.setattr(default, "FOLDER", "search")
