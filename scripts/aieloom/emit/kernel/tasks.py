"""Tasks of a part with line buffers as templates print them: ports and queues in lines."""

from __future__ import annotations

from collections.abc import Sequence

from aieloom.cpp_text import LINE, View, closed
from aieloom.network.tensor import TensorType
from aieloom.pl.line_store import Queue


def type_of(tensor: TensorType) -> str:
    """Return the C++ type of a tensor's elements inside a kernel: of bfloat16 float, which is rounded when it leaves."""
    return f"std::{tensor.dtype.value}_t" if tensor.quant is not None else "float"


def queue_view(
    kind: str, name: str, depth: int, *, size: str = "", what: str = "", storage: str = ""
) -> View:
    """Return a queue between tasks, or an array of queues of a `size`; `storage` is "" of a short one."""
    return View(type=kind, name=name, size=size, depth=depth, what=what, storage=storage)


def row_queue(queue: Queue) -> View:
    """Return a queue of rows; its memory is said where images wait in it."""
    storage = queue.storage if queue.images else ""
    return queue_view(f"Row<{queue.bits}>", queue.name, queue.depth, what=queue.what, storage=storage)


def call_view(name: str, function: str, arguments: Sequence[str]) -> View:
    """Return a task in lines: its name, its function, the ports and queues that it has."""
    parts = [f"hls_thread_local hls::task {name}({function}", *arguments]
    whole = f"{', '.join(parts)});"
    first, *others = (whole,) if len(whole) <= LINE else closed(parts, ");")
    return View(lines=(first, *(f"    {line}" for line in others)))
