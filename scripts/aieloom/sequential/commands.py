"""The command list of a network that runs layer by layer: what stands in it, as bytes and as JSON (docs/commands.md).

All numbers are little-endian. A header of HEADER.size bytes, then commands: opcode and size in bytes (u32 each), then the
fields of the opcode. The digest, SHA-256, is over the header before it, the commands and the weights: a list belongs to its
weights and to one program, whose functions it calls by number.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from aieloom.errors import Problem, SpecError

MAGIC = b"AIELOOMC"
VERSION = 6
HEADER = struct.Struct("<8sIIIIIIQQQQQ32s")
DIGESTED = HEADER.size - 32  # bytes of the header that the digest covers
HEAD = struct.Struct("<II")  # opcode, size
TENSOR = struct.Struct("<QIIIIfi")
BROUGHT = struct.Struct("<QII")
SPAN = struct.Struct("<QQ")
INT8, FLOAT32, BFLOAT16 = 0, 1, 2
BYTES = {INT8: 1, FLOAT32: 4, BFLOAT16: 2}
TYPES = {INT8: "int8", FLOAT32: "float32", BFLOAT16: "bfloat16"}
ALIGNMENT = 64  # bytes, of every tensor and every part of the weights
LANES = 16
MOST_SIDE = 1 << 20  # channels, height and width each
MOST_COMMANDS = 1 << 16
MOST_INPUTS = 64
MOST_BYTES = 1 << 31
MOST_TAP_WORDS = 1 << 28  # words of memory that a command of the vector unit reads
FILE = "commands.bin"
WEIGHTS_FILE = "weights.bin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """A place in device memory: image after image, pixel after pixel, channels filled up to whole words of LANES."""

    offset: int
    type: int
    channels: int
    height: int
    width: int
    scale: float = 1.0  # of integers: real value = scale * (element - zero)
    zero: int = 0
    local: bool = False  # it lies in the rows' stores, one image in each

    @property
    def image_bytes(self) -> int:
        """Bytes of one image."""
        return self.height * self.width * -(-self.channels // LANES) * LANES * BYTES[self.type]

    def pack(self) -> bytes:
        """Return it as bytes."""
        return TENSOR.pack(
            self.offset, self.type, self.channels, self.height, self.width, self.scale, self.zero
        )


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the weights: where it begins, how many bytes it has."""

    offset: int
    size: int

    def pack(self) -> bytes:
        """Return it as bytes."""
        return SPAN.pack(self.offset, self.size)


@dataclass(frozen=True, slots=True)
class Input:
    """Bring the images into a tensor; of integers the nearest elements."""

    opcode: ClassVar[int] = 1
    to: Tensor
    again: int  # where those of every other batch lie, laid out while the batch before is computed
    fold: tuple[int, int] = (
        1,
        1,
    )  # rows and columns of the image that are channels of one pixel; 0: its rows as they are

    def pack(self) -> bytes:
        """Return its fields as bytes."""
        return self.to.pack() + BROUGHT.pack(self.again, *self.fold)


@dataclass(frozen=True, slots=True)
class Output:
    """Take the results from a tensor; of integers what they mean."""

    opcode: ClassVar[int] = 2
    of: Tensor

    def pack(self) -> bytes:
        """Return its fields as bytes."""
        return self.of.pack()


@dataclass(frozen=True, slots=True)
class Convert:
    """Copy a tensor in order of channel, row and column into one of another shape or type."""

    opcode: ClassVar[int] = 3
    x: Tensor
    y: Tensor

    def pack(self) -> bytes:
        """Return its fields as bytes."""
        return self.x.pack() + self.y.pack()


CONV = struct.Struct("<IIIIIIIIiii")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conv:
    """A convolution or matrix product on the engine."""

    opcode: ClassVar[int] = 4
    x: Tensor
    y: Tensor
    weights: Span
    channels: Span  # bias, multiplier, shift and a spare word of each output channel
    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]  # above and to the left
    groups: int
    depthwise: bool
    shift: int
    low: int  # the bounds of the results; of float32 the bits of the number
    high: int

    def pack(self) -> bytes:
        """Return its fields as bytes."""
        numbers = (*self.kernel, *self.stride, *self.padding, self.groups, int(self.depthwise))
        spans = self.weights.pack() + self.channels.pack()
        return self.x.pack() + self.y.pack() + spans + CONV.pack(*numbers, self.shift, self.low, self.high)


VECTOR = struct.Struct("<IIIIIIIIiiiiiiiiiqq")
PRODUCT = struct.Struct("<IIIi")
SCALING = struct.Struct("<iiiiiiiiiqq")


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    """A sum, a pool, a table's function or bounds on the vector unit."""

    opcode: ClassVar[int] = 6
    a: Tensor
    b: Tensor  # of a sum the second input, else the first again
    y: Tensor
    table: Span  # 256 elements, or none
    operation: int
    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]  # above and to the left
    counts_padding: bool
    zeros: tuple[int, int, int]  # of a, b and y, as the operation's definition has them
    multipliers: tuple[int, int, int]
    shifts: tuple[int, int, int]
    low: int
    high: int

    def pack(self) -> bytes:
        """Return its fields as bytes."""
        tensors = b"".join(t.pack() for t in (self.a, self.b, self.y))
        window = (*self.kernel, *self.stride, *self.padding, int(self.counts_padding))
        a, b, y = self.multipliers
        numbers = VECTOR.pack(
            self.operation, *window, *self.zeros, *self.shifts, y, self.low, self.high, a, b
        )
        return tensors + self.table.pack() + numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A convolution or matrix product on the array."""

    opcode: ClassVar[int] = 7
    conv: Conv  # as on the engine in the logic; weights and channels in the array's order
    rows: int  # of the output, of a band
    together: int  # tiles of output channels that share loads of the input
    sum: int  # with `other`: 0 none, 1 the product is the first of the two, 2 the second
    zero: int  # of the product itself
    other: Tensor  # y again where there is no sum
    zeros: tuple[int, int, int] = (0, 0, 0)  # of both and of the sum
    shifts: tuple[int, int, int] = (0, 0, 0)
    multipliers: tuple[int, int, int] = (0, 0, 0)
    low: int = 0
    high: int = 0

    def pack(self) -> bytes:
        """Return its fields as bytes."""
        a, b, y = self.multipliers
        own = PRODUCT.pack(self.rows, self.together, self.sum, self.zero)
        scaling = SCALING.pack(*self.zeros, *self.shifts, y, self.low, self.high, a, b)
        return self.conv.pack() + own + self.other.pack() + scaling


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A function of the host program, by its number: a layer on the processor."""

    opcode: ClassVar[int] = 5
    function: int
    name: str  # for people: in the JSON form alone
    inputs: tuple[Tensor, ...]
    weights: tuple[Span, ...]
    y: Tensor

    def pack(self) -> bytes:
        """Return its fields as bytes."""
        head = struct.pack("<III", self.function, len(self.inputs), len(self.weights))
        tensors = b"".join(t.pack() for t in (*self.inputs, self.y))
        return head + tensors + b"".join(s.pack() for s in self.weights)


FOLD = struct.Struct("<II")
MATMUL = struct.Struct("<Iiii")


@dataclass(frozen=True, slots=True, kw_only=True)
class Matmul:
    """Products of two activations on the engine in the logic, `sets` of an image; w lies as the engine reads weights."""

    opcode: ClassVar[int] = 8
    x: Tensor  # rows of features, those of one set after those of another
    w: Tensor  # a row of a tile of weights is a pixel
    y: Tensor
    channels: Span  # as of Conv
    sets: int
    shift: int
    low: int
    high: int

    def pack(self) -> bytes:
        """Return its fields as bytes."""
        tensors = b"".join(t.pack() for t in (self.x, self.w, self.y))
        return tensors + self.channels.pack() + MATMUL.pack(self.sets, self.shift, self.low, self.high)


COLUMNS = struct.Struct("<IIIIi")


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Lay a tensor's heads out as the array reads weights, with what each column needs beside them: on the row unit."""

    opcode: ClassVar[int] = 9
    x: Tensor
    y: Tensor  # words of 16 bytes: weights of all heads, then channels
    table: Span  # multiplier, shift and two spare words, i32
    heads: int
    first: int  # word of a pixel with which the first head begins
    words: int  # of a head
    transposed: bool  # pixels are columns; else places of K
    zero: int  # of what the columns are multiplied by

    def pack(self) -> bytes:
        """Return its fields as bytes."""
        numbers = COLUMNS.pack(self.heads, self.first, self.words, int(self.transposed), self.zero)
        return self.x.pack() + self.y.pack() + self.table.pack() + numbers


HEADS = struct.Struct("<IIIIIIiiii")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """Products of two activations on the array, one for each head of an image; w is what Columns made of the second."""

    opcode: ClassVar[int] = 10
    x: Tensor
    w: Tensor
    y: Tensor
    heads: int
    first: int  # word of a pixel of x with which the first head begins
    words: int  # of a head
    passes: int  # over K: of which x has `words`
    rows: int  # of the output, of a band
    together: int
    zero: int
    shift: int
    low: int
    high: int

    def pack(self) -> bytes:
        """Return its fields as bytes."""
        numbers = (self.heads, self.first, self.words, self.passes, self.rows, self.together)
        return (
            self.x.pack()
            + self.w.pack()
            + self.y.pack()
            + HEADS.pack(*numbers, self.zero, self.shift, self.low, self.high)
        )


ROW = struct.Struct("<IIIIIii")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A layer of whole rows on the row unit."""

    opcode: ClassVar[int] = 11
    x: Tensor
    y: Tensor
    table: Span  # a header of 16 bytes, then what the operation multiplies by
    operation: int
    groups: int  # rows of a pixel
    words: int  # of a row
    valid: int  # elements of a row
    each: bool  # every pixel has factors of its own
    zeros: tuple[int, int]  # of x and y

    def pack(self) -> bytes:
        """Return its fields as bytes."""
        numbers = (self.operation, self.groups, self.words, self.valid, int(self.each))
        return self.x.pack() + self.y.pack() + self.table.pack() + ROW.pack(*numbers, *self.zeros)


@dataclass(frozen=True, slots=True)
class Bring:
    """Bring images from device memory to the rows' stores, one to each."""

    opcode: ClassVar[int] = 12
    x: Tensor
    y: Tensor  # in the stores
    fold: tuple[int, int] = (
        0,
        0,
    )  # then x has an image's rows, of which so many rows and columns become one pixel

    def pack(self) -> bytes:
        """Return its fields as bytes."""
        return self.x.pack() + self.y.pack() + FOLD.pack(*self.fold)


@dataclass(frozen=True, slots=True)
class Give:
    """Give what lies in the rows' stores to device memory, image after image."""

    opcode: ClassVar[int] = 13
    x: Tensor  # in the stores
    y: Tensor

    def pack(self) -> bytes:
        """Return its fields as bytes."""
        return self.x.pack() + self.y.pack()


SPATIAL = struct.Struct("<I")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spatial:
    """A part of the network whose layers have cores of their own: images stream through."""

    opcode: ClassVar[int] = 14
    x: Tensor
    y: Tensor
    part: int  # which of the design's

    def pack(self) -> bytes:
        """Return its fields as bytes."""
        return self.x.pack() + self.y.pack() + SPATIAL.pack(self.part)


Command = (
    Input
    | Output
    | Convert
    | Conv
    | Call
    | Vector
    | Product
    | Matmul
    | Columns
    | Heads
    | Row
    | Bring
    | Give
    | Spatial
)
Sequenced = Vector | Product | Columns | Heads | Row  # what the sequencer has computed


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandList:
    """A network as commands, for `batch` images at most at a time."""

    element: int  # of the engine
    out: int  # output channels of a tile of weights
    batch: int
    memory_bytes: int
    weights_bytes: int
    store_bytes: int  # of a row's store; 0: tensors of products lie in device memory
    program: int  # the first 8 bytes of a digest of the functions that Call names
    commands: tuple[Command, ...]


def to_bytes(commands: CommandList, weights: bytes) -> bytes:
    """Return the list as the host program reads it."""
    body = b"".join(_packed(c) for c in commands.commands)
    head = HEADER.pack(
        MAGIC,
        VERSION,
        HEADER.size,
        commands.element,
        commands.out,
        len(commands.commands),
        commands.batch,
        len(body),
        commands.memory_bytes,
        commands.weights_bytes,
        commands.program,
        commands.store_bytes,
        bytes(32),
    )[:DIGESTED]
    return head + hashlib.sha256(head + body + weights).digest() + body


def _packed(command: Command) -> bytes:
    payload = command.pack()
    return HEAD.pack(command.opcode, HEAD.size + len(payload)) + payload


def to_json(commands: CommandList) -> dict[str, Any]:
    """Return the list as what JSON can hold, with names for numbers."""
    head = {
        f.name: getattr(commands, f.name) for f in fields(commands) if f.name not in ("commands", "element")
    }
    return {
        "magic": MAGIC.decode(),
        "version": VERSION,
        "element": TYPES[commands.element],
        **head,
        "commands": [
            {"op": type(c).__name__.lower(), **{f.name: _plain(getattr(c, f.name)) for f in fields(c)}}
            for c in commands.commands
        ],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        shown = {f.name: getattr(value, f.name) for f in fields(value)}
        return {**shown, "type": TYPES[value.type]}
    if isinstance(value, Conv):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Span):
        return {"offset": value.offset, "bytes": value.size}
    return [_plain(v) for v in value] if isinstance(value, tuple) else value


def from_bytes(data: bytes, weights: bytes, name: str = FILE) -> CommandList:
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

    def read(self) -> CommandList:
        magic, version, header, element, out, count, batch, size, memory, weights, program, store, digest = (
            self.take(HEADER)
        )
        if magic != MAGIC or version != VERSION or header != HEADER.size:
            raise _Refused(f"is no list of commands of version {VERSION}")
        if size != len(self.data) - HEADER.size or weights != len(self.weights):
            raise _Refused("does not have the length that it states, or its weights have not")
        seen = hashlib.sha256(self.data[:DIGESTED] + self.data[HEADER.size :] + self.weights).digest()
        if seen != digest:
            raise _Refused("does not have its digest: it or its weights are damaged")
        if (
            element not in BYTES
            or out == 0
            or out % LANES
            or not 0 < batch <= MOST_SIDE
            or count > MOST_COMMANDS
        ):
            raise _Refused("has a header that no engine has")
        if memory > MOST_BYTES or store > MOST_BYTES:
            raise _Refused(f"wants {max(memory, store)} bytes of memory")
        self.memory_bytes, self.batch, self.store_bytes = memory, batch, store
        commands = tuple(self.commands(count))
        if self.at != len(self.data):
            raise _Refused(f"has {len(self.data) - self.at} bytes behind its last command")
        return CommandList(
            element=element,
            out=out,
            batch=batch,
            memory_bytes=memory,
            weights_bytes=weights,
            store_bytes=store,
            program=program,
            commands=commands,
        )

    def commands(self, count: int) -> Iterator[Command]:
        for number in range(count):
            self.end = len(self.data)
            begin = self.at
            opcode, size = self.take(HEAD)
            if size < HEAD.size or begin + size > len(self.data):
                raise _Refused(f"has command {number} of {size} bytes, more or fewer than there are")
            self.end = begin + size
            yield self.command(opcode)
            if self.at != self.end:
                raise _Refused(f"has command {number} of {size} bytes, {self.at - begin} have a meaning")

    def command(self, opcode: int) -> Command:
        readers: dict[int, Callable[[], Command]] = {
            Input.opcode: self.input,
            Output.opcode: lambda: Output(self.tensor()),
            Convert.opcode: self.convert,
            Conv.opcode: self.conv,
            Call.opcode: self.call,
            Vector.opcode: self.vector,
            Product.opcode: self.product,
            Matmul.opcode: self.matmul,
            Columns.opcode: self.columns,
            Heads.opcode: self.heads,
            Row.opcode: self.row,
            Bring.opcode: self.bring,
            Give.opcode: self.give,
            Spatial.opcode: self.spatial,
        }
        if opcode not in readers:
            raise _Refused(f"has a command of the unknown opcode {opcode}")
        return readers[opcode]()

    def input(self) -> Input:
        to = self.tensor()
        again, rows, columns = self.take(BROUGHT)
        fold = rows * columns
        if (rows, columns) != (0, 0) and (not 0 < fold <= to.channels or to.channels % fold):
            raise _Refused("folds an image by more rows and columns than its pixels have channels for")
        if again % ALIGNMENT or again + self.batch * to.image_bytes > self.memory_bytes:
            raise _Refused("has a tensor beyond its memory")
        return Input(to, again, (rows, columns))

    def bring(self) -> Bring:
        x, y = self.tensor(), self.tensor(local=True)
        rows, columns = self.take(FOLD)
        fold = rows * columns
        alike = x.image_bytes == y.image_bytes
        if fold:
            alike = 0 < fold <= y.channels <= LANES and y.channels % fold == 0
            image = (y.width * columns, y.channels // fold * y.height * rows, 1) if alike else ()
            alike = (x.channels, x.height, x.width) == image
        if (
            self.store_bytes == 0
            or x.type != y.type
            or not alike
            or (fold == 0 and (rows, columns) != (0, 0))
        ):
            raise _Refused(f"brings {x.image_bytes} bytes as {y.image_bytes} of a row's store")
        return Bring(x, y, (rows, columns))

    def spatial(self) -> Spatial:
        x, y = self.tensor(), self.tensor()
        (part,) = self.take(SPATIAL)
        return Spatial(x=x, y=y, part=part)

    def give(self) -> Give:
        x, y = self.tensor(local=True), self.tensor()
        if self.store_bytes == 0 or (x.type, x.image_bytes) != (y.type, y.image_bytes):
            raise _Refused(f"gives {x.image_bytes} bytes of a row's store as {y.image_bytes}")
        return Give(x, y)

    def product(self) -> Product:
        local = self.store_bytes > 0
        conv = self.conv(local=local)
        rows, together, sum_, zero = self.take(PRODUCT)
        other = self.tensor(local=local)
        za, zb, zy, sa, sb, sy, my, low, high, ma, mb = self.take(SCALING)
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
        return Product(
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

    def matmul(self) -> Matmul:
        x, w, y, channels = self.tensor(), self.tensor(), self.tensor(), self.span()
        sets, shift, low, high = self.take(MATMUL)
        if sets == 0 or x.height % sets or x.height != y.height or (w.width, x.width, y.width) != (1, 1, 1):
            raise _Refused(f"multiplies {x.height} rows in {sets} sets")
        return Matmul(x=x, w=w, y=y, channels=channels, sets=sets, shift=shift, low=low, high=high)

    def columns(self) -> Columns:
        x, y, table = self.tensor(), self.tensor(), self.span()
        heads, first, words, transposed, zero = self.take(COLUMNS)
        if heads * words == 0 or (first + heads * words) * LANES > -(-x.channels // LANES) * LANES:
            raise _Refused(
                f"lays out {heads} heads of {words} words from {first} on of {x.channels} channels"
            )
        return Columns(
            x=x,
            y=y,
            table=table,
            heads=heads,
            first=first,
            words=words,
            transposed=bool(transposed),
            zero=zero,
        )

    def heads(self) -> Heads:
        x, w, y = self.tensor(), self.tensor(), self.tensor()
        heads, first, words, passes, rows, together, zero, shift, low, high = self.take(HEADS)
        if heads * words == 0 or (first + heads * words) * LANES > -(-x.channels // LANES) * LANES:
            raise _Refused(
                f"multiplies {heads} heads of {words} words from {first} on of {x.channels} channels"
            )
        if together == 0 or rows == 0 or passes == 0 or x.height != y.height or (x.width, y.width) != (1, 1):
            raise _Refused(f"multiplies {x.height} rows in bands of {rows}")
        return Heads(
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

    def row(self) -> Row:
        x, y, table = self.tensor(), self.tensor(), self.span()
        operation, groups, words, valid, each, zero_x, zero = self.take(ROW)
        alike = (x.channels, x.height, x.width) == (y.channels, y.height, y.width)
        if not alike or groups * words != -(-x.channels // LANES) or not 0 < valid <= words * LANES:
            raise _Refused(f"has {groups} rows of {words} words of {x.channels} channels")
        return Row(
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

    def convert(self) -> Convert:
        x, y = self.tensor(), self.tensor()
        if x.channels * x.height * x.width != y.channels * y.height * y.width:
            raise _Refused("converts a tensor into one of another number of elements")
        return Convert(x, y)

    def call(self) -> Call:
        function, inputs, trained = self.take(struct.Struct("<III"))
        if inputs > MOST_INPUTS or trained > MOST_INPUTS:
            raise _Refused(f"calls a function with {max(inputs, trained)} inputs or weights")
        tensors = tuple(self.tensor() for _ in range(inputs + 1))
        spans = tuple(self.span() for _ in range(trained))
        return Call(function=function, name="", inputs=tensors[:-1], weights=spans, y=tensors[-1])

    def conv(self, *, local: bool = False) -> Conv:
        x, y = self.tensor(local=local), self.tensor(local=local)
        weights, channels = self.span(), self.span()
        ky, kx, sy, sx, top, left, groups, depthwise, shift, low, high = self.take(CONV)
        return Conv(
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

    def vector(self) -> Vector:
        a, b, y = (self.tensor(local=self.store_bytes > 0) for _ in range(3))
        table = self.span()
        operation, ky, kx, sy, sx, top, left, counts, *numbers = self.take(VECTOR)
        zero_a, zero_b, zero, shift_a, shift_b, shift, multiplier_y, low, high, multiplier_a, multiplier_b = (
            numbers
        )
        if y.height * y.width * ky * kx * -(-y.channels // LANES) * self.batch > MOST_TAP_WORDS:
            raise _Refused(f"has a window of {ky} x {kx} over {y.height} x {y.width} pixels")
        return Vector(
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

    def tensor(self, *, local: bool = False) -> Tensor:
        offset, kind, channels, height, width, scale, zero = self.take(TENSOR)
        if kind not in BYTES or not all(0 < v <= MOST_SIDE for v in (channels, height, width)):
            raise _Refused(f"has a tensor of type {kind}, {channels} x {height} x {width}")
        found = Tensor(
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
        if offset % ALIGNMENT or (not local and offset + self.batch * found.image_bytes > self.memory_bytes):
            raise _Refused(
                f"has a tensor of {found.image_bytes} bytes an image at {offset}, memory of {self.memory_bytes}"
            )
        return found

    def span(self) -> Span:
        offset, size = self.take(SPAN)
        if offset % ALIGNMENT or offset + size > len(self.weights):
            raise _Refused(f"has weights of {size} bytes at {offset}, the file has {len(self.weights)}")
        return Span(offset, size)
