"""The search's independent parts on a cluster: dask.distributed, by the address of its scheduler.

A part is a pure function of what is sent, and results are taken in the order of the parts, so that the outcome has the
same bytes as a local search. Workers need the same aieloom; that is checked first.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Protocol

from aieloom.digests import code_digest
from aieloom.errors import SpecError
from aieloom.search.candidates import Evaluator, Found, Job, evaluate

CONNECT_SECONDS = 30.0
RETRIES = 3  # times that a part may lose its worker
REMEDY = "check the address (dask=tcp://host:8786), or leave it out for this machine alone"


@contextmanager
def cluster(address: str) -> Iterator[Evaluator]:
    """Connect to a scheduler; what is given evaluates jobs on its workers.

    Raises:
        SpecError: dask.distributed is not installed, nobody answers, or the workers have another aieloom.
    """
    try:
        distributed = importlib.import_module("distributed")  # an extra: only clusters need it
    except ImportError as e:
        text = "dask= needs dask.distributed, which is not installed"
        raise _refusal(text, "pip install 'aieloom[cluster]', or leave dask= out") from e
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as e:
        raise _refusal(f"no scheduler at {address}: {e}", REMEDY) from e
    with client:
        _check(client, address)
        yield lambda jobs: _evaluated(client, jobs)


class _Client(Protocol):
    def run(self, function: Callable[[], str], *, on_error: str) -> dict[str, object]: ...
    def map(
        self, function: Callable[[Job], Found], jobs: Sequence[Job], *, pure: bool, retries: int
    ) -> list[Future[Found]]: ...


def _check(client: _Client, address: str) -> None:
    """Refuse a cluster without workers, or with workers whose results may differ."""
    found = client.run(_digest, on_error="return")
    if not found:
        raise _refusal(
            f"the scheduler at {address} has no workers", "start some: dask worker tcp://host:8786"
        )
    other = sorted(worker for worker, digest in found.items() if digest != code_digest())
    if other:
        text = f"{len(other)} of {len(found)} workers have another aieloom, or none: {', '.join(other[:3])}"
        raise _refusal(text, "install the same version there, so that the search finds the same")


def _digest() -> str:
    return code_digest()


def _evaluated(client: _Client, jobs: Sequence[Job]) -> Iterator[Found]:
    futures = client.map(evaluate, jobs, pure=False, retries=RETRIES)
    return (future.result() for future in futures)


def _refusal(text: str, remedy: str) -> SpecError:
    return SpecError(rule="dse-2", file="dask=", text=text, remedy=remedy)
