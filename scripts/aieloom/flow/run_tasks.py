"""doit in a process of its own, without a dodo.py: `python -m aieloom.flow.run_tasks ROOT [doit's words]`."""

from __future__ import annotations

import sys
from pathlib import Path

from doit.cmd_base import NamespaceTaskLoader
from doit.doit_cmd import DoitMain

from aieloom.flow.tasks import define_tasks


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
