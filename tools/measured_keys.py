"""What of summary.json was measured on a machine: two runs of one design differ in that and in nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MEASURED = frozenset({"processor_baseline", "timing_s", "peak_memory_bytes"})
MEASURED_OF_RUN = frozenset({"emulated_s_per_image", "emulated_peak_mb"})  # below `performance`


def unmeasured(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return a summary without what was measured on a machine."""
    kept = {key: value for key, value in summary.items() if key not in MEASURED}
    modelled = {k: v for k, v in kept["performance"].items() if k not in MEASURED_OF_RUN}
    return {**kept, "performance": modelled}
