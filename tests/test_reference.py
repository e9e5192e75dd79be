"""docs/reference/ says what the code says, and the hand-written pages miss nothing of it."""

from __future__ import annotations

import os

import pytest

from aieloom.ops import REGISTRY
from tests import reference

SLOW = {"operators.md"}  # plans every operator for every type and architecture


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.integration] if name in SLOW else []) for name in reference.PAGES],
)
def test_a_page_is_the_code_s(name: str) -> None:
    file, wanted = reference.FOLDER / name, reference.page(name)
    if os.environ.get("AIELOOM_REGEN"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(wanted, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == wanted, (
        "AIELOOM_REGEN=1 pytest tests/test_reference.py writes it; review the diff"
    )


def test_every_operator_runs_somewhere() -> None:
    for op in REGISTRY:
        assert reference.place(op, "float32", "vck190") != "-", op


def test_network_yaml_s_page_has_every_key() -> None:
    text = (reference.ROOT / "docs" / "network-yaml.md").read_text(encoding="utf-8")
    whole = reference.with_layers(text)
    if os.environ.get("AIELOOM_REGEN"):
        (reference.ROOT / "docs" / "network-yaml.md").write_text(whole, encoding="utf-8")
        text = whole
    assert text == whole, "AIELOOM_REGEN=1 pytest tests/test_reference.py writes its table; review the diff"
    missing = [key for key in reference.top_keys() if f"{key}:" not in text]
    assert missing == []
