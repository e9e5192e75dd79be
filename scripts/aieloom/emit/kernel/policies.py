"""What layers do with values as types that the PL library takes: each calls the functions that the layers' templates print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from aieloom.cpp_text import View
from aieloom.emit.kernel.tasks import tables_of
from aieloom.emit.steps import step_view
from aieloom.pl.steps import PlStep

PLAIN = "Unchanged"  # the library's type that leaves a value as it is
SPACE = "layers"  # the namespace of functions and types: a layer may be called as anything of the library


@dataclass(slots=True)
class Policies:
    """The functions of a kernel's layers and the types made of them, in the order in which they are asked for."""

    functions: list[View] = field(default_factory=list)
    types: list[View] = field(default_factory=list)

    def values(self, name: str, what: str, steps: Sequence[PlStep], kind: str) -> str:
        """Return the type that does `steps` to a value of type `kind`."""
        call = "value"
        for step in steps:
            self._print(step, step.template)
            call = f"{step.function}({call})"
        tables = [
            f"#pragma HLS bind_storage variable={t.name} type=rom_np impl={t.memory}"
            for t in tables_of(steps)
        ]
        return (
            self._type(name, what, f"{kind} of({kind} value)", f"return {call};", tables) if steps else PLAIN
        )

    def places(self, name: str, what: str, steps: Sequence[PlStep]) -> str:
        """Return the type that makes the place of a result to the one before `steps`, which move values."""
        for step in steps:
            self._print(step, step.template)
        calls = " ".join(f"{s.function}(channel, y, x);" for s in reversed(steps))
        return self._type(name, what, "void from(int& channel, int& y, int& x)", calls) if steps else ""

    def join(self, step: PlStep, kind: str) -> list[str]:
        """Return the types of what a join does with the values of all inputs, or with those of each."""
        template = step_view(step).value_template
        self._print(step, template)
        if step.y.shape == step.x.shape:
            call = f"{kind} of({kind} first, {kind} second)"
            body = f"return {step.function}_of(first, second);"
            return [self._type("Both", f"{step.layer}: two values", call, body)]
        each = range(1 + len(step.others))
        return [
            self._type(
                f"Input{i}",
                f"{step.layer}: a value of input {i}",
                f"{kind} of({kind} value)",
                f"return {step.function}_of{i}(value);",
            )
            for i in each
        ]

    def fold(self, step: PlStep) -> str:
        """Return the type that folds a layer's windows, or that says what its passes do with values."""
        view = step_view(step)
        self._print(step, view.values_template if step.passes else view.fold_template)
        return f"{SPACE}::{step.layer}_{'values' if step.passes else 'fold'}"

    def _print(self, step: PlStep, template: str) -> None:
        view = step_view(step).but(printed_by=template)
        if all(f.function != view.function or f.printed_by != template for f in self.functions):
            self.functions.append(view)

    def _type(self, name: str, what: str, call: str, body: str, pragmas: Sequence[str] = ()) -> str:
        lines = [f"  static {call} {{", "#pragma HLS inline", *pragmas, f"    {body}", "  }"]
        self.types.append(View(what=what, name=name, lines=lines))
        return f"{SPACE}::{name}"
