"""The command list of a network that runs layer by layer: what stands in it, as bytes and as JSON (docs/commands.md).

All numbers are little-endian. A header of HEADER.size bytes, then commands: opcode and size in bytes (u32 each), then the
fields of the opcode. The digest, SHA-256, is over the header before it, the commands and the weights: a list belongs to its
weights and to one program, whose functions it calls by number.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass, fields
from typing import Any, ClassVar

MAGIC = b"AIELOOMC"
VERSION = 8
HEADER = struct.Struct("<8sIIIIIIQQQQQ32s")
DIGESTED = HEADER.size - 32  # bytes of the header that the digest covers
HEAD = struct.Struct("<II")  # opcode, size
TENSOR = struct.Struct("<QIIIIfi")
BROUGHT = struct.Struct("<QIIQ")
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
    begin: int = 0  # values of an image before it: of the inputs before this one, where there are several

    def pack(self) -> bytes:
        """Return its fields as bytes."""
        return self.to.pack() + BROUGHT.pack(self.again, *self.fold, self.begin)


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


RECURRENCE = struct.Struct("<III")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """An LSTM or GRU over all steps, on the recurrent unit."""

    opcode: ClassVar[int] = 15
    x: Tensor  # what the gates are given, a pixel for each step
    y: Tensor  # h
    weights: Span  # a row for each feature of h, filled up; of each product; then the bias
    cell: int
    hidden: int  # features of h
    reverse: bool  # from the last step on

    def pack(self) -> bytes:
        """Return its fields as bytes."""
        numbers = RECURRENCE.pack(self.cell, self.hidden, int(self.reverse))
        return self.x.pack() + self.y.pack() + self.weights.pack() + numbers


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
    | Recurrence
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
