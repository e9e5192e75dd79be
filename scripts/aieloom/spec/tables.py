"""The package's own YAML files: devices' architectures, features of releases, tables of shapes, cost parameters."""

from __future__ import annotations

from importlib import resources
from typing import Any


def read_table(text: str) -> Any:
    """Return the content of one of the package's YAML files."""
    import yaml  # noqa: PLC0415 - an installation compiles the emulator before PyYAML is there (emulator/prebuild.py)

    # libyaml reads them ten times as fast; PyYAML may be built without it. A user's files are read in spec/lines.py, for
    # their messages.
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def table_text(*path: str) -> str:
    """Return the text of a file below this folder."""
    return resources.files(__package__).joinpath(*path).read_text(encoding="utf-8")


def names_in(folder: str) -> tuple[str, ...]:
    """Return the names of the YAML files in a folder below this one."""
    files = (f.name for f in resources.files(__package__).joinpath(folder).iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in files if name.endswith(".yaml")))
