"""Frames between a client and the process that owns a device: one header, a payload, and the pages that commands return.

Opcodes, pages and the order in which they are used are those of an accelerator behind NVMe's vendor-specific commands
[Alkali, docs/source/nvme-commands.rst of antmicro/alkali-csd-projects]; the frame around them is ours (docs/serve.md). All
numbers are little-endian. Nothing here trusts a length: whoever reads checks it against what is there.
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from aieloom.arrays import Values
from aieloom.errors import SpecError

MAGIC = b"AIEL"
VERSION = 2  # 1 had float32 tensors alone, without a type
PAGE_MAGIC = b"WDC\0"  # of the identify page
HEADER = struct.Struct("<4sBBHIIIII4x")
HEADER_BYTES = HEADER.size
RETAIN = 1 << 31  # in `operation` of STATUS and LOG: what is read stays
MOST_DIMENSIONS = 8
MOST_BYTES = 0xFFFFFFFF  # that a header can say of a payload, a page or a buffer
OWN_FIRMWARE = 0x100  # the first ID that a client may load; those below are the served networks
ACTIVE = 0xFFFFFFFF  # the firmware that SET_ACTIVE chose
_LIST = struct.Struct("<4sI8x")
_ENTRY = struct.Struct("<IHxx")
_CAPABILITY = struct.Struct("<I4xQ")
_STATUS = struct.Struct("<II24x")
_STATUS_ENTRY = struct.Struct("<I4xQ16x")
_LOG = struct.Struct("<I12x")
_LOG_ENTRY = struct.Struct("<IQI")
ELEMENTS: Mapping[int, np.dtype[Any]] = {  # of tensors, by their number in ONNX's TensorProto.DataType
    number: np.dtype(name)
    for number, name in (
        (1, "<f4"),
        (2, "u1"),
        (3, "i1"),
        (4, "<u2"),
        (5, "<i2"),
        (6, "<i4"),
        (7, "<i8"),
        (9, "?"),
        (10, "<f2"),
        (11, "<f8"),
        (12, "<u4"),
        (13, "<u8"),
    )
}
_NUMBERS = {elements: number for number, elements in ELEMENTS.items()}


class Opcode(IntEnum):
    """What a frame asks for."""

    LOG = 0x02
    SEND = 0x81
    READ = 0x82
    SEND_FIRMWARE = 0x85
    READ_FIRMWARE = 0x86
    INPUT_FROM_STORAGE = 0x88
    OUTPUT_TO_STORAGE = 0x8C
    CONTROL = 0x91
    TOKEN = 0xA0  # ours: who the client is, on TCP
    ENABLE = 0xC0
    IDENTIFY = 0xC2
    STATUS = 0xC6


class Operation(IntEnum):
    """What CONTROL does."""

    RESET = 0
    START = 1
    STOP = 2
    SET_ACTIVE = 3


class Answer(IntEnum):
    """How a command ended."""

    DONE = 0
    UNKNOWN_OPCODE = 1
    WRONG_FIELD = 2
    TOO_LARGE = 3
    DISABLED = 4
    BUSY = 5
    UNSUPPORTED = 6


class State(IntEnum):
    """What the accelerator of a client does."""

    STOPPED = 0
    WAITING = 1
    RUNNING = 2
    FINISHED = 3
    FAILED = 4


class Capability(IntEnum):
    """What an accelerator has; of the status page, what it holds."""

    FIRMWARE = 0
    INPUT = 1
    OUTPUT = 2
    NETWORK = 16  # ours: a served network, its firmware ID


class Entry(IntEnum):
    """What a log entry is about."""

    FIRMWARE = 0
    INPUT = 1
    OUTPUT = 2
    RUN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A command: `length` is the most bytes that the answer may have, `tag` is repeated in it."""

    opcode: int
    accelerator: int = 0
    tag: int = 0
    operation: int = 0
    firmware: int = 0
    length: int = 0
    payload: bytes = b""

    def packed(self) -> bytes:
        """Return it as bytes."""
        head = HEADER.pack(
            MAGIC,
            VERSION,
            self.opcode,
            self.accelerator,
            self.tag,
            self.operation,
            self.firmware,
            self.length,
            len(self.payload),
        )
        return head + self.payload


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer: `total` is how long the whole page or buffer is of which `payload` is the beginning."""

    opcode: int
    answer: int
    tag: int = 0
    total: int = 0
    payload: bytes = b""

    def packed(self) -> bytes:
        """Return it as bytes."""
        head = HEADER.pack(
            MAGIC, VERSION, self.opcode, self.answer, self.tag, self.total, 0, 0, len(self.payload)
        )
        return head + self.payload


def read_header(data: bytes) -> tuple[Frame, int] | None:
    """Return the frame of a header, its payload missing, and how long that is; None of anything else."""
    magic, version, opcode, accelerator, tag, operation, firmware, length, payload = HEADER.unpack(data)
    if magic != MAGIC or version != VERSION:
        return None
    frame = Frame(
        opcode=opcode,
        accelerator=accelerator,
        tag=tag,
        operation=operation,
        firmware=firmware,
        length=length,
    )
    return frame, payload


def read_reply(data: bytes) -> tuple[Reply, int] | None:
    """Return the answer of a header, its payload missing, and how long that is; None of anything else."""
    found = read_header(data)
    if found is None:
        return None
    head, payload = found
    return Reply(opcode=head.opcode, answer=head.accelerator, tag=head.tag, total=head.operation), payload


def identify_page(buffer: int, networks: Iterable[int]) -> bytes:
    """Return what IDENTIFY gives: one accelerator, the bytes of its buffers, the firmware IDs of the served networks."""
    capabilities = [
        (Capability.FIRMWARE, 0),
        (Capability.INPUT, buffer),
        (Capability.OUTPUT, buffer),
        *((Capability.NETWORK, number) for number in networks),
    ]
    entries = b"".join(_CAPABILITY.pack(*c) for c in capabilities)
    accelerator = _ENTRY.pack(_ENTRY.size + len(entries), 0) + entries
    return _LIST.pack(PAGE_MAGIC, _LIST.size + len(accelerator)) + accelerator


def read_identify_page(data: bytes) -> dict[int, list[int]]:
    """Return an identify page's values by capability.

    Raises:
        SpecError: it is no such page.
    """
    found: dict[int, list[int]] = {}
    try:
        magic, length = _LIST.unpack_from(data)
        entry, _ = _ENTRY.unpack_from(data, _LIST.size)
        if magic != PAGE_MAGIC or length != len(data) or entry != len(data) - _LIST.size:
            raise not_understood("its identify page does not say what it is")
        for kind, value in _CAPABILITY.iter_unpack(data[_LIST.size + _ENTRY.size :]):
            found.setdefault(kind, []).append(value)
    except struct.error as e:
        raise not_understood(f"its identify page has {len(data)} bytes") from e
    return found


def status_page(state: State, given: int, made: int) -> bytes:
    """Return what STATUS gives: the state, and how many bytes the buffers hold."""
    entries = _STATUS_ENTRY.pack(Capability.INPUT, given) + _STATUS_ENTRY.pack(Capability.OUTPUT, made)
    return _STATUS.pack(_STATUS.size + len(entries), state) + entries


def read_status_page(data: bytes) -> tuple[State, int]:
    """Return the state, and how many bytes of results there are.

    Raises:
        SpecError: it is no such page.
    """
    try:
        _, state = _STATUS.unpack_from(data)
        held = dict(_STATUS_ENTRY.iter_unpack(data[_STATUS.size :]))
        return State(state), held[Capability.OUTPUT]
    except (struct.error, ValueError, KeyError) as e:
        raise not_understood(f"its status page has {len(data)} bytes") from e


def log_page(entries: Sequence[tuple[int, Entry, str]]) -> bytes:
    """Return what LOG gives of entries (nanoseconds since 1970, what it is about, text)."""
    texts = [(when, kind, text.encode()) for when, kind, text in entries]
    packed = b"".join(_LOG_ENTRY.pack(_LOG_ENTRY.size + len(t), when, kind) + t for when, kind, t in texts)
    return _LOG.pack(_LOG.size + len(packed)) + packed


def read_log_page(data: bytes) -> list[tuple[int, int, str]]:
    """Return the entries of a log page.

    Raises:
        SpecError: it is no such page.
    """
    found: list[tuple[int, int, str]] = []
    at = _LOG.size
    while at < len(data):
        try:
            length, when, kind = _LOG_ENTRY.unpack_from(data, at)
        except struct.error as e:
            raise not_understood(f"its log ends within an entry, at byte {at}") from e
        if length < _LOG_ENTRY.size or at + length > len(data):
            raise not_understood(f"an entry of its log has {length} bytes of {len(data) - at}")
        found.append((when, kind, data[at + _LOG_ENTRY.size : at + length].decode("utf-8", "replace")))
        at += length
    return found


def packed_bytes(tensors: Iterable[object]) -> int:
    """Return how many bytes a buffer needs for results.

    Raises:
        SpecError: one is no array, or its elements, as texts, are none that a frame carries.
    """
    return sum(4 * (2 + x.ndim) + x.nbytes for x in map(_carried, tensors))


def pack_tensors(tensors: Iterable[object]) -> bytes:
    """Return arrays as a buffer holds them: type, rank, sizes, elements, one behind the other.

    Raises:
        SpecError: as of `packed_bytes`.
    """
    parts = []
    for x in map(_carried, tensors):
        elements = x.dtype.newbyteorder("<")
        parts.append(struct.pack(f"<II{x.ndim}I", _NUMBERS[elements], x.ndim, *x.shape))
        parts.append(np.ascontiguousarray(x, elements).tobytes())
    return b"".join(parts)


def _carried(x: object) -> Values:
    remedy = "use a model whose inputs and outputs are arrays of numbers or of booleans"
    if not isinstance(x, np.ndarray):
        text = f"a {type(x).__name__} is no array, and frames carry nothing else"
        raise SpecError(rule="serve-frame", file="", text=text, remedy=remedy)
    if x.dtype.newbyteorder("<") not in _NUMBERS or x.ndim > MOST_DIMENSIONS:
        text = f"no frame carries an array of {x.dtype} with {x.ndim} dimensions"
        raise SpecError(rule="serve-frame", file="", text=text, remedy=remedy)
    return x


def read_tensors(data: bytes, most: int) -> list[Values]:
    """Return the arrays of a buffer, `most` of them at most. They are views of `data`, which nobody can write.

    Raises:
        SpecError: there are more, it ends within one, or one has a type that there is not or no size that fits.
    """
    found: list[Values] = []
    at = 0
    while at < len(data):
        if (
            len(found) == most
        ):  # before anything is made of it: one of no elements takes 12 bytes, its array 100
            raise not_understood(f"more than {most} tensors are in {len(data):,} B")
        kind = int.from_bytes(data[at : at + 4], "little")
        rank = int.from_bytes(data[at + 4 : at + 8], "little")
        first = at + 8 + 4 * rank
        if len(data) < at + 8 or rank > MOST_DIMENSIONS or len(data) < first:
            raise not_understood(f"tensor {len(found)} at byte {at} of {len(data)} has {rank} dimensions")
        elements = ELEMENTS.get(kind)
        if elements is None:
            raise not_understood(f"tensor {len(found)} at byte {at} of {len(data)} has the type {kind}")
        shape = struct.unpack_from(f"<{rank}I", data, at + 8)
        end = first + elements.itemsize * math.prod(shape)
        if end > len(data) or elements.itemsize * math.prod(n or 1 for n in shape) > sys.maxsize:
            raise not_understood(
                f"tensor {len(found)} is {shape}, {end - first} B; {len(data) - first} B are there"
            )
        found.append(np.frombuffer(data, elements, math.prod(shape), first).reshape(shape))
        at = end
    return found


def not_understood(text: str) -> SpecError:
    """Return the error about what the other side sent."""
    remedy = "use the same release of aieloom on both sides (docs/serve.md has the format)"
    return SpecError(rule="serve-frame", file="", text=text, remedy=remedy)
