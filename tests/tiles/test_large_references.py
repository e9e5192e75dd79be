"""References on large images: a few rows at a time, with the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from aieloom.products import reference
from aieloom.reference import results as references
from aieloom.reference.results import analyse, hardware_reference, table_reference
from tests.designs import design_of
from tests.tiles.networks import ESPCN, POOLED


@pytest.mark.parametrize("text", [ESPCN, POOLED], ids=["enlarger", "pooled"])
def test_bands_of_rows_have_the_bits_of_the_whole(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    design = design_of(text)
    x = design.images(2)
    whole = hardware_reference(design.plan, design.parameters, x)
    exact = table_reference(design.plan, design.parameters, x)
    found = analyse(design.plan, design.parameters, x)
    monkeypatch.setattr(reference, "BAND_ELEMENTS", 5000)
    assert np.array_equal(hardware_reference(design.plan, design.parameters, x), whole)
    np.testing.assert_allclose(table_reference(design.plan, design.parameters, x), exact, atol=1e-12)
    bands = analyse(design.plan, design.parameters, x)
    assert np.array_equal(bands.reached, found.reached)
    monkeypatch.setattr(references, "ANALYSED_VALUES", 10)
    unsaid = analyse(design.plan, design.parameters, x)
    assert np.array_equal(unsaid.hardware, whole)
    assert unsaid.reached.all()
