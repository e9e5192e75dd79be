"""What a design rule finds, for the rules of all modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from aieloom.plan.types import ArrayPart
from aieloom.spec.lines import KeyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A rule's worst case, and the problem when it is over the limit."""

    rule: str
    what: str
    used: float
    limit: float
    where: str
    at: KeyPath = ()
    remedy: str = ""

    @property
    def broken(self) -> bool:
        """True when more is used than there is."""
        return self.used > self.limit

    @property
    def share(self) -> float:
        """How much of the limit is used; a limit of 0 forbids."""
        return self.used / self.limit if self.limit else float(self.used > 0)


Rule = Callable[[ArrayPart], Iterator[Finding]]
