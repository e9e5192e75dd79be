"""What it takes to get a run again: commands, versions, and what the inputs were, in the report and in summary.json."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from aieloom.flow.project import Project
from aieloom.report.shape import Reproduce
from aieloom.version import __version__

PACKAGES = ("numpy", "torch", "pydantic", "doit")
_DIGITS = 16


def reproduce(project: Project) -> Reproduce:
    """Return commands, versions and digests; no path of this machine."""
    name, target = project.build.parent.name, project.target
    return {
        "commands": [
            f"doit sim project={name} target={target}",
            f"doit report project={name} target={target}",
            f"aieloom check {_below_here(project.folder)} --target {target}",
            f"doit build project={name} target={target}",
        ],
        "versions": versions(),
        "inputs": {path.name: _digest(path) for path in (project.yaml, project.weights) if path.is_file()},
        "samples": len(project.images),
    }


def versions() -> dict[str, str]:
    """Return what a run depends on beside its inputs."""
    return {
        "aieloom": __version__,
        "Python": platform.python_version(),
        **{p: found for p in PACKAGES if (found := version_of(p))},
        "machine": platform.machine(),
    }


def _below_here(folder: Path) -> str:
    try:
        return folder.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return folder.name


def version_of(package: str) -> str:
    """Return an installed package's version; empty of one that is not there."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _digest(path: Path) -> str:
    return "sha256 " + hashlib.sha256(path.read_bytes()).hexdigest()[:_DIGITS]
