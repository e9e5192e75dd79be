"""A layer's function in the host program: an instance of a template of the library, or the text of a template that is printed.

A step whose template is a header `ps/NAME.h` calls `NAME<Sizes>` of it, where `Sizes` has what the header asks of its `T`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Any

import jinja2

from aieloom.emit.library import library_file
from aieloom.emit.steps import step_view
from aieloom.plan.processor import Function

Templates = Callable[[str], jinja2.Environment]
_ASKED = re.compile(r"\bT::k(\w+)")


def on_host(step: Function, templates: Templates, **more: Any) -> tuple[str, str]:
    """Return what is printed of a layer's function, and what it is called by.

    `templates` gives the environment of a folder, `more` are values for what is printed.
    """
    view = step_view(step, **more)
    if not step.template.endswith(".h"):
        text = templates(step.folder).get_template(step.template).render(step=view)
        return text.rstrip("\n"), step.function
    header = library_file(f"aieloom/host/{step.template}").read_text(encoding="utf-8")
    sizes, values = f"{step.layer[0].upper()}{step.layer[1:]}Sizes", vars(view)
    parts = [vars(part) for part in values.values() if isinstance(part, SimpleNamespace)]
    inner = {k: v for part in parts for k, v in part.items()}
    members = "".join(
        f"  {_member(name, inner | values)}\n" for name in dict.fromkeys(_ASKED.findall(header))
    )
    return f"struct {sizes} {{\n{members}}};", f"aieloom::host::{PurePosixPath(step.template).stem}<{sizes}>"


def _member(name: str, values: Mapping[str, Any]) -> str:
    """Return what a header calls `k<name>` of a layer's values: kOutWidth is out_width; of parts their sizes."""
    value = values[re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()]
    if isinstance(value, tuple):
        return f"static constexpr int k{name}[] = {{{', '.join(str(getattr(v, 'size', v)) for v in value)}}};"
    kind = {"true": "bool", "false": "bool"}.get(value, "float" if isinstance(value, str) else "int")
    if name == "Sign":
        kind, value = "char", f"'{value}'"
    return f"static constexpr {kind} k{name} = {value};"
