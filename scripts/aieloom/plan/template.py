"""How a template is used: what the plan says about a file that is printed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateUse:
    """One generated file: which template prints it, and where it goes below the build folder."""

    template: str
    output: str
