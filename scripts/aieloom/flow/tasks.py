"""What a dodo.py calls: `define_tasks`. Where only the list of tasks is asked for, no project is opened."""

from __future__ import annotations

import aieloom.flow.interrupted  # noqa: F401 - before what takes a second to import

# isort: split
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from aieloom.flow.listing import arranged, listed
from aieloom.parallel import compilers


def define_tasks(root: Path) -> dict[str, object]:
    """Return what a dodo.py needs in its name space: `globals().update(define_tasks(folder))`."""
    config = {
        "default_tasks": ["sim"],
        "verbosity": 2,
        "num_process": compilers(),
        "par_type": "thread",
        "dep_file": ":memory:",
        "backend": "sqlite3",
        "sort": "definition",  # of `doit list`: in groups
    }
    creators: Mapping[str, Callable[[], object]] | None = listed(sys.argv[1:], root)
    if creators is None:
        from aieloom.flow.project_tasks import creators_of  # noqa: PLC0415 - takes half a second
        from aieloom.flow.reporter import Reporter  # noqa: PLC0415

        creators, config["reporter"] = creators_of(root), Reporter
    return {"DOIT_CONFIG": config, **arranged(creators)}
