"""Reading a command list as the host program does: by the format's own rules, damage and lies refused (docs/commands.md)."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator
from typing import Any

from aieloom.errors import Problem, SpecError
from aieloom.sequential import commands as c


def from_bytes(data: bytes, weights: bytes, name: str = c.FILE) -> c.CommandList:
    """Return a list that was read.

    Raises:
        SpecError: it is none, is damaged, or goes beyond its memory or weights.
    """
    try:
        return _Reader(data, weights).read()
    except _Refused as e:
        problem = Problem(rule="commands-1", file=name, text=str(e), remedy="make it again: doit gen")
        raise SpecError(problem) from e


class _Refused(Exception):
    """What is wrong with a list."""


class _Reader:
    def __init__(self, data: bytes, weights: bytes) -> None:
        self.data, self.weights = data, weights
        self.at, self.end = 0, len(data)
        self.memory_bytes, self.batch, self.store_bytes = 0, 0, 0

    def take(self, form: struct.Struct) -> tuple[Any, ...]:
        if self.at + form.size > self.end:
            raise _Refused(f"ends at byte {self.end}, within what begins at {self.at}")
        self.at += form.size
        return form.unpack_from(self.data, self.at - form.size)

    def read(self) -> c.CommandList:
        magic, version, header, element, out, count, batch, size, memory, weights, program, store, digest = (
            self.take(c.HEADER)
        )
        if magic != c.MAGIC or version != c.VERSION or header != c.HEADER.size:
            raise _Refused(f"is no list of commands of version {c.VERSION}")
        if size != len(self.data) - c.HEADER.size or weights != len(self.weights):
            raise _Refused("does not have the length that it states, or its weights have not")
        seen = hashlib.sha256(self.data[: c.DIGESTED] + self.data[c.HEADER.size :] + self.weights).digest()
        if seen != digest:
            raise _Refused("does not have its digest: it or its weights are damaged")
        if (
            element not in c.BYTES
            or out == 0
            or out % c.LANES
            or not 0 < batch <= c.MOST_SIDE
            or count > c.MOST_COMMANDS
        ):
            raise _Refused("has a header that no engine has")
        if memory > c.MOST_BYTES or store > c.MOST_BYTES:
            raise _Refused(f"wants {max(memory, store)} bytes of memory")
        self.memory_bytes, self.batch, self.store_bytes = memory, batch, store
        commands = tuple(self.commands(count))
        if self.at != len(self.data):
            raise _Refused(f"has {len(self.data) - self.at} bytes behind its last command")
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
            opcode, size = self.take(c.HEAD)
            if size < c.HEAD.size or begin + size > len(self.data):
                raise _Refused(f"has command {number} of {size} bytes, more or fewer than there are")
            self.end = begin + size
            yield self.command(opcode)
            if self.at != self.end:
                raise _Refused(f"has command {number} of {size} bytes, {self.at - begin} have a meaning")

    def command(self, opcode: int) -> c.Command:
        readers: dict[int, Callable[[], c.Command]] = {
            c.Input.opcode: self.input,
            c.Output.opcode: lambda: c.Output(self.tensor()),
            c.Convert.opcode: self.convert,
            c.Conv.opcode: self.conv,
            c.Call.opcode: self.call,
            c.Vector.opcode: self.vector,
            c.Product.opcode: self.product,
            c.Matmul.opcode: self.matmul,
            c.Columns.opcode: self.columns,
            c.Heads.opcode: self.heads,
            c.Row.opcode: self.row,
            c.Bring.opcode: self.bring,
            c.Give.opcode: self.give,
            c.Spatial.opcode: self.spatial,
            c.Recurrence.opcode: self.recurrence,
        }
        if opcode not in readers:
            raise _Refused(f"has a command of the unknown opcode {opcode}")
        return readers[opcode]()

    def input(self) -> c.Input:
        to = self.tensor()
        again, rows, columns, begin = self.take(c.BROUGHT)
        fold = rows * columns
        if (rows, columns) != (0, 0) and (not 0 < fold <= to.channels or to.channels % fold):
            raise _Refused("folds an image by more rows and columns than its pixels have channels for")
        if again % c.ALIGNMENT or again + self.batch * to.image_bytes > self.memory_bytes:
            raise _Refused("has a tensor beyond its memory")
        return c.Input(to, again, (rows, columns), begin)

    def bring(self) -> c.Bring:
        x, y = self.tensor(), self.tensor(local=True)
        rows, columns = self.take(c.FOLD)
        fold = rows * columns
        alike = x.image_bytes == y.image_bytes
        if fold:
            alike = 0 < fold <= y.channels <= c.LANES and y.channels % fold == 0
            image = (y.width * columns, y.channels // fold * y.height * rows, 1) if alike else ()
            alike = (x.channels, x.height, x.width) == image
        if (
            self.store_bytes == 0
            or x.type != y.type
            or not alike
            or (fold == 0 and (rows, columns) != (0, 0))
        ):
            raise _Refused(f"brings {x.image_bytes} bytes as {y.image_bytes} of a row's store")
        return c.Bring(x, y, (rows, columns))

    def spatial(self) -> c.Spatial:
        x, y = self.tensor(), self.tensor()
        (part,) = self.take(c.SPATIAL)
        return c.Spatial(x=x, y=y, part=part)

    def recurrence(self) -> c.Recurrence:
        x, y, weights = self.tensor(), self.tensor(), self.span()
        cell, hidden, reverse = self.take(c.RECURRENCE)
        gates = {0: 4, 1: 3, 2: 3}.get(cell, 0)
        steps = (x.height * x.width, x.channels)
        if y.channels != hidden or steps != (y.height * y.width, gates * hidden) or reverse > 1:
            raise _Refused(f"has a recurrence of {hidden} features from {x.channels} channels")
        return c.Recurrence(x=x, y=y, weights=weights, cell=cell, hidden=hidden, reverse=bool(reverse))

    def give(self) -> c.Give:
        x, y = self.tensor(local=True), self.tensor()
        if self.store_bytes == 0 or (x.type, x.image_bytes) != (y.type, y.image_bytes):
            raise _Refused(f"gives {x.image_bytes} bytes of a row's store as {y.image_bytes}")
        return c.Give(x, y)

    def product(self) -> c.Product:
        local = self.store_bytes > 0
        conv = self.conv(local=local)
        rows, together, sum_, zero = self.take(c.PRODUCT)
        other = self.tensor(local=local)
        za, zb, zy, sa, sb, sy, my, low, high, ma, mb = self.take(c.SCALING)
        if (
            together == 0
            or sum_ > 2
            or (other.channels, other.height, other.width)
            != (
                conv.y.channels,
                conv.y.height,
                conv.y.width,
            )
        ):
            raise _Refused("has a product with a sum that none has")
        return c.Product(
            conv=conv,
            rows=rows,
            together=together,
            sum=sum_,
            zero=zero,
            other=other,
            zeros=(za, zb, zy),
            shifts=(sa, sb, sy),
            multipliers=(ma, mb, my),
            low=low,
            high=high,
        )

    def matmul(self) -> c.Matmul:
        x, w, y, channels = self.tensor(), self.tensor(), self.tensor(), self.span()
        sets, shift, low, high = self.take(c.MATMUL)
        if sets == 0 or x.height % sets or x.height != y.height or (w.width, x.width, y.width) != (1, 1, 1):
            raise _Refused(f"multiplies {x.height} rows in {sets} sets")
        return c.Matmul(x=x, w=w, y=y, channels=channels, sets=sets, shift=shift, low=low, high=high)

    def columns(self) -> c.Columns:
        x, y, table = self.tensor(), self.tensor(), self.span()
        heads, first, words, transposed, zero = self.take(c.COLUMNS)
        self.within(x, heads, first, words, does="lays out")
        return c.Columns(
            x=x,
            y=y,
            table=table,
            heads=heads,
            first=first,
            words=words,
            transposed=bool(transposed),
            zero=zero,
        )

    def heads(self) -> c.Heads:
        x, w, y = self.tensor(), self.tensor(), self.tensor()
        heads, first, words, passes, rows, together, zero, shift, low, high = self.take(c.HEADS)
        self.within(x, heads, first, words, does="multiplies")
        if together == 0 or rows == 0 or passes == 0 or x.height != y.height or (x.width, y.width) != (1, 1):
            raise _Refused(f"multiplies {x.height} rows in bands of {rows}")
        return c.Heads(
            x=x,
            w=w,
            y=y,
            heads=heads,
            first=first,
            words=words,
            passes=passes,
            rows=rows,
            together=together,
            zero=zero,
            shift=shift,
            low=low,
            high=high,
        )

    @staticmethod
    def within(x: c.Tensor, heads: int, first: int, words: int, *, does: str) -> None:
        """Refuse heads that a pixel has no words for."""
        if heads * words == 0 or first + heads * words > -(-x.channels // c.LANES):
            text = f"{does} {heads} heads of {words} words from {first} on of {x.channels} channels"
            raise _Refused(text)

    def row(self) -> c.Row:
        x, y, table = self.tensor(), self.tensor(), self.span()
        operation, groups, words, valid, each, zero_x, zero = self.take(c.ROW)
        alike = (x.channels, x.height, x.width) == (y.channels, y.height, y.width)
        if not alike or groups * words != -(-x.channels // c.LANES) or not 0 < valid <= words * c.LANES:
            raise _Refused(f"has {groups} rows of {words} words of {x.channels} channels")
        return c.Row(
            x=x,
            y=y,
            table=table,
            operation=operation,
            groups=groups,
            words=words,
            valid=valid,
            each=bool(each),
            zeros=(zero_x, zero),
        )

    def convert(self) -> c.Convert:
        x, y = self.tensor(), self.tensor()
        if x.channels * x.height * x.width != y.channels * y.height * y.width:
            raise _Refused("converts a tensor into one of another number of elements")
        return c.Convert(x, y)

    def call(self) -> c.Call:
        function, inputs, trained = self.take(struct.Struct("<III"))
        if inputs > c.MOST_INPUTS or trained > c.MOST_INPUTS:
            raise _Refused(f"calls a function with {max(inputs, trained)} inputs or weights")
        tensors = tuple(self.tensor() for _ in range(inputs + 1))
        spans = tuple(self.span() for _ in range(trained))
        return c.Call(function=function, name="", inputs=tensors[:-1], weights=spans, y=tensors[-1])

    def conv(self, *, local: bool = False) -> c.Conv:
        x, y = self.tensor(local=local), self.tensor(local=local)
        weights, channels = self.span(), self.span()
        ky, kx, sy, sx, top, left, groups, depthwise, shift, low, high = self.take(c.CONV)
        return c.Conv(
            x=x,
            y=y,
            weights=weights,
            channels=channels,
            kernel=(ky, kx),
            stride=(sy, sx),
            padding=(top, left),
            groups=groups,
            depthwise=bool(depthwise),
            shift=shift,
            low=low,
            high=high,
        )

    def vector(self) -> c.Vector:
        a, b, y = (self.tensor(local=self.store_bytes > 0) for _ in range(3))
        table = self.span()
        operation, ky, kx, sy, sx, top, left, counts, *numbers = self.take(c.VECTOR)
        zero_a, zero_b, zero, shift_a, shift_b, shift, multiplier_y, low, high, multiplier_a, multiplier_b = (
            numbers
        )
        if y.height * y.width * ky * kx * -(-y.channels // c.LANES) * self.batch > c.MOST_TAP_WORDS:
            raise _Refused(f"has a window of {ky} x {kx} over {y.height} x {y.width} pixels")
        return c.Vector(
            a=a,
            b=b,
            y=y,
            table=table,
            operation=operation,
            kernel=(ky, kx),
            stride=(sy, sx),
            padding=(top, left),
            counts_padding=bool(counts),
            zeros=(zero_a, zero_b, zero),
            multipliers=(multiplier_a, multiplier_b, multiplier_y),
            shifts=(shift_a, shift_b, shift),
            low=low,
            high=high,
        )

    def tensor(self, *, local: bool = False) -> c.Tensor:
        offset, kind, channels, height, width, scale, zero = self.take(c.TENSOR)
        if kind not in c.BYTES or not all(0 < v <= c.MOST_SIDE for v in (channels, height, width)):
            raise _Refused(f"has a tensor of type {kind}, {channels} x {height} x {width}")
        found = c.Tensor(
            offset=offset,
            type=kind,
            channels=channels,
            height=height,
            width=width,
            scale=scale,
            zero=zero,
            local=local,
        )
        if local and offset + found.image_bytes > self.store_bytes:
            raise _Refused(f"has a tensor of {found.image_bytes} bytes at {offset} of a row's store")
        if offset % c.ALIGNMENT or (
            not local and offset + self.batch * found.image_bytes > self.memory_bytes
        ):
            raise _Refused(
                f"has a tensor of {found.image_bytes} bytes an image at {offset}, memory of {self.memory_bytes}"
            )
        return found

    def span(self) -> c.Span:
        offset, size = self.take(c.SPAN)
        if offset % c.ALIGNMENT or offset + size > len(self.weights):
            raise _Refused(f"has weights of {size} bytes at {offset}, the file has {len(self.weights)}")
        return c.Span(offset, size)
