"""What a design rule finds, for the rules of all modules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from aieloom.plan.types import ArrayPart, RuleResult
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


Number = tuple[str, str, float, float]  # a rule, what it counts, how many there are, how many there may be


def findings(numbers: Iterable[Number], *, where: str, at: KeyPath, remedy: str) -> Iterator[Finding]:
    """Yield what rules count at one place."""
    for rule, what, used, limit in numbers:
        yield Finding(rule=rule, what=what, used=used, limit=limit, where=where, at=at, remedy=remedy)


def worst(findings: Iterable[Finding]) -> tuple[RuleResult, ...]:
    """Return each rule with its worst case, in the order in which rules were asked."""
    found: dict[str, Finding] = {}
    for f in findings:
        if f.rule not in found or f.share > found[f.rule].share:
            found[f.rule] = f
    return tuple(
        RuleResult(rule=f.rule, what=f.what, used=f.used, limit=f.limit, where=f.where)
        for f in found.values()
    )


Rule = Callable[[ArrayPart], Iterator[Finding]]
