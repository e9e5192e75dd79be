"""Whole rows of values, which the row unit of `execution: sequential` goes over: what every operator of them shares."""

from __future__ import annotations

MOST_ELEMENTS = 1 << 12  # of a row: a sum of 32 bits holds its squares, 19 bits a normalised value
