"""A layer's function in the host program: of the libraries, or the text of a template that is printed.

A step whose template is a header `ps/NAME.h` calls `NAME<Sizes>` of it, where `Sizes` has what the header asks of its `T`. What
programmable logic has as well is of that library, with the same bits: a function that calls its type.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

import jinja2

from aieloom.emit.kernel.policies import Policies
from aieloom.emit.kernel.tasks import type_of
from aieloom.emit.layer_types import traits_of, values_of
from aieloom.emit.library import LIBRARIES, library_file
from aieloom.emit.steps import step_view
from aieloom.pl.steps import ELEMENTWISE, REORDER
from aieloom.plan.processor import Function

Templates = Callable[[str], jinja2.Environment]
LOGIC = LIBRARIES["pl"]


def on_host(step: Function, templates: Templates, **more: Any) -> tuple[str, str]:
    """Return what is printed of a layer's function, and what it is called by.

    `templates` gives the environment of a folder, `more` are values for what is printed.
    """
    if step.template.endswith(".j2"):
        view = step_view(step, **more)
        text = templates(step.folder).get_template(step.template).render(step=view)
        return text.rstrip("\n"), step.function
    if not step.template.endswith(".h"):
        return _of_logic(step, templates), f"layers::{step.layer}_call"
    header = library_file(f"aieloom/host/{step.template}").read_text(encoding="utf-8")
    sizes, values = f"{step.layer[0].upper()}{step.layer[1:]}Sizes", values_of(step_view(step, **more))
    members = "".join(f"  {member}\n" for member in traits_of(header, values))
    return f"struct {sizes} {{\n{members}}};", f"aieloom::host::{PurePosixPath(step.template).stem}<{sizes}>"


def _of_logic(step: Function, templates: Templates) -> str:
    """Return the function that calls a layer's type of the PL library."""
    policies = Policies(space="", in_logic=False)
    if step.kind == ELEMENTWISE:
        made = f"[](auto value) {{ return {policies.values([step], type_of(step.x))}::of(value); }}"
    elif step.kind == REORDER:
        made = f"[](int& channel, int& y, int& x) {{ {policies.places([step])}::from(channel, y, x); }}"
    else:
        logic = step.logic
        assert logic is not None  # WHOLE has a header of the host library
        process = policies.process(
            logic, f"Read<Image<{', '.join(map(str, step.x.shape))}>>", type_of(step.x)
        )
        made = f"[](auto& results, const auto&... maps) {{ {process}(results, maps...); }}"
    lines = []
    for printed in policies.printed:
        if printed.template:  # of an operator that is no part of aieloom
            lines.append(
                templates(LOGIC).get_template(printed.template).render(step=printed.step).rstrip("\n")
            )
        else:
            lines += printed.lines
    return "\n".join(
        [
            "namespace layers {",
            "using namespace aieloom::pl;",
            *lines,
            f"const auto {step.layer}_call = {made};",
            "}  // namespace layers",
        ]
    )
