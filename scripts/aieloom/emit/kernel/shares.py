"""What the templates of a PL kernel with frame buffers print where several processes share an end's streams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aieloom.cpp_text import View
from aieloom.emit.kernel.tasks import body_lines, call_lines
from aieloom.pl.streams import shares_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SharesView:
    """All processes of an end, and in lines the parameters of the one that keeps their order."""

    shares: tuple[View, ...]
    parameters: tuple[str, ...]

    def queues(self, whole: str) -> list[str]:
        """Return the names of the queues beside the one of all that the end takes or gives."""
        return [f"{whole}_{share.index}" for share in self.shares]


def readers_view(streams: int, kind: str) -> SharesView | None:
    """Return the processes that read so many streams and give values of a `kind`; None where one reads them all."""
    return _shares(streams, "hls::stream<InWord>& in", f"hls::stream<{kind}>&", "values")


def writers_view(streams: int) -> SharesView | None:
    """Return the processes that write so many streams; None where one writes them all."""
    return _shares(streams, "hls::stream<OutWord>& out", "hls::stream<ap_uint<kOutBits>>&", "words")


def _shares(streams: int, stream: str, queue: str, what: str) -> SharesView | None:
    shares = shares_of(streams)
    if len(shares) == 1:
        return None
    queues = [f"{queue} {what}_{i}" for i in range(len(shares))]
    whole = f"{queue} {what}"
    return SharesView(
        shares=tuple(_share(i, share, stream, whole, what) for i, share in enumerate(shares)),
        parameters=body_lines([*queues, whole] if what == "values" else [whole, *queues]),
    )


def _share(index: int, streams: range, stream: str, queue: str, what: str) -> View:
    ports = [f"{stream}_{s}" for s in streams]
    return View(
        index=index,
        first=streams[0],
        last=streams[-1],
        count=len(streams),
        parameters=body_lines([*ports, queue] if what == "values" else [queue, *ports]),  # lines
        streams=tuple(port.split()[-1] for port in ports),  # its parameters, a stream each
        queue=f"{what}_{index}",
    )


def read_calls(space: str, port: str, values: str, readers: SharesView) -> Iterator[str]:
    """Yield the calls of processes that read, then of the one that brings their values in order."""
    queues = readers.queues(values)
    for share, queue in zip(readers.shares, queues, strict=True):
        yield from _call(f"{space}::read_{share.index}", [*_elements(port, share), queue])
    yield from _call(f"{space}::merge", [*queues, values])


def write_calls(space: str, port: str, words: str, writers: SharesView) -> Iterator[str]:
    """Yield the calls of the process that deals out words, then of those that write them."""
    queues = writers.queues(words)
    yield from _call(f"{space}::deal", [words, *queues])
    for share, queue in zip(writers.shares, queues, strict=True):
        yield from _call(f"{space}::write_{share.index}", [queue, *_elements(port, share)])


def _elements(port: str, share: View) -> list[str]:
    return [f"{port}[{s}]" for s in range(share.first, share.last + 1)]


def _call(function: str, arguments: Sequence[str]) -> Iterator[str]:
    yield f"{function}("
    yield from (f"    {line}" for line in call_lines(arguments))
