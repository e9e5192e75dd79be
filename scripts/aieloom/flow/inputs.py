"""All that a project's results follow from, as one digest: files of the project, of aieloom, and what the machine has."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from aieloom.digests import code_digest, is_still, named_digest, text_digest
from aieloom.emit.library import template_folder
from aieloom.flow.project import Project
from aieloom.flow.reproduce import version_of
from aieloom.ops.plugins import package_files

# Whose arithmetic or pictures results follow from; a package that is not there counts as that.
PACKAGES = ("numpy", "torch", "onnx", "onnxruntime", "pillow", "safetensors", "pydantic", "jinja2")
TEMPLATES = ("aie_templates", "pl_templates", "host_templates")
KINDS = ("*.j2", "*.h")  # of their files: templates, and the libraries that projects are given a copy of
_TRIES = 5  # to find all files as they were when the project was read


def input_files(project: Project) -> tuple[Path, ...]:
    """Return every file of a project that its results follow from, whether or not it is there."""
    samples = (project.samples,) if project.samples else ()
    named = (*project.planned_from, *project.images, *samples)
    return tuple(dict.fromkeys(named))


def inputs_digest(project: Project) -> str:
    """Return a digest of all that plan, sources and results of a project follow from, but compiler and processor."""
    own = ((_below(f, project.folder), f) for f in input_files(project))
    templates = (
        (f.relative_to(folder.parent).as_posix(), f)
        for folder in map(template_folder, TEMPLATES)
        for f in sorted(f for kind in KINDS for f in folder.rglob(kind))
    )
    others = ((str(f), f) for f in package_files())
    files = named_digest((*own, *templates, *others))
    chosen = (project.target, str(project.weights_override or ""))
    return text_digest(files, code_digest(), *chosen, *_versions())


def opened(
    make: Callable[[], Project], digest_of: Callable[[Project], str] = inputs_digest
) -> tuple[Project, str]:
    """Open a project, and return it with its inputs' digest: of the very contents that were read.

    A file that was written while the project was read is read again, so that digest and project are of one moment.

    Raises:
        SpecError: as opening the project.
    """
    began, project = time.time_ns(), make()
    digest = digest_of(project)
    if all(_is_still(f, began) for f in input_files(project)):
        return project, digest
    for _ in range(_TRIES):
        before, project = digest, make()
        digest = digest_of(project)
        if digest == before:  # before and after it was read
            break
    return project, digest


def _is_still(file: Path, since_ns: int) -> bool:
    try:
        return is_still(file.stat(), since_ns)
    except OSError:
        return True


def _below(file: Path, folder: Path) -> str:
    return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else str(file)


def _versions() -> Iterator[str]:
    yield sys.version
    yield from (f"{package} {version_of(package) or 'is not installed'}" for package in PACKAGES)
