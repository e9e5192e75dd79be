"""How an action's failure reaches doit: as one message and an exit code, never as a traceback.

Exit codes of a command: 0 done; 1 a tool or a run failed; 2 the input is wrong; 4 a vendor tool is not
installed. (3 is doit's own: there is no such task, option or dodo.py.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from doit.exceptions import TaskError, TaskFailed

from aieloom.errors import MISSING, AieloomError, SpecError

Told: TypeAlias = TaskFailed | TaskError


class ToldFailure(TaskFailed):  # type: ignore[misc]  # doit has no types
    """A failure whose message is complete: exit code 1. `problem` is the error itself."""

    problem: AieloomError


class ToldError(TaskError):  # type: ignore[misc]
    """Wrong input whose message is complete: exit code 2. `problem` is the error itself."""

    problem: AieloomError


class ToldMissing(ToldFailure):
    """A vendor tool is not on this machine: exit code 4 when nothing else failed."""


def told(problem: AieloomError) -> Told:
    """Return what an action returns to doit when it cannot go on."""
    kinds: dict[int, type[ToldError] | type[ToldFailure]] = {MISSING: ToldMissing, 2: ToldError}
    found = kinds.get(problem.exit_code, ToldFailure)(str(problem))
    found.problem = problem
    return found


def guarded(act: Callable[[], object]) -> Callable[[], bool | Told]:
    """Return an action for doit that turns aieloom's errors, and those of the machine, into outcomes."""

    def action() -> bool | Told:
        try:
            act()
        except AieloomError as e:
            return told(e)
        except MemoryError:
            remedy = "end other programs, raise the limit (ulimit -v), or give fewer samples in 'data:'"
            return told(SpecError(rule="memory", text="there is not enough memory", remedy=remedy))
        except OSError as e:  # a full disk, a folder that is read-only, one that somebody removed
            return told(cannot_write(e))
        return True

    return action


def cannot_write(e: OSError) -> SpecError:
    """Return what to tell of a file that could not be written or read."""
    remedy = "free some space or make the folder writable, or build elsewhere: build=FOLDER"
    text = f"cannot be used: {e.strerror or e}"
    return SpecError(rule="write", file=str(e.filename or ""), text=text, remedy=remedy)
