"""Units that compute whole networks, by the name that network.yaml's `unit:` says: aieloom/makers.py has what they are."""

from __future__ import annotations

UNITS: dict[str, object] = {}
