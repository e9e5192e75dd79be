"""What operators on programmable logic have in common: their mapping, their step in a kernel, plain functions of a value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, Literal, TypeVar

import numpy as np
from pydantic import Field, model_validator

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.operator import POINT
from aieloom.ops.registry import Operator
from aieloom.pl.steps import ELEMENTWISE, JOIN, REORDER, WINDOW, Lines, Passes, PlStep
from aieloom.spec.network import LayerSpec, MappingSpec, NetworkSpec, check_engine
from aieloom.spec.types import DataType, MHz, Positive

SpecT = TypeVar("SpecT", bound=LayerSpec)
UNIT = 2.0**-24  # half a unit in the last place of a float32 between 1 and 2
TINY = 2.0**-149  # the smallest float32: what rounding adds near zero

_SUFFIX = {ELEMENTWISE: "value", REORDER: "source", WINDOW: "window", JOIN: "join"}


class PlMapping(MappingSpec):
    """How a layer is put on programmable logic."""

    engine: Literal["pl", "ps"] = Field(
        default="pl", description="where the layer runs: programmable logic, or the processor"
    )
    clock_mhz: MHz | None = Field(default=None, description="clock of its PL kernel")
    strategy: Literal["frame", "streaming"] = Field(
        default="frame",
        description="of its PL kernel: a frame buffer between one reader and one writer, or several readers and a "
        "line buffer for every stream that leaves; where nothing is said, frame, but for a softmax of one pixel to memory",
    )
    readers: Positive | None = Field(
        default=None, description="of a streaming kernel: processes that read, each a share of the channels"
    )

    @model_validator(mode="after")
    def _check_engine(self) -> PlMapping:
        check_engine(self)
        return self


def pl_step(
    spec: NetworkSpec,
    at: Layer,
    *,
    kind: str,
    template: str,
    detail: object,
    why: tuple[str, ...],
    clock_mhz: float | None,
    dsp: int = 0,
    lut: int = 100,
) -> PlStep:
    """Return the step of layer `at`; its C++ function is called after the layer and what the kind gives."""
    return PlStep(
        layer=at.name,
        layer_index=at.index,
        op=at.op,
        at=spec.at_mapping(at.name),
        kind=kind,
        function=f"{at.name}_{_SUFFIX[kind]}",
        template=template,
        detail=detail,
        x=at.x,
        y=at.y,
        bram36=0,
        dsp=dsp,
        lut=lut,
        clock_mhz=clock_mhz,
        why=why,
    )


@dataclass(frozen=True, slots=True)
class Form:
    """What a layer's template prints, in words what that does, and what it takes; by default one operation for each value."""

    detail: object
    why: str
    operations: int = 0  # of the processor
    template: str = ""  # where it is not the operator's
    dsp: int = 0
    lut: int = 100
    cycles: int = 0
    bram36: int = 0
    lines: Lines | None = None
    passes: Passes | None = None
    beats: str = (
        ""  # of a join of one place's values: a type of the library, or the template of `<function>_of`
    )


def template_of(operator: Operator[Any, Any], folder: str, suffix: str) -> str:
    """Return the template of an operator's name: of aieloom's own in `folder`, of others beside their module."""
    own = type(operator).__module__.startswith(f"{__package__}.")
    return f"{folder}{operator.name}{suffix}" if own else f"{operator.name}.h.j2"


class OnLogic(Operator[SpecT, PlMapping], Generic[SpecT]):
    """Base of operators on programmable logic, windows where they say nothing else.

    What they do is `template`: a type of the PL library, such as functions/Relu; of operators that are no part of aieloom the
    template of their name beside their module.
    """

    kind: ClassVar[str] = WINDOW
    template: ClassVar[str] = ""

    def form(self, spec: SpecT, at: Layer) -> Form:
        """Return what the layer does."""
        raise NotImplementedError

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the layer's step in a kernel."""
        own: Any = at.spec
        return self.step(spec, at, mapping, self.form(own, at))

    def step(self, spec: NetworkSpec, at: Layer, mapping: PlMapping, form: Form) -> PlStep:
        """Return the step that does what `form` says."""
        made = pl_step(
            spec,
            at,
            kind=self.kind,
            template=form.template or self.template or template_of(self, "", ".h.j2"),
            detail=form.detail,
            dsp=form.dsp,
            lut=form.lut,
            clock_mhz=mapping.clock_mhz,
            why=(form.why,),
        )
        more = ("cycles", "bram36", "lines", "passes", "beats")
        return replace(made, **{name: getattr(form, name) for name in more})


class Elementwise(OnLogic[SpecT], Generic[SpecT]):
    """Base of functions of one value that move no further than `slope` times their argument."""

    kind = ELEMENTWISE
    any_shape = True
    sees = POINT
    dsp: ClassVar[int] = 0
    lut: ClassVar[int] = 100
    says: ClassVar[str] = ""  # what the function does, for the plan's reasons

    def printed(self, spec: SpecT) -> object:
        """Return what the template prints beside the names; nothing by default."""
        return None

    def words(self, spec: SpecT) -> str:
        """Return what the function does, where that depends on its keys."""
        return self.says

    def form(self, spec: SpecT, at: Layer) -> Form:
        """Return the function."""
        return Form(self.printed(spec), f"{self.name}: {self.words(spec)}", dsp=self.dsp, lut=self.lut)

    def slope(self, plan: PlStep) -> float:
        """Return how far the result moves at most when the argument moves by one."""
        return 1.0

    def spread(self, plan: PlStep, params: Parameters, deviation: Values) -> Values:
        """Return how far the results move when the arguments move by `deviation`."""
        return deviation * self.slope(plan)

    def rounding(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return zeros: comparing and choosing rounds nothing."""
        return np.zeros(x.shape)


def places(fold: str, *, before: tuple[int, int] = (0, 0), up: tuple[int, int] = (1, 1)) -> Lines:
    """Return what a layer sees of lines whose results show a place each, `up` times, from `before` on outside the image."""
    return Lines(kernel=(1, 1), stride=(1, 1), before=before, up=up, fold=fold, cycles=1, dsp=0, lut=20)


class Reorder(OnLogic[SpecT], Generic[SpecT]):
    """Base of operators that only move values; `hardware` of the operator says where."""

    kind = REORDER
    keeps_quantisation = True  # elements mean the same wherever they are
    only_moves = True  # each result is one of the values that it sees

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the moved values; `x` is `(batch, channels, height, width)`."""
        raise NotImplementedError

    def spread(self, plan: PlStep, params: Parameters, deviation: Values) -> Values:
        """Return the deviations, each where its value goes."""
        return self.hardware(plan, params, deviation)

    def rounding(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return zeros: moving values rounds nothing."""
        return np.zeros(self.hardware(plan, params, x).shape)


def no_form(op: str, dtype: DataType) -> str:
    """Return why the processor has elements of a type: programmable logic has no form for them."""
    return f"op {op} has no form for {dtype.value} on programmable logic"
