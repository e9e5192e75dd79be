"""The pinned versions suit the oldest Python that is supported: that of Debian 12."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[2]
DEBIAN_12 = "3.11.2"


def pins() -> dict[str, str]:
    """Return versions by package, as constraints.txt has them."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    rows = (line.partition("#")[0].strip() for line in lines)
    return {name: version for name, _, version in (row.partition("==") for row in rows if row)}


def test_every_pinned_package_takes_the_oldest_python() -> None:
    checked, refused = 0, {}
    for name, version in pins().items():
        try:
            found = distribution(name)
        except PackageNotFoundError:  # of an extra that this environment lacks
            continue
        checked += 1
        (wanted,) = found.metadata.get_all("Requires-Python") or [""]
        if wanted and not SpecifierSet(wanted).contains(DEBIAN_12):
            refused[f"{name}=={version}"] = wanted
    assert checked > 20
    assert not refused
