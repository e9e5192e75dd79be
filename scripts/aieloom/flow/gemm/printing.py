"""Printing a matrix product's files with their headers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from aieloom.emit.plan_json import as_json as plain
from aieloom.emit.printer import environment
from aieloom.version import __version__


@dataclass(frozen=True, kw_only=True)
class Printer:
    """Renders templates into a tree of files; each begins with what it is of and the command that makes it again."""

    what: str
    command: str
    tree: dict[str, str] = field(default_factory=dict)

    def print(self, folder: str, template: str, output: str, **values: object) -> None:
        """Render one file; its header is a comment of the kind the file has."""
        cfg = output.endswith((".cfg", ".ini"))
        comment = "#" if cfg else "//"
        values["cfg_header" if cfg else "header"] = (
            f"{comment} {output.rsplit('/', 1)[-1]}: {self.what}.\n"
            f"{comment} Made by aieloom {__version__}; make it again by: {self.command}"
        )
        self.tree[output] = environment(folder).get_template(template).render(values)


def as_json(value: object) -> str:
    """Return a plan as the text of a JSON file."""
    return json.dumps(plain(value), indent=1) + "\n"
