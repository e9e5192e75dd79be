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

from aieloom.layout.channel_words import LANES, words_of
from aieloom.sequential.wire import F32, I32, U32, U64, Aside, Flag, I32Pair, I64Pair, Pair, Triple, pack

MAGIC = b"AIELOOMC"
VERSION = 10
HEADER = struct.Struct("<8sIIIIIIQQQQQ32s")
DIGESTED = HEADER.size - 32  # bytes of the header that the digest covers
HEAD = struct.Struct("<II")  # opcode, size
INT8, FLOAT32, BFLOAT16 = 0, 1, 2
BYTES = {INT8: 1, FLOAT32: 4, BFLOAT16: 2}
TYPES = {INT8: "int8", FLOAT32: "float32", BFLOAT16: "bfloat16"}
ALIGNMENT = 64  # bytes, of every tensor and every part of the weights
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

    offset: U64
    type: U32
    channels: U32
    height: U32
    width: U32
    scale: F32 = 1.0  # of integers: real value = scale * (element - zero)
    zero: I32 = 0
    local: Aside = False  # it lies in the rows' stores, one image in each

    @property
    def image_bytes(self) -> int:
        """Bytes of one image."""
        return self.height * self.width * words_of(self.channels) * LANES * BYTES[self.type]


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the weights: where it begins, how many bytes it has."""

    offset: U64
    size: U64


@dataclass(frozen=True, slots=True)
class Input:
    """Bring the images into a tensor; of integers the nearest elements."""

    opcode: ClassVar[int] = 1
    to: Tensor
    again: U64  # where those of every other batch lie, laid out while the batch before is computed
    fold: Pair = (
        1,
        1,
    )  # rows and columns of the image that are channels of one pixel; 0: its rows as they are
    begin: U64 = 0  # values of an image before it: of the inputs before this one, where there are several


@dataclass(frozen=True, slots=True)
class Output:
    """Take the results from a tensor; of integers what they mean."""

    opcode: ClassVar[int] = 2
    of: Tensor


@dataclass(frozen=True, slots=True)
class Convert:
    """Copy a tensor in order of channel, row and column into one of another shape or type."""

    opcode: ClassVar[int] = 3
    x: Tensor
    y: Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Conv:
    """A convolution or matrix product on the engine."""

    opcode: ClassVar[int] = 4
    x: Tensor
    y: Tensor
    weights: Span
    channels: Span  # bias, multiplier, shift and a spare word of each output channel
    kernel: Pair
    stride: Pair
    padding: Pair  # above and to the left
    groups: U32
    depthwise: Flag
    shift: I32
    low: I32  # the bounds of the results; of float32 the bits of the number
    high: I32


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    """A sum, a pool, a table's function or bounds on the vector unit."""

    opcode: ClassVar[int] = 6
    a: Tensor
    b: Tensor  # of a sum the second input, else the first again
    y: Tensor
    table: Span  # 256 elements, or none
    operation: U32
    kernel: Pair
    stride: Pair
    padding: Pair  # above and to the left
    counts_padding: Flag
    zeros: Triple  # of a, b and y, as the operation's definition has them
    shifts: Triple
    multiplier: I32  # of y
    low: I32
    high: I32
    multipliers: I64Pair  # of a and b
    rows: U32 = 0  # where a row of chains folds it: of the output, of a band
    groups: U32 = 0  # and of channels, gone through one after another


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A convolution or matrix product on the array."""

    opcode: ClassVar[int] = 7
    conv: Conv  # as on the engine in the logic; weights and channels in the array's order
    rows: U32  # of the output, of a band
    together: U32  # tiles of output channels that share loads of the input
    sum: U32  # with `other`: 0 none, 1 the product is the first of the two, 2 the second
    zero: I32  # of the product itself
    other: Tensor  # y again where there is no sum
    zeros: Triple = (0, 0, 0)  # of both and of the sum
    shifts: Triple = (0, 0, 0)
    multiplier: I32 = 0  # of the sum
    low: I32 = 0
    high: I32 = 0
    multipliers: I64Pair = (0, 0)  # of both


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A function of the host program, by its number: a layer on the processor."""

    opcode: ClassVar[int] = 5
    function: int
    name: str  # for people: in the JSON form alone
    inputs: tuple[Tensor, ...]
    weights: tuple[Span, ...]
    y: Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Matmul:
    """Products of two activations on the engine in the logic, `sets` of an image; w lies as the engine reads weights."""

    opcode: ClassVar[int] = 8
    x: Tensor  # rows of features, those of one set after those of another
    w: Tensor  # a row of a tile of weights is a pixel
    y: Tensor
    channels: Span  # as of Conv
    sets: U32
    shift: I32
    low: I32
    high: I32


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Lay a tensor's heads out as the engine reads weights, with what each column needs beside them: on the row unit."""

    opcode: ClassVar[int] = 9
    x: Tensor
    y: Tensor  # words of 16 bytes: weights of all heads, then channels
    table: Span  # multiplier, shift and two spare words, i32
    heads: U32
    first: U32  # word of a pixel with which the first head begins
    words: U32  # of a head
    transposed: Flag  # pixels are columns; else places of K
    zero: I32  # of what the columns are multiplied by


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """Products of two activations on the engine, one for each head of an image; w is what Columns made of the second."""

    opcode: ClassVar[int] = 10
    x: Tensor
    w: Tensor
    y: Tensor
    heads: U32
    first: U32  # word of a pixel of x with which the first head begins
    words: U32  # of a head
    passes: U32  # over K: of which x has `words`
    rows: U32  # of the output, of a band
    together: U32
    zero: I32
    shift: I32
    low: I32
    high: I32


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A layer of whole rows on the row unit."""

    opcode: ClassVar[int] = 11
    x: Tensor
    mask: Tensor  # x, where not `masked`
    y: Tensor
    table: Span  # a header of 16 bytes, then what the operation multiplies by
    operation: U32
    groups: U32  # rows of a pixel
    words: U32  # of a row
    valid: U32  # elements of a row
    each: Flag  # every pixel has factors of its own
    masked: Flag  # of shares: elements whose mask, a row for each image, is its zero have none
    zeros: I32Pair  # of x and y; of shares of the mask and y


@dataclass(frozen=True, slots=True)
class Bring:
    """Bring images from device memory to the rows' stores, one to each."""

    opcode: ClassVar[int] = 12
    x: Tensor
    y: Tensor  # in the stores
    fold: Pair = (0, 0)  # then x has an image's rows, of which so many rows and columns become one pixel


@dataclass(frozen=True, slots=True)
class Give:
    """Give what lies in the rows' stores to device memory, image after image."""

    opcode: ClassVar[int] = 13
    x: Tensor  # in the stores
    y: Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Spatial:
    """A part of the network whose layers have cores of their own: images stream through."""

    opcode: ClassVar[int] = 14
    x: Tensor
    y: Tensor
    part: U32  # which of the design's


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """An LSTM or GRU over all steps, on the recurrent unit."""

    opcode: ClassVar[int] = 15
    x: Tensor  # what the gates are given, a pixel for each step
    y: Tensor  # h
    weights: Span  # a row for each feature of h, filled up; of each product; then the bias
    cell: U32
    hidden: U32  # features of h
    reverse: Flag  # from the last step on


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
    body = b"".join(packed(c) for c in commands.commands)
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


def packed(command: Command) -> bytes:
    """Return a command as bytes: opcode, size, fields."""
    payload = _call(command) if isinstance(command, Call) else pack(command)
    return HEAD.pack(command.opcode, HEAD.size + len(payload)) + payload


def _call(call: Call) -> bytes:
    head = struct.pack("<III", call.function, len(call.inputs), len(call.weights))
    return head + b"".join(pack(operand) for operand in (*call.inputs, call.y, *call.weights))


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
