"""The commands of a network's steps: which engine executes each, on which tensors, with which weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from math import prod
from typing import Any, cast

from aieloom.errors import CannotFit
from aieloom.layout.channel_words import LANES, words_of
from aieloom.network.tensor import TensorType
from aieloom.ops.graph_input import Part
from aieloom.sequential import array as on_aie
from aieloom.sequential import commands as c
from aieloom.sequential.array import ArrayEngine
from aieloom.sequential.array_cost import split_for
from aieloom.sequential.engine import CHANNEL_BYTES, ConvEngine
from aieloom.sequential.heads_cost import columns_type
from aieloom.sequential.memory import Lifetime, allocated
from aieloom.sequential.recurrent import RecurrentStep
from aieloom.sequential.row_unit import HEADER_BYTES, RowStep
from aieloom.sequential.spatial import SpatialStep
from aieloom.sequential.steps import ConvStep, HeadProduct, Mode, Step, ViewStep
from aieloom.sequential.vector import VectorForm, float_bits
from aieloom.sequential.weights import tiles_of, weight_bytes
from aieloom.spec.network import INPUT, NetworkSpec
from aieloom.spec.types import DataType
from aieloom.units.types import PROCESSOR, Turn
from aieloom.words import plural

COLUMNS = "columns"  # of the second operand of a product of two activations
BIAS_BYTES = 4  # of a channel of floats beside its weights on the vector unit
TYPES = {DataType.INT8: c.INT8, DataType.FLOAT32: c.FLOAT32, DataType.BFLOAT16: c.BFLOAT16}


def placed(made: Builder, places: Mapping[str, int]) -> tuple[Turn, ...]:
    """Return the turns of a list that is built, whose tensors have their offsets in memory."""
    return tuple(
        replace(t, record=at_places(cast(c.Command, t.record), places, made.names)) for t in made.turns
    )


def at_places(command: c.Command, places: Mapping[str, int], names: Mapping[int, str]) -> c.Command:
    """Return a command whose tensors have their offsets in memory; until then a tensor's offset is its number."""

    def at(value: Any) -> Any:
        if isinstance(value, c.Tensor) and value.local:
            return value  # its place in the rows' stores
        if isinstance(value, c.Tensor):
            return replace(value, offset=places[names[value.offset]])
        if isinstance(value, c.Conv):
            return at_places(value, places, names)
        return tuple(map(at, value)) if isinstance(value, tuple) else value

    if isinstance(command, c.Input):
        return replace(command, to=at(command.to), again=places[names[command.again]])
    return replace(command, **{f.name: at(getattr(command, f.name)) for f in fields(command)})


def within_reach(made: Builder, batch: int, spec: NetworkSpec) -> tuple[dict[str, int], int]:
    """Return where the tensors of `batch` images lie, and the bytes of all, of a list that is built.

    Raises:
        CannotFit: a list of commands has no such offsets or sizes.
    """
    tensors = made.lifetimes(batch)
    places, memory = allocated(tensors)
    text = ""
    if memory > c.MOST_BYTES:
        most = max(tensors, key=lambda t: t.bytes)
        of = plural(batch, "image")
        text = f"tensors of {of} take {memory:,} bytes of device memory, '{_shown(most.name)}' {most.bytes:,}; {c.MOST_BYTES:,}"
    for t in tensors_of([turn.record for turn in made.turns]):
        if max(t.channels, t.height, t.width) > c.MOST_SIDE and not text:
            size = f"{t.channels:,} x {t.height:,} x {t.width:,}"
            text = f"'{_shown(made.names[t.offset])}' is {size} in device memory; {c.MOST_SIDE:,} a side"
    if text:
        remedy = "give the layers that make it smaller inputs, or fewer rows or channels"
        raise CannotFit(
            spec.source.problem(
                "sequential-1", ("execution",), f"{text} are the most that commands name", remedy
            )
        )
    return places, memory


def _shown(name: str) -> str:
    """Return a tensor's name without the number that makes it unique."""
    return name.partition(" ")[2]


def tensors_of(value: Any) -> Iterator[c.Tensor]:
    """Yield the tensors in device memory that commands name."""
    if isinstance(value, c.Tensor):
        yield from () if value.local else (value,)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from tensors_of(part)
    elif is_dataclass(value):
        yield from tensors_of(tuple(getattr(value, f.name) for f in fields(value)))


class Builder:
    """Writes the commands of steps, with numbers in place of the tensors' offsets."""

    def __init__(
        self,
        steps: tuple[Step, ...],
        engine: ConvEngine,
        *,
        forms: Mapping[str, VectorForm],
        shapes: Mapping[tuple[str, str], tuple[int, ...]],
        array: ArrayEngine | None,
        images: int = 1,
    ) -> None:
        self.steps, self.engine, self.forms, self.shapes = steps, engine, forms, shapes
        self.array, self.images = array, images
        self.turns: list[Turn] = []  # commands; who executes them, and how long, is added later
        self.names: dict[int, str] = {}
        self.sizes: dict[str, int] = {}
        self.lives: dict[str, tuple[int, int]] = {}
        self.made: dict[str, tuple[TensorType, c.Tensor]] = {}
        self.variants: dict[tuple[str, int, tuple[int, ...]], c.Tensor] = {}
        self.brought: list[str] = []
        self.begins = {INPUT: 0}  # of what images are made of: values before it
        self.weights_bytes = 0
        self.calls = 0  # functions on the processor so far

    def tell(self, command: c.Command, step: Step | None = None, *, name: str = "", op: str = "") -> None:
        """Write a command: what computes a step, or something else of that name."""
        if step:
            name, op = step.layer, op or step.op
        tasks = (name,) if step and op == step.op else ()
        self.turns.append(Turn(units=(), record=command, tasks=tasks, name=name, op=op))

    def tell_output(self, y: c.Tensor) -> None:
        """Write the network's output; the next batch's images are laid out while this one is computed."""
        self.tell(c.Output(y), name="output", op="network's output")
        self.used(y)
        for name in self.brought:
            self.lives[name] = (0, len(self.turns) - 1)

    def tell_input(self, to: c.Tensor, again: int, fold: tuple[int, int], begin: int = 0) -> None:
        """Write that images are brought, those of every other batch to the tensor number `again`."""
        self.tell(c.Input(to, again, fold, begin), name="input", op="network's input")
        self.brought += [self.names[to.offset], self.names[again]]

    def build(self) -> None:
        """Write the commands of all steps, and the network's output."""
        written: Mapping[str, Callable[..., None]] = {ViewStep.unit: self._seen}
        for step in self.steps:
            written.get(step.unit, self._computed)(step)
        self.tell_output(self.made[self.steps[-1].gives][1])

    def _computed(self, step: Step) -> None:
        """Write a step's command, behind what lays out its operands."""
        in_logic = step.unit != PROCESSOR or step.layer in self.forms
        given = tuple(
            self.given(name, wanted, shaped=in_logic, fold=step.fold)
            for name, wanted in zip(step.inputs, (step.x, *step.others), strict=True)
        )
        y, product = self.new(step.gives, step.y), step.product
        if product and product.heads:
            w = self._columns(product, product.heads, given[1])
            self.used(given[1], w)
            given = (given[0], w)
        self.tell(self._command(step, given, y), step)
        self.used(*given, y)
        self.made[step.gives] = (step.y, y)

    def _command(self, step: Step, given: tuple[c.Tensor, ...], y: c.Tensor) -> c.Command:
        """Return a step's command."""
        if step.layer in self.forms:
            return self._vector(step, given, y)
        commands: Mapping[str, Callable[..., c.Command]] = {
            ConvStep.unit: self._product,
            PROCESSOR: self._call,
            RecurrentStep.unit: self._recurrence,
            RowStep.unit: self._row,
            SpatialStep.unit: lambda _, given, y: c.Spatial(x=given[0], y=y, part=0),
        }
        return commands[step.unit](step, given, y)

    def _product(
        self, step: ConvStep, given: tuple[c.Tensor, ...], y: c.Tensor
    ) -> c.Heads | c.Matmul | c.Conv | c.Product:
        if step.heads:
            return self._heads(step, step.heads, given, y)
        return self._matmul(step, given, y) if step.sets else self._multiplied(step, given, y)

    def _seen(self, step: ViewStep) -> None:
        """Give a tensor another shape, where it lies; of an input note where in an image it begins."""
        if step.called:
            self.begins[step.layer] = step.called.read(Part).offset
            return
        have, tensor = self.made[step.inputs[0]]
        channels, height, width = step.y.shape
        self.made[step.layer] = (
            replace(step.y, dtype=have.dtype),
            replace(tensor, channels=channels, height=height, width=width),
        )

    def lifetimes(self, batch: int) -> list[Lifetime]:
        """Return how long each tensor is needed."""
        return [
            Lifetime(name=name, bytes=batch * self.sizes[name], first=first, last=last)
            for name, (first, last) in self.lives.items()
        ]

    def new(self, name: str, kind: TensorType) -> c.Tensor:
        """Return another tensor, whose offset is its number."""
        number = len(self.names)
        quant = kind.quant
        tensor = c.Tensor(
            offset=number,
            type=TYPES[kind.dtype],
            channels=kind.shape[0],
            height=kind.shape[1],
            width=kind.shape[2],
            scale=quant.scale if quant else 1.0,
            zero=quant.zero_point if quant else 0,
        )
        self.names[number] = f"{number} {name}"
        self.sizes[self.names[number]] = tensor.image_bytes
        return tensor

    def used(self, *tensors: c.Tensor) -> None:
        """Note that the last command makes or reads tensors."""
        at = len(self.turns) - 1
        for tensor in tensors:
            name = self.names[tensor.offset]
            self.lives[name] = (self.lives.get(name, (at, at))[0], at)

    def given(
        self, name: str, wanted: TensorType, *, shaped: bool, fold: tuple[int, int] = (1, 1)
    ) -> c.Tensor:
        """Return the tensor that a step reads: as it was made, or brought or converted for it; `shaped` in that very shape."""
        kind = TYPES[wanted.dtype]
        if name in self.made:
            have, tensor = self.made[name]
            if have.dtype is wanted.dtype and (have.shape == wanted.shape or not shaped):
                return tensor
            if wanted.quant is None and have.quant is not None:
                wanted = replace(wanted, quant=None)
        key = (name, kind, wanted.shape)
        if key in self.variants:
            return self.variants[key]
        made = self.new(f"{name} as {wanted}", wanted)
        if name in self.begins:
            twin = self.new(f"{name} as {wanted}, of every other batch", wanted)
            self.tell_input(made, twin.offset, fold, self.begins[name])
        else:
            self.tell(c.Convert(self.made[name][1], made))
            self.used(self.made[name][1], made)
        self.variants[key] = made
        return made

    def span(self, size: int) -> c.Span:
        """Return the next part of the weights."""
        begin = self.weights_bytes
        self.weights_bytes += -(-size // c.ALIGNMENT) * c.ALIGNMENT
        return c.Span(begin, size)

    def _matmul(self, step: ConvStep, given: tuple[c.Tensor, ...], y: c.Tensor) -> c.Matmul:
        requant = step.requant
        low, high = _bounds(step)
        return c.Matmul(
            x=given[0],
            w=given[1],
            y=y,
            channels=self.span(tiles_of(step, self.engine) * self.engine.out * CHANNEL_BYTES),
            sets=step.sets,
            shift=requant.shift if requant else 0,
            low=low,
            high=high,
        )

    def _columns(self, step: ConvStep, heads: HeadProduct, other: c.Tensor) -> c.Tensor:
        """Lay the second operand out as the engine reads weights, and return it."""
        w = self.new(f"{step.layer} columns", columns_type(step, self.engine, self.array))
        columns = c.Columns(
            x=other,
            y=w,
            table=self.span(HEADER_BYTES),
            heads=heads.heads,
            first=heads.other_first // LANES,
            words=heads.other_width // LANES,
            transposed=heads.transposed,
            zero=heads.zero,
        )
        self.tell(columns, step, op=COLUMNS)
        return w

    def _heads(self, step: ConvStep, heads: HeadProduct, given: tuple[c.Tensor, ...], y: c.Tensor) -> c.Heads:
        requant = step.requant
        low, high = _bounds(step)
        # The engine in the logic takes all rows, and words of K one after another.
        split = split_for(step, self.array, 1) if self.array else None
        return c.Heads(
            x=given[0],
            w=given[1],
            y=y,
            heads=heads.heads,
            first=heads.first // LANES,
            words=heads.width // LANES,
            passes=split.passes if split else heads.width // LANES,
            rows=split.rows if split else step.y.shape[1],
            together=split.together if split else 1,
            zero=heads.zero_y,
            shift=requant.shift if requant else 0,
            low=low,
            high=high,
        )

    def _recurrence(self, step: RecurrentStep, given: tuple[c.Tensor, ...], y: c.Tensor) -> c.Recurrence:
        return c.Recurrence(
            x=given[0],
            y=y,
            weights=self.span(step.trained_bytes),
            cell=int(step.cell),
            hidden=step.hidden,
            reverse=step.reverse,
        )

    def _row(self, step: RowStep, given: tuple[c.Tensor, ...], y: c.Tensor) -> c.Row:
        form = step.form
        return c.Row(
            x=given[0],
            mask=given[-1],
            y=y,
            table=self.span(step.table_bytes),
            operation=int(form.operation),
            groups=form.groups,
            words=form.words,
            valid=form.valid,
            each=form.each,
            masked=form.masked,
            zeros=form.zeros,
        )

    def _multiplied(self, step: ConvStep, given: tuple[c.Tensor, ...], y: c.Tensor) -> c.Conv | c.Product:
        array, x = self.array, given[0]
        if not array or not on_aie.on_array(step):
            sizes = weight_bytes(step, self.engine), tiles_of(step, self.engine) * self.engine.out
            return self._conv(step, x, y, sizes)
        split = split_for(step, array, self.images)
        channels = step.engine_groups * split.tiles * array.tile_channels
        conv = self._conv(step, x, y, (on_aie.weight_bytes(step, array), channels))
        return self._with_sum(step, conv, given, rows=split.rows, together=split.together)

    @staticmethod
    def _with_sum(
        step: ConvStep, conv: c.Conv, given: tuple[c.Tensor, ...], *, rows: int, together: int
    ) -> c.Product:
        """Return a product on the array, with the addition behind it where there is one."""
        product = c.Product(
            conv=conv,
            rows=rows,
            together=together,
            sum=0,
            zero=step.made.quant.zero_point if step.made.quant else 0,
            other=conv.y,
        )
        if step.sum is None:
            return product
        form = step.sum.form
        return replace(
            product,
            sum=1 if step.sum.first else 2,
            other=given[1],
            zeros=form.zeros,
            shifts=form.shifts,
            multiplier=form.multipliers[2],
            multipliers=form.multipliers[:2],
            low=form.low,
            high=form.high,
        )

    def _conv(self, step: ConvStep, x: c.Tensor, y: c.Tensor, sizes: tuple[int, int]) -> c.Conv:
        window, requant = step.window, step.requant
        weights, channels = sizes
        low, high = _bounds(step)
        return c.Conv(
            x=x,
            y=y,
            weights=self.span(weights),
            channels=self.span(channels * CHANNEL_BYTES),
            kernel=window.kernel,
            stride=window.stride,
            padding=window.padding,
            groups=step.engine_groups,
            depthwise=step.mode is Mode.DEPTHWISE,
            shift=requant.shift if requant else 0,
            low=low,
            high=high,
        )

    def _vector(self, step: Step, given: tuple[c.Tensor, ...], y: c.Tensor) -> c.Vector:
        form = self.forms[step.layer]
        wide = words_of(step.y.shape[0]) * LANES
        each = CHANNEL_BYTES if step.x.quant else BIAS_BYTES
        size = wide * (each + form.taps * step.x.dtype.bytes) if step.product else len(form.table)
        return c.Vector(
            a=given[0],
            b=given[-1],
            y=y,
            table=self.span(size),
            operation=int(form.operation),
            kernel=form.kernel,
            stride=form.stride,
            padding=form.padding,
            counts_padding=form.counts_padding,
            zeros=form.zeros,
            multiplier=form.multipliers[2],
            multipliers=form.multipliers[:2],
            shifts=form.shifts,
            low=form.low,
            high=form.high,
        )

    def _call(self, step: Step, given: tuple[c.Tensor, ...], y: c.Tensor) -> c.Call | c.Convert:
        if not step.called:  # another layer's results become elements
            return c.Convert(given[0], y)
        number, self.calls = self.calls, self.calls + 1
        return c.Call(
            function=number,
            name=step.layer,
            inputs=given,
            weights=tuple(self.span(4 * prod(self.shapes[step.layer, name])) for name in step.called.weights),
            y=y,
        )


def _bounds(step: ConvStep) -> tuple[int, int]:
    """Return the bounds of a product's elements; of floats their bits."""
    if step.requant:
        return step.requant.low, step.requant.high
    return float_bits(step.low), float_bits(step.high)
