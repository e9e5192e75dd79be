"""Ctrl-C while doit works: one line, as every other end, in place of doit's own calls.

doit's `main` belongs to doit; what it does not catch is Python's to tell, and that is asked to be brief. tasks.py imports
this before anything else, because imports are what a hasty Ctrl-C meets.
"""

from __future__ import annotations

import sys
from types import TracebackType

_default = sys.excepthook


def _told(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        # Not sys.stderr: doit puts others in its place while actions run in threads.
        print("interrupted; the same command goes on from here", file=sys.__stderr__)
    else:
        _default(kind, error, trace)


sys.excepthook = _told
