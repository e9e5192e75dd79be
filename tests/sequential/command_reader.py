"""Reading a command list as the host program does: by the format's own rules, damage and lies refused (docs/commands.md)."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from functools import singledispatchmethod
from typing import Any, TypeVar, get_args

from aieloom.layout.channel_words import LANES, words_of
from aieloom.network.scaled import MOST_ELEMENTS
from aieloom.sequential import commands as c
from aieloom.sequential import wire

T = TypeVar("T")
_KINDS: dict[int, type[c.Command]] = {kind.opcode: kind for kind in get_args(c.Command)}


class Refused(Exception):
    """What is wrong with a list: it is none, is damaged, or goes beyond its memory or weights."""


def from_bytes(data: bytes, weights: bytes) -> c.CommandList:
    """Return a list that was read, or raise `Refused`."""
    return _Reader(data, weights).read()


class _Reader:
    def __init__(self, data: bytes, weights: bytes) -> None:
        self.data, self.weights = data, weights
        self.at, self.end = 0, len(data)
        self.memory_bytes, self.batch, self.store_bytes = 0, 0, 0

    def take(self, form: str) -> tuple[Any, ...]:
        size = struct.calcsize(form)
        if self.at + size > self.end:
            raise Refused(f"ends at byte {self.end}, within what begins at {self.at}")
        self.at += size
        return struct.unpack_from(form, self.data, self.at - size)

    def read(self) -> c.CommandList:
        magic, version, header, element, out, count, batch, size, memory, weights, program, store, digest = (
            self.take(c.HEADER.format)
        )
        if magic != c.MAGIC or version != c.VERSION or header != c.HEADER.size:
            raise Refused(f"is no list of commands of version {c.VERSION}")
        if size != len(self.data) - c.HEADER.size or weights != len(self.weights):
            raise Refused("does not have the length that it states, or its weights have not")
        seen = hashlib.sha256(self.data[: c.DIGESTED] + self.data[c.HEADER.size :] + self.weights).digest()
        if seen != digest:
            raise Refused("does not have its digest: it or its weights are damaged")
        if (
            element not in c.BYTES
            or out == 0
            or out % LANES
            or not 0 < batch <= c.MOST_SIDE
            or count > c.MOST_COMMANDS
        ):
            raise Refused("has a header that no engine has")
        if memory > c.MOST_BYTES or store > c.MOST_BYTES:
            raise Refused(f"wants {max(memory, store)} bytes of memory")
        self.memory_bytes, self.batch, self.store_bytes = memory, batch, store
        commands = tuple(self.commands(count))
        if self.at != len(self.data):
            raise Refused(f"has {len(self.data) - self.at} bytes behind its last command")
        return c.CommandList(
            element=element,
            out=out,
            batch=batch,
            memory_bytes=memory,
            weights_bytes=weights,
            store_bytes=store,
            program=program,
            commands=commands,
        )

    def commands(self, count: int) -> Iterator[c.Command]:
        for number in range(count):
            self.end = len(self.data)
            begin = self.at
            opcode, size = self.take(c.HEAD.format)
            if size < c.HEAD.size or begin + size > len(self.data):
                raise Refused(f"has command {number} of {size} bytes, more or fewer than there are")
            self.end = begin + size
            command = self.command(opcode)
            if c.packed(command) != self.data[begin : self.end]:
                raise Refused(f"has command {number} of {size} bytes, {self.at - begin} have a meaning")
            yield command

    def command(self, opcode: int) -> c.Command:
        if opcode not in _KINDS:
            raise Refused(f"has a command of the unknown opcode {opcode}")
        kind = _KINDS[opcode]
        command = self.call() if kind is c.Call else self.record(kind)
        self.check(command)
        return command

    def record(self, kind: type[T], *, stored: bool = False) -> T:
        """Return a command, or the one in it: some tensors lie in the rows' stores, where there are any."""
        stored = stored or (self.store_bytes > 0 and kind in (c.Product, c.Vector))
        only = "y" if kind is c.Bring else "x" if kind is c.Give else None

        def operand(name: str, part: type) -> object:
            if part is c.Tensor:
                return self.tensor(local=stored or name == only)
            return self.span() if part is c.Span else self.record(part, stored=stored)

        return wire.read(kind, self.take, operand)

    def call(self) -> c.Call:
        function, inputs, trained = self.take("<III")
        if inputs > c.MOST_INPUTS or trained > c.MOST_INPUTS:
            raise Refused(f"calls a function with {max(inputs, trained)} inputs or weights")
        tensors = tuple(self.tensor() for _ in range(inputs + 1))
        spans = tuple(self.span() for _ in range(trained))
        return c.Call(function=function, name="", inputs=tensors[:-1], weights=spans, y=tensors[-1])

    def tensor(self, *, local: bool = False) -> c.Tensor:
        t = wire.read(c.Tensor, self.take, local=local)
        if t.type not in c.BYTES or not all(0 < v <= c.MOST_SIDE for v in _sizes(t)):
            raise Refused(f"has a tensor of type {t.type}, {t.channels} x {t.height} x {t.width}")
        if local and t.offset + t.image_bytes > self.store_bytes:
            raise Refused(f"has a tensor of {t.image_bytes} bytes at {t.offset} of a row's store")
        if t.offset % c.ALIGNMENT or (
            not local and t.offset + self.batch * t.image_bytes > self.memory_bytes
        ):
            text = (
                f"has a tensor of {t.image_bytes} bytes an image at {t.offset}, memory of {self.memory_bytes}"
            )
            raise Refused(text)
        return t

    def span(self) -> c.Span:
        span = wire.read(c.Span, self.take)
        if span.offset % c.ALIGNMENT or span.offset + span.size > len(self.weights):
            text = f"has weights of {span.size} bytes at {span.offset}, the file has {len(self.weights)}"
            raise Refused(text)
        return span

    @singledispatchmethod
    def check(self, command: c.Command) -> None:
        """Refuse sizes that do not belong together."""

    @check.register
    def _(self, made: c.Input) -> None:
        fold = made.fold[0] * made.fold[1]
        if made.fold != (0, 0) and (not 0 < fold <= made.to.channels or made.to.channels % fold):
            raise Refused("folds an image by more rows and columns than its pixels have channels for")
        if made.again % c.ALIGNMENT or made.again + self.batch * made.to.image_bytes > self.memory_bytes:
            raise Refused("has a tensor beyond its memory")

    @check.register
    def _(self, made: c.Convert) -> None:
        if made.x.channels * made.x.height * made.x.width != made.y.channels * made.y.height * made.y.width:
            raise Refused("converts a tensor into one of another number of elements")

    @check.register
    def _(self, made: c.Bring) -> None:
        x, y = made.x, made.y
        rows, columns = made.fold
        fold = rows * columns
        alike = x.image_bytes == y.image_bytes and made.fold == (0, 0)
        if 0 < fold <= y.channels <= LANES and y.channels % fold == 0:
            alike = _sizes(x) == (y.width * columns, y.channels // fold * y.height * rows, 1)
        if self.store_bytes == 0 or x.type != y.type or not alike:
            raise Refused(f"brings {x.image_bytes} bytes as {y.image_bytes} of a row's store")

    @check.register
    def _(self, made: c.Give) -> None:
        x, y = made.x, made.y
        if self.store_bytes == 0 or (x.type, x.image_bytes) != (y.type, y.image_bytes):
            raise Refused(f"gives {x.image_bytes} bytes of a row's store as {y.image_bytes}")

    @check.register
    def _(self, made: c.Recurrence) -> None:
        x, y, hidden = made.x, made.y, made.hidden
        gates = {0: 4, 1: 3, 2: 3}.get(made.cell, 0)
        steps = (x.height * x.width, x.channels)
        if y.channels != hidden or steps != (y.height * y.width, gates * hidden):
            raise Refused(f"has a recurrence of {hidden} features from {x.channels} channels")

    @check.register
    def _(self, made: c.Product) -> None:
        if made.together == 0 or made.sum > 2 or _sizes(made.other) != _sizes(made.conv.y):
            raise Refused("has a product with a sum that none has")

    @check.register
    def _(self, made: c.Matmul) -> None:
        x, y, sets = made.x, made.y, made.sets
        if (
            sets == 0
            or x.height % sets
            or x.height != y.height
            or (made.w.width, x.width, y.width) != (1, 1, 1)
        ):
            raise Refused(f"multiplies {x.height} rows in {sets} sets")

    @check.register
    def _(self, made: c.Columns) -> None:
        self.within(made, does="lays out")

    @check.register
    def _(self, made: c.Heads) -> None:
        self.within(made, does="multiplies")
        x, y = made.x, made.y
        if (
            0 in (made.together, made.rows, made.passes)
            or x.height != y.height
            or (x.width, y.width) != (1, 1)
        ):
            raise Refused(f"multiplies {x.height} rows in bands of {made.rows}")

    @staticmethod
    def within(made: c.Columns | c.Heads, *, does: str) -> None:
        """Refuse heads that a pixel has no words for."""
        wide = made.heads * made.words
        if wide == 0 or made.first + wide > words_of(made.x.channels):
            heads = f"{made.heads} heads of {made.words} words from {made.first} on"
            raise Refused(f"{does} {heads} of {made.x.channels} channels")

    @check.register
    def _(self, made: c.Row) -> None:
        groups, words, channels = made.groups, made.words, made.x.channels
        fits = groups * words == words_of(channels) and words == words_of(made.valid) > 0
        if _sizes(made.x) != _sizes(made.y) or not fits or made.valid > MOST_ELEMENTS:
            raise Refused(f"has {groups} rows of {words} words of {channels} channels")
        if made.masked and _sizes(made.mask) != (made.valid, 1, 1):
            raise Refused(f"has a mask of {made.mask.channels} channels for rows of {made.valid} elements")

    @check.register
    def _(self, made: c.Vector) -> None:
        y, (ky, kx) = made.y, made.kernel
        if y.height * y.width * ky * kx * words_of(y.channels) * self.batch > c.MOST_TAP_WORDS:
            raise Refused(f"has a window of {ky} x {kx} over {y.height} x {y.width} pixels")
        stays = self.store_bytes > 0
        if (made.rows > 0) != stays or (made.groups > 0) != stays or made.rows > y.height:
            raise Refused(f"has {made.groups} groups in bands of {made.rows} rows of {y.height}")


def _sizes(t: c.Tensor) -> tuple[int, int, int]:
    return t.channels, t.height, t.width
