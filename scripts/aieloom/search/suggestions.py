"""What is found near a design, of whatever kind: for programs and for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from aieloom.search.design import Design

SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """A design near the present one: what to change, what is better."""

    changes: Mapping[str, object]
    better: str  # in a word
    design: Design
    line: str  # of the table
    yaml: tuple[str, ...]  # lines of network.yaml that make it so


@dataclass(frozen=True, kw_only=True)
class Suggestions:
    """What is near a design."""

    layer: str
    title: str
    head: str  # of the table
    now: Design
    line: str
    found: tuple[Suggestion, ...]  # better ones, best first
    tried: int
    refused: Mapping[str, int]  # by rule
    remarks: tuple[str, ...]

    @property
    def advice(self) -> dict[str, object]:
        """All of it for programs."""
        found = [{"changes": s.changes, "better": s.better, "figures": s.design.figures} for s in self.found]
        told = {"layer": self.layer, "title": self.title, "now": self.now.figures, "found": found}
        return {**told, "tried": self.tried, "refused": self.refused, "remarks": self.remarks}

    @property
    def lines(self) -> Iterator[str]:
        """The best for people."""
        yield self.title
        yield f"  {'':<14} {self.head}"
        yield f"  {'now':<14} {self.line}"
        for s in self.found[:SHOWN]:
            yield f"  {s.better:<14} {s.line}"
            yield from (f"      {line}" for line in s.yaml)
        refused = ", ".join(f"{rule} {count}" for rule, count in self.refused.items())
        tail = f"; the design rules refuse {refused}" if refused else ""
        if self.tried:
            are = "are" if len(self.found) > 1 else "is"
            yield f"  {len(self.found) or 'none'} of {self.tried} neighbours {are} better by the model{tail}"
        yield from (f"  {line}" for line in self.remarks)
