"""What can be read off commands: their tensors and weights, and what lies in device memory when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import cast

from aieloom.sequential import commands as c
from aieloom.units.types import Buffer, Turn

CONVERTED = "converted"  # a tensor in another shape or type


def weights_of(record: object) -> int:
    """Return the bytes of a command's weights, with what its output channels need beside them."""
    if isinstance(record, c.Span):
        return record.size
    parts = record if isinstance(record, tuple) else ()
    if is_dataclass(record):
        parts = tuple(getattr(record, f.name) for f in fields(record))
    return sum(map(weights_of, parts))


def operands(command: c.Command) -> tuple[tuple[c.Tensor, ...], c.Tensor | None]:
    """Return the tensors that a command reads, and the one that it makes; None of the network's output."""
    if isinstance(command, c.Input):
        return (), command.to
    if isinstance(command, c.Output):
        return (command.of,), None
    if isinstance(
        command, c.Call | c.Vector | c.Matmul | c.Heads | c.Row | c.Columns | c.Spatial | c.Recurrence
    ):
        return _read(command), command.y
    other = (command.other,) if isinstance(command, c.Product) and command.sum else ()
    conv = command.conv if isinstance(command, c.Product) else command
    return (conv.x, *other), conv.y


def _read(
    command: c.Call | c.Vector | c.Matmul | c.Heads | c.Row | c.Columns | c.Spatial | c.Recurrence,
) -> tuple[c.Tensor, ...]:
    if isinstance(command, c.Call):
        return command.inputs
    if isinstance(command, c.Vector):
        return command.a, command.b
    if isinstance(command, c.Row):
        return (command.x, command.mask) if command.masked else (command.x,)
    return (command.x, command.w) if isinstance(command, c.Matmul | c.Heads) else (command.x,)


def tensors_of(turns: Sequence[Turn], batch: int) -> tuple[Buffer, ...]:
    """Return every tensor in device memory, in the order in which they are made; lives are from command to command."""
    made: list[tuple[str, c.Tensor, int]] = []
    last: list[int] = []
    at: dict[int, int] = {}  # the number of the tensor that lies at an offset
    brought: list[Buffer] = []
    told = [(turn, cast(c.Command, turn.record)) for turn in turns if turn.record is not None]
    for i, (turn, command) in enumerate(told):
        if isinstance(command, c.Input):
            size, end = batch * command.to.image_bytes, len(told) - 1
            at[command.to.offset] = -1
            for name, offset in (("input", command.to.offset), ("next input", command.again)):
                brought.append(Buffer(name=name, where="device", offset=offset, bytes=size, life=(0, end)))
            continue
        read, y = operands(command)
        for x in read:
            # a part of what is brought begins where nothing does
            number = -1 if x.local else at.get(x.offset, -1)
            if number >= 0:
                last[number] = i
        if y is not None and not y.local:
            at[y.offset] = len(made)
            made.append((turn.op if isinstance(command, c.Columns) else turn.name or CONVERTED, y, i))
            last.append(i)
    return tuple(brought) + tuple(
        Buffer(name=name, where="device", offset=y.offset, bytes=batch * y.image_bytes, life=(first, end))
        for (name, y, first), end in zip(made, last, strict=True)
    )
