"""A tool or file that this machine lacks: what, for what, and the line that mends it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aieloom.errors import MISSING, AieloomError


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """One thing that was not found. `name` is how a stage asks for it."""

    name: str
    what: str
    fix: str


class ToolMissing(AieloomError):
    """The flow stops where a vendor tool begins that is not installed; exit code 4."""

    exit_code = MISSING

    def __init__(self, stage: str, missing: Sequence[Missing], would_run: str) -> None:
        self.stage = stage
        self.missing = tuple(missing)
        first, *others = self.missing
        also = f"\n  also missing: {', '.join(m.what for m in others)}" if others else ""
        super().__init__(
            f"{stage} needs {first.what}, which is not on this machine{also}"
            f"\n  would run:\n{would_run}\n  fix: {first.fix}\n  `aieloom doctor` lists what every stage needs"
        )
