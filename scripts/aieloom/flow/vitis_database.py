"""A damaged task database is set aside, instead of stopping every command.

It holds only what doit remembers of earlier runs: the next one looks at all files again, and the stages of the
vendor's flow, which have stamps of their own, are not repeated.
"""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

_SECONDS = 5.0  # for another doit in the same folder to let go


def mend_database(path: Path) -> None:
    """Rename the database when it cannot be read, and say so."""
    if not path.is_file() or path.stat().st_size == 0 or _readable(path):
        return
    aside = path.with_name(f"{path.name}.damaged")
    try:
        path.replace(aside)
    except OSError:
        return  # doit will say what is wrong with the folder
    print(  # noqa: T201 - before doit has a reporter
        f"note: {path.name} was damaged; it is now {aside.name}, and all files are looked at again",
        file=sys.stderr,
    )


def _readable(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(path, timeout=_SECONDS)) as database:
            database.execute("select count(*) from doit").fetchone()
            return bool(database.execute("pragma quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.OperationalError as e:
        return "locked" in str(e) or "no such table" in str(e)
    except sqlite3.DatabaseError:
        return False
