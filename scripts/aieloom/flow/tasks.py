"""doit for a project: what a dodo.py calls (`define_tasks`), and the same without one.

`python -m aieloom.flow.tasks ROOT [doit's words]` is a process of its own. Where only the list of tasks is asked for, no
project is opened.
"""

from __future__ import annotations

import aieloom.flow.interrupted  # noqa: F401 - before what takes a second to import

# isort: split
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from doit.cmd_base import NamespaceTaskLoader
from doit.doit_cmd import DoitMain

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


class _Loader(NamespaceTaskLoader):  # type: ignore[misc]  # doit has no types
    """Loads a project's tasks when doit's variables are known."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.root = root

    def setup(self, opt_values: object) -> None:  # noqa: ARG002 - doit's signature
        self.namespace = define_tasks(self.root)


def main(argv: list[str]) -> int:
    """Run doit for the project below a folder."""
    try:
        return int(DoitMain(_Loader(Path(argv[0]).absolute())).run(argv[1:]) or 0)
    except SystemExit as e:  # a vendor's tool is missing
        return int(e.code or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
