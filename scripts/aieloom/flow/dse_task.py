"""The task `dse`: the search for a mapping."""

from __future__ import annotations

from doit import get_var

from aieloom.flow import outcome
from aieloom.flow.dse_words import KEYS
from aieloom.flow.project import Project
from aieloom.flow.results import Task

DOC = (
    "search for the best mapping: dse/mapping.yaml "
    "[objective=throughput|latency|cores|energy aie_cores= plio= latency_us= copies= clocks=listed pl=written ways=written "
    "keep=LAYER,LAYER dtypes=TYPE,TYPE workers=N dask=tcp://HOST:8786]"
)

OPTIONS = tuple(KEYS)


def dse_task(project: Project) -> Task:
    """Return the task for doit; it always runs, because the command line says what it looks for."""
    options = {key: get_var(key) for key in OPTIONS}

    def search() -> None:
        from aieloom.flow import dse as command  # noqa: PLC0415 - only a search needs it

        command.search(project, options)

    return {
        "basename": "dse",
        "actions": [outcome.guarded(search)],
        "doc": DOC,
        "uptodate": [False],
    }
