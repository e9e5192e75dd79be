"""The pinned versions suit Debian 12's Python, and those that are pinned for 3.10 suit that."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[2]
DEBIAN_12 = "3.11.2"


def pins(python: str) -> dict[str, str]:
    """Return the versions by package that constraints.txt has for a Python."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    rows = [Requirement(row) for line in lines if (row := line.partition("#")[0].strip())]
    return {
        r.name: str(r.specifier).removeprefix("==")
        for r in rows
        if not r.marker or r.marker.evaluate({"python_version": ".".join(python.split(".")[:2])})
    }


@pytest.mark.parametrize("python", [DEBIAN_12, "3.10.13"])
def test_every_pinned_package_takes_an_old_python(python: str) -> None:
    checked, refused = 0, {}
    for name, version in pins(python).items():
        try:
            found = distribution(name)
        except PackageNotFoundError:  # of an extra that this environment lacks
            continue
        checked += 1
        (wanted,) = found.metadata.get_all("Requires-Python") or [""]
        if wanted and not SpecifierSet(wanted).contains(python):
            refused[f"{name}=={version}"] = wanted
    assert checked > 20
    assert not refused
