"""Words of device memory: LANES neighbouring channels of one pixel, the last word of a pixel filled up."""

from __future__ import annotations

LANES = 16  # channels of a word


def words_of(channels: int) -> int:
    """Return the words that a pixel's channels fill."""
    return -(-channels // LANES)
