"""Printing templates into a tree of files, each with a header that says what it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import jinja2

from aieloom.cpp_text import header
from aieloom.emit.instance import Instance
from aieloom.emit.library import included, library_file, template_folder
from aieloom.emit.system import SystemView
from aieloom.errors import Problem, SpecError
from aieloom.ops.plugins import template_folders
from aieloom.version import __version__


def environment(folder: str) -> jinja2.Environment:
    """Return what prints the templates of a folder, those of plug-ins among them."""
    return environment_of(folder, template_folders())


@cache
def environment_of(folder: str, plugin_folders: tuple[Path, ...]) -> jinja2.Environment:
    """Return what prints the templates of a folder and of plug-ins."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader([template_folder(folder), *plugin_folders]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


@dataclass(frozen=True, slots=True)
class Printer:
    """Prints the files of a project into `tree`, or those that a `command` makes again."""

    project: str
    command: str = ""
    tree: dict[str, str] = field(default_factory=dict)

    def print(self, folder: str, template: str, output: str, what: str, **values: object) -> None:
        """Render one file, whose header is a comment of its kind, and copy the libraries' headers that it includes.

        Raises:
            SpecError: a plug-in's template cannot be printed.
        """
        cfg = output.endswith((".cfg", ".ini"))
        comment = "#" if cfg else "//"
        text = header(output, what, self.project, __version__, comment=comment, command=self.command)
        values["cfg_header" if cfg else "header"] = text
        try:
            self.tree[output] = environment(folder).get_template(template).render(values)
        except jinja2.TemplateError as e:
            raise SpecError(template_problem(e, template)) from e
        self.tree.update(included([self.tree[output]]))

    def kernel(self, kernel: Instance) -> None:
        """Print a kernel in the logic that is one call into the library."""
        self.print("pl_templates", "instance.cpp.j2", kernel.source, kernel.title, k=kernel)

    def configurations(self, system: SystemView) -> None:
        """Print what v++ links, what it packages, the runtime's settings, and how C++ programs run the design."""
        self.print("host_templates", "system.cfg.j2", "src/system.cfg", "what v++ links", s=system)
        self.print("host_templates", "package.cfg.j2", "src/package.cfg", "what v++ packages", s=system)
        self.print("host_templates", "xrt.ini.j2", "src/xrt.ini", "settings of the runtime")
        self.session("src/session.h")

    def session(self, output: str) -> None:
        """Print how C++ programs run the design: the library's header, which needs no other."""
        text = library_file("aieloom/host/session.h").read_text(encoding="utf-8")
        what = "the design from C++ programs on the board"
        self.print("host_templates", "session.h.j2", output, what, text=text)


def template_problem(e: jinja2.TemplateError, template: str) -> Problem:
    """Say which template cannot be printed: one of a plug-in, as aieloom's own are tested."""
    if isinstance(e, jinja2.TemplateNotFound):
        text, remedy = f"there is no template '{e.name}'", "put it beside the operator's .py file"
        return Problem(rule="template", text=text, remedy=remedy)
    file, line = getattr(e, "name", None) or template, getattr(e, "lineno", 0) or 0
    remedy = "correct it: templates print fields of `detail` and loop over tuples"
    return Problem(rule="template", file=file, line=line, text=str(e.message), remedy=remedy)
