"""What operators say of their layers on the processor: `ps_step`, beside `pl_step` of ops/pl.py."""

from __future__ import annotations

from aieloom.plan.on_processor import HOST, LOGIC, ps_step

__all__ = ["HOST", "LOGIC", "ps_step"]
