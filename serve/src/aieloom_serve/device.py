"""The device as the server's clients share it: what they ask for waits in one queue, first come first served."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import cast

from aieloom.arrays import Values
from aieloom.runtime.frames import MOST_BYTES
from aieloom.runtime.remote import Description
from aieloom_serve.worker import FORGET, GRACE_S, OPEN, RUN, Failed, Worker


class Device:
    """One worker and the queue before it."""

    def __init__(self, target: str | None, limit_s: float, most_bytes: int = MOST_BYTES) -> None:
        self.target = target
        self.limit_s = limit_s
        self._worker = Worker(most_bytes)
        self._thread = ThreadPoolExecutor(1)
        self._turn = asyncio.Lock()  # wakes those who wait in the order in which they came
        self._leaving: set[asyncio.Task[None]] = set()

    async def open(self, path: str, began: Callable[[], None]) -> Description:
        """Plan a network; `began` is called when its turn has come.

        Raises:
            Failed: it cannot be planned, or takes longer than the limit.
            OSError: the worker has died, and there is no room for another one now.
        """
        return cast(Description, await self._next(began, OPEN, path))

    async def run(self, path: str, tensors: Sequence[Values], began: Callable[[], None]) -> list[Values]:
        """Run a network on its inputs, in their order.

        Raises:
            Failed: it cannot run on them, or takes longer than the limit.
            TooLarge: the results have more than `most_bytes`.
            OSError: as of `open`.
        """
        return cast(list[Values], await self._next(began, RUN, path, tensors))

    def forget(self, path: str) -> None:
        """Close a network when the device has time for it."""
        task = asyncio.get_running_loop().create_task(self._forgotten(path))
        self._leaving.add(task)  # the loop itself does not keep it
        task.add_done_callback(self._leaving.discard)

    async def _forgotten(self, path: str) -> None:
        with suppress(Failed, OSError):  # of a worker that died: it had nothing open then
            await self._next(lambda: None, FORGET, path)

    async def _next(
        self, began: Callable[[], None], what: str, path: str, tensors: Sequence[Values] = ()
    ) -> object:
        async with self._turn:
            began()
            loop = asyncio.get_running_loop()
            asked = loop.run_in_executor(self._thread, self._worker.ask, what, path, self.target, tensors)
            try:  # not wait_for: up to Python 3.11 it forgets a cancellation that comes with the result
                done, _ = await asyncio.wait([asked], timeout=self.limit_s)
            except asyncio.CancelledError:
                await self._stop(asked)
                raise
            if not done:
                await self._stop(asked)
                raise Failed(f"it took longer than {self.limit_s:g} s")
            return asked.result()

    async def _stop(self, asked: asyncio.Future[object]) -> None:
        """Have the worker leave what it does, so that the next one does not wait for it."""
        self._worker.cancel()
        done, _ = await asyncio.wait([asked], timeout=GRACE_S)
        if not done:
            self._worker.kill()
            await asyncio.wait([asked])
        asked.exception()  # nobody else asks for it

    def close(self) -> None:
        """End the worker and all that it has started."""
        self._worker.kill()
        self._thread.shutdown()
        self._worker.close()
