"""What can be read off the command list of a design: commands of layers, tensors in device memory."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.sequential import commands as c
from aieloom.sequential.plan import SequentialPlan
from aieloom.units.types import Buffer

LayerCommand = c.Conv | c.Call | c.Vector | c.Product | c.Matmul | c.Heads | c.Row | c.Spatial | c.Recurrence


def layer_commands(plan: SequentialPlan) -> Iterator[tuple[str, int, LayerCommand]]:
    """Yield every layer's name, the number of its command, and the command."""
    found = [(i, command) for i, command in enumerate(plan.commands) if isinstance(command, LayerCommand)]
    for step, (i, command) in zip(plan.placed, found, strict=True):
        yield step.layer, i, command


def weights_of(command: LayerCommand) -> int:
    """Return the bytes of a command's weights, with what its output channels need beside them."""
    if isinstance(command, c.Product):
        return weights_of(command.conv)
    if isinstance(command, c.Conv):
        return command.weights.size + command.channels.size
    if isinstance(command, c.Matmul):
        return command.channels.size
    if isinstance(command, c.Vector | c.Row):
        return command.table.size
    if isinstance(command, c.Heads | c.Spatial):
        return 0
    spans = (command.weights,) if isinstance(command, c.Recurrence) else command.weights
    return sum(span.size for span in spans)


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


def tensors_of(plan: SequentialPlan) -> tuple[Buffer, ...]:
    """Return every tensor in device memory, in the order in which they are made; lives are from command to command."""
    names = {i: name for name, i, _ in layer_commands(plan)}
    made: list[tuple[str, c.Tensor, int]] = []
    last: list[int] = []
    at: dict[int, int] = {}  # the number of the tensor that lies at an offset
    brought: list[Buffer] = []
    for i, command in enumerate(plan.commands):
        if isinstance(command, c.Input):
            size, end = plan.batch * command.to.image_bytes, len(plan.commands) - 1
            at[command.to.offset] = -1
            for name, offset in (("input", command.to.offset), ("next input", command.again)):
                brought.append(Buffer(name=name, where="device", offset=offset, bytes=size, life=(0, end)))
            continue
        read, y = operands(command)
        for x in read:
            number = (
                -1 if x.local else at.get(x.offset, -1)
            )  # a part of what is brought begins where nothing does
            if number >= 0:
                last[number] = i
        if y is not None and not y.local:
            at[y.offset] = len(made)
            made.append((names.get(i, "columns" if isinstance(command, c.Columns) else "converted"), y, i))
            last.append(i)
    return tuple(brought) + tuple(
        Buffer(
            name=name,
            where="device",
            offset=y.offset,
            bytes=plan.batch * y.image_bytes,
            life=(first, end),
        )
        for (name, y, first), end in zip(made, last, strict=True)
    )
