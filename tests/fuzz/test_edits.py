"""After any edit of any input, and any damage to what was built, the outcome is that of an empty build folder."""

from __future__ import annotations

import pytest

from tests.fuzz.edits import FEW, campaign


@pytest.mark.slow
def test_twenty_edits() -> None:
    tally = campaign(len(FEW), 1, few=True)
    assert tally.fault == ""
    assert tally.inputs == 20 and tally.taken >= 10 and tally.refused
