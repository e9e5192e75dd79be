"""Findings that stand: in kernels whose text another issue rewrites, each with its reason. The list only gets shorter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import yaml

from tools.hls_lint.rules import Finding

FILE = Path(__file__).with_name("known.yaml")


@dataclass(frozen=True, slots=True)
class Known:
    """Findings of a rule in the functions of a kernel that stand for now."""

    rule: str
    kernel: str  # pattern of a file's name
    function: str  # pattern
    text: str  # regular expression that the finding's text has in it
    fault: str  # the fault that it is of, as docs/hls-lint.md numbers them
    why: str

    def is_of(self, name: str, finding: Finding) -> bool:
        """Tell whether a finding in the file `name` is one of these."""
        return (
            finding.rule == self.rule
            and fnmatch(name, self.kernel)
            and fnmatch(finding.function, self.function)
            and re.search(self.text, finding.text) is not None
        )


def read_known() -> list[Known]:
    """Read the list."""
    rows = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return [Known(**{"function": "*", "text": "", **row}) for row in rows]
