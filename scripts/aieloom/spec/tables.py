"""The package's own YAML files: devices' architectures, features of releases, tables of shapes, cost parameters."""

from __future__ import annotations

from typing import Any

import yaml

# libyaml reads them ten times as fast; PyYAML may be built without it. A user's files are read in spec/lines.py, for
# their messages.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_table(text: str) -> Any:
    """Return the content of one of the package's YAML files."""
    return yaml.load(text, Loader=_LOADER)
