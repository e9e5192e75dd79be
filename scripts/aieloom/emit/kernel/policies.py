"""What a kernel's layers do with values, places and windows, as the types that the PL library takes.

Most are types of the library itself, with a struct of the layer's numbers where they ask for any; an operator that is no part
of aieloom brings a template, whose function a type calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from aieloom.cpp_text import View, trait_lines
from aieloom.emit.kernel.ends import image
from aieloom.emit.layer_types import LayerType, header_of, layer_type, table_type
from aieloom.emit.steps import step_view
from aieloom.pl.lines.streamable import joins_channels
from aieloom.pl.steps import JOIN, WINDOW, PlStep
from aieloom.plan.processor import Function

PLAIN = "Unchanged"  # the library's type that leaves a value as it is
IN_PLACE = "InPlace"  # and a place
SPACE = "layers"  # the namespace of layers' traits and functions: a layer may be called as anything of the library


@dataclass(slots=True)
class Policies:
    """Structs and printed functions of a kernel's layers in the order in which they are asked for; headers of the library."""

    space: str = f"{SPACE}::"
    in_logic: bool = True  # tables lie in its memories
    printed: list[View] = field(default_factory=list)
    headers: set[str] = field(default_factory=set)

    def values(self, steps: Sequence[Function], kind: str) -> str:
        """Return the type that does `steps` to a value of type `kind`."""
        return _all("Chain", [self._value(s, kind) for s in steps], PLAIN)

    def places(self, steps: Sequence[Function]) -> str:
        """Return the type that makes the place of a result the one before `steps`, which move values."""
        return _all("Through", [self._place(s) for s in reversed(steps)], IN_PLACE)

    def pair(self, step: PlStep, kind: str) -> str:
        """Return the type of what a join does with the values of a place."""
        if not step.beats.endswith(".j2"):
            return self._type(step, step.beats, step.function)
        body = f"static {kind} of({kind} a, {kind} b) {{ return {step.function}_of(a, b); }}"
        return self._printed(step, step.beats, body)

    def each(self, step: PlStep) -> list[str]:
        """Return the types of what a join does with the values of each input."""
        from aieloom.ops.concat import Parts  # noqa: PLC0415 - few kernels join channels

        found = []
        for part in step.read(Parts).parts:
            made = [
                table_type(
                    table,
                    f"{step.function}{part.index}",
                    f"Input {part.index} of {step.layer} at its result's scale",
                    self.space,
                )
                for table in part.scaling
            ]
            found += [self._take(t) for t in made] or [PLAIN]
        return found

    def fold(self, step: PlStep) -> str:
        """Return the type that folds a layer's windows, or that says what its passes do with values."""
        template = step.passes.values if step.passes else step.lines.fold if step.lines else ""
        if not template.endswith(".j2"):
            return self._type(step, template, step.function)
        self._add(View(step=step_view(step), template=template))
        return f"{self.space}{step.layer}_fold"

    def process(self, step: PlStep, seen: str, kind: str) -> str:
        """Return the process of a window, which reads a map as `seen` says, or of a join; elements are of a `kind`."""
        name, traits = header_of(step.template)[1], f"{step.layer}_sizes"
        self.headers.add(header_of(step.template)[0])
        if joins_channels(step) and step.kind == JOIN:
            return f"{name}<{', '.join(self.each(step))}>"
        policy = [self.pair(step, kind)] if step.kind == JOIN else []
        policy += [self.fold(step)] if step.passes or step.lines else []
        lines = trait_lines(image(step.x.shape) | _TRAITS[name](step))
        if name == "prelu_map":
            self.print(step, "kernel/slopes.j2")
            lines.append(f"static float at(int channel) {{ return {step.function}_slopes[channel]; }}")
        self.lines(
            f"/// What {step.layer} reads.", f"struct {traits} {{", *(f"  {line}" for line in lines), "};"
        )
        reads = [seen] if step.kind == WINDOW else []
        return f"{name}<{', '.join([f'{self.space}{traits}', *policy, *reads])}>"

    def print(self, step: PlStep, template: str, **more: object) -> None:
        """Have a template printed: of an operator that is no part of aieloom, or of trained numbers."""
        self._add(View(step=step_view(step, **more), template=template))

    def lines(self, *lines: str) -> None:
        """Have lines printed."""
        self._add(View(lines=lines, template=""))

    def _value(self, step: Function, kind: str) -> str:
        if not step.template.endswith(".j2"):
            return self._type(step, step.template, step.function)
        body = f"static {kind} of({kind} value) {{ return {step.function}(value); }}"
        return self._printed(step, step.template, body)

    def _place(self, step: Function) -> str:
        if not step.template.endswith(".j2"):
            return self._type(step, step.template, step.function)
        body = f"static void from(int& channel, int& y, int& x) {{ {step.function}(channel, y, x); }}"
        return self._printed(step, step.template, body)

    def _printed(self, step: Function, template: str, body: str) -> str:
        """Return the type that calls a printed function."""
        self._add(View(step=step_view(step), template=template))
        self.lines(f"struct {step.function}_type {{", f"  {body}", "};")
        return f"{self.space}{step.function}_type"

    def _type(self, step: Function, template: str, struct: str) -> str:
        memory = ("bram" if step.bram36 else "lutram") if self.in_logic else ""
        made = layer_type(step, template, struct, space=self.space, memory=memory)
        about = f"/// {step.layer}: {step.op}."
        return self._take(made, about)

    def _take(self, made: LayerType, about: str = "") -> str:
        self.headers.add(made.header)
        if made.lines:
            self.lines(*([about] if about else []), *made.lines)
        return made.name

    def _add(self, what: View) -> None:
        if what not in self.printed:
            self.printed.append(what)


def _folded(step: PlStep) -> dict[str, int]:
    """Return the traits of a fold of windows."""
    lines, (_, height, width) = step.lines, step.y.shape
    assert lines is not None
    pairs = {"kKernel": lines.kernel, "kStride": lines.stride}
    window = {f"{n}{axis}": v for n, pair in pairs.items() for axis, v in zip("YX", pair, strict=True)}
    sides = {"kTop": lines.before[0], "kLeft": lines.before[1], "kTapCycles": lines.cycles}
    return window | sides | {"kOutHeight": height, "kOutWidth": width}


def _passes(step: PlStep) -> dict[str, int]:
    """Return the traits of passes over all channels: elements are compared in a cycle."""
    ii: int = step.detail.ii  # type: ignore[attr-defined]  # of a softmax
    return {"kLargestCycles": 1 if step.x.quant else ii, "kSumCycles": ii}


def _joined(step: PlStep) -> dict[str, int]:
    """Return the traits of a join of two, place by place."""
    places = step.detail.places  # type: ignore[attr-defined]
    return {"kStepChannel": places.step_channel, "kStepY": places.step_y, "kStepX": places.step_x}


_TRAITS: dict[str, Callable[[PlStep], dict[str, int]]] = {
    "fold_map": _folded,
    "softmax_map": _passes,
    "log_softmax_map": _passes,
    "prelu_map": lambda _: {},
    "join_maps": _joined,
}


def _all(kind: str, types: list[str], none: str) -> str:
    """Return one of several types, one after another."""
    return none if not types else types[0] if len(types) == 1 else f"{kind}<{', '.join(types)}>"
