"""What a reader raises of a part of a model; the reader of the whole tells where it stands."""

from __future__ import annotations


class Refused(Exception):
    """A node, operator or layer of a model cannot be taken: `problem` with the numbers, `remedy` what to do."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy
