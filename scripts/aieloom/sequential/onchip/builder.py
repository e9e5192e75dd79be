"""The commands of a network whose tensors stay in the rows' stores: an image is brought, computed, and its result given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from aieloom.network.tensor import TensorType
from aieloom.sequential import array as on_aie
from aieloom.sequential import commands as c
from aieloom.sequential.builder import Builder
from aieloom.sequential.engine import ConvEngine
from aieloom.sequential.onchip.cost import BRINGS, COPY, GIVES, row_split
from aieloom.sequential.onchip.engine import RowEngine
from aieloom.sequential.onchip.split import flat_size, window_rows, window_view
from aieloom.sequential.onchip.store import brings_rows, store_places
from aieloom.sequential.steps import ConvStep, Step
from aieloom.sequential.vector import VectorForm
from aieloom.spec.network import INPUT


class RowBuilder(Builder):
    """Writes the commands of steps whose tensors have places in the rows' stores."""

    def __init__(
        self,
        steps: tuple[Step, ...],
        engine: ConvEngine,
        *,
        forms: Mapping[str, VectorForm],
        shapes: Mapping[tuple[str, str], tuple[int, ...]],
        rows: RowEngine,
        count: int,
    ) -> None:
        super().__init__(steps, engine, forms=forms, shapes=shapes, array=rows)
        self.rows, self.stay, self.behind = rows, steps[:count], steps[count:]
        self.places, self.store_bytes = store_places(self.stay, forms, rows.whole)

    def build(self) -> None:
        """Write the commands of all steps: what is brought, computed by rows, given, and computed behind them."""
        for name, kind, fold in self.outside():
            by_rows = name == INPUT and brings_rows(kind, fold)
            there = self.image_rows(kind, fold) if by_rows else self.given(name, kind, shaped=True, fold=fold)
            bring = c.Bring(there, self.local(name, kind), fold if by_rows else (0, 0))
            self.tell(bring, name=BRINGS, op=COPY)
            self.used(there)
        for step in self.stay:
            types = (step.x, *step.others)
            given = tuple(self.local(n, t) for n, t in zip(step.inputs, types, strict=True))
            y = self.local(step.gives, step.y)
            if step.layer in self.forms:
                self.tell(self._fold(step, given, y), step)
            else:
                assert step.product
                self.tell(self._row_product(step.product, given, y), step)
        last = self.stay[-1]
        y = self.new(last.gives, last.y)
        self.tell(c.Give(self.local(last.gives, last.y), y), name=GIVES, op=COPY)
        self.used(y)
        self.made[last.gives] = (last.y, y)
        for step in self.behind:
            types = (step.x, *step.others)
            given = tuple(self.given(n, t, shaped=False) for n, t in zip(step.inputs, types, strict=True))
            y = self.new(step.gives, step.y)
            self.tell(self._call(step, given, y), step)
            self.used(*given, y)
            self.made[step.gives] = (step.y, y)
        self.tell_output(y)

    def outside(self) -> list[tuple[str, TensorType, tuple[int, int]]]:
        """Return the tensors that are brought, as they are wanted: the network's input, or what others made."""
        made = {s.gives for s in self.stay}
        found: dict[str, tuple[str, TensorType, tuple[int, int]]] = {}
        for step in self.stay:
            for name, kind in zip(step.inputs, (step.x, *step.others), strict=True):
                if name == INPUT or name not in made:
                    found.setdefault(name, (name, kind, step.fold if name == INPUT else (1, 1)))
        return list(found.values())

    def image_rows(self, kind: TensorType, fold: tuple[int, int]) -> c.Tensor:
        """Return the tensor in which an image's rows lie one after another, channel after channel."""
        channels, height, width = kind.shape
        rows, columns = fold
        shape = (width * columns, channels // (rows * columns) * height * rows, 1)
        made, twin = (
            self.new(name, replace(kind, shape=shape)) for name in ("rows", "rows of every other batch")
        )
        self.tell_input(made, twin.offset, (0, 0))
        return made

    def local(self, name: str, kind: TensorType) -> c.Tensor:
        """Return a tensor in the rows' stores."""
        tensor = self.new(name, kind)
        number = tensor.offset
        del self.sizes[self.names.pop(number)]
        return replace(tensor, offset=self.places[name], local=True)

    def _fold(self, step: Step, given: tuple[c.Tensor, ...], y: c.Tensor) -> c.Vector:
        form = self.forms[step.layer]
        view = window_view(step, form, self.rows.line_words)
        rows = window_rows(view, self.rows.line_words)
        return replace(self._vector(step, given, y), rows=rows, groups=view.groups)

    def _row_product(self, step: ConvStep, given: tuple[c.Tensor, ...], y: c.Tensor) -> c.Product:
        split, flat = row_split(step, self.rows), flat_size(step, self.rows.line_words)
        if flat:
            given = tuple(replace(t, height=flat[0], width=flat[1]) for t in given)
            y = replace(y, height=flat[0], width=flat[1])
        channels = step.engine_groups * split.tiles * self.rows.tile_channels
        conv = self._conv(step, given[0], y, (on_aie.weight_bytes(step, self.rows), channels))
        return self._with_sum(step, conv, given, rows=split.rows, together=split.together)
