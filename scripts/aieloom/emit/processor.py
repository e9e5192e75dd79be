"""What the header of the layers on the processor prints: their functions, their tensors, and the calls in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aieloom.cpp_text import View, float_lines
from aieloom.emit.names import function_headers
from aieloom.emit.on_host import Templates, on_host
from aieloom.network.layers import Parameters
from aieloom.network.tensor import TensorType
from aieloom.pl.steps import ELEMENTWISE, REORDER
from aieloom.plan.processor import WHOLE, Passage, ProcessorPlan, PsStep
from aieloom.spec.network import INPUT


def processor_view(
    plan: ProcessorPlan,
    subgraphs: Sequence[Passage],
    parameters: Mapping[str, Parameters],
    templates: Templates,
    ends: tuple[TensorType, TensorType],
) -> View:
    """Return what the header prints of a network from and to `ends`; `templates` gives the environment of a folder."""
    made = {s.layer: on_host(s, templates) for s in plan.steps}
    segments = tuple(_segments(plan, subgraphs, {layer: name for layer, (_, name) in made.items()}))
    functions = tuple(_function(s, parameters.get(s.layer, {}), made[s.layer][0]) for s in plan.steps)
    return View(
        headers=function_headers(plan.steps),
        functions=functions,
        tensors=tuple(_tensors(plan, subgraphs)),
        segments=segments,
        before=segments[:-1],
        image_values=ends[0].elements,
        result_values=ends[1].elements,
        given=len(plan.segments),  # pointers that are kept
    )


def _tensors(plan: ProcessorPlan, subgraphs: Sequence[Passage]) -> Iterator[View]:
    """Yield the results. All images share the memory of one that no later segment reads, or sends."""
    for number, segment in enumerate(plan.segments):
        later = {name for s in plan.segments[number + 1 :] for step in s.steps for name in step.inputs}
        later |= {s.sends for s in subgraphs[number + 1 :]}
        for step in segment.steps:
            yield View(
                name=_variable(step.layer),
                size=step.y.elements,
                note=f"{step.op}, {step.y}",
                # one for each image, or for all where nothing reads it later
                storage="" if step.layer in later else "inline static ",
            )


def _segments(plan: ProcessorPlan, subgraphs: Sequence[Passage], called: Mapping[str, str]) -> Iterator[View]:
    """Yield the segments; each is given the image, or what has come back from the subgraph before it."""
    places = {INPUT: "given[0]", **{s.receives: f"given[{i}]" for i, s in enumerate(subgraphs, 1)}}
    places |= {step.layer: f"{_variable(step.layer)}.data()" for step in plan.steps}
    ends = [
        (
            f"before_{i}",
            s.sends,
            f"what the device's layer {s.name} is given, where elements are made of it: {s.x}",
        )
        for i, s in enumerate(subgraphs, 1)
    ]
    last = plan.segments[-1].steps
    ends.append(("result", last[-1].layer if last else subgraphs[-1].receives, "the network's result"))
    for number, (segment, (name, tensor, what)) in enumerate(zip(plan.segments, ends, strict=True)):
        yield View(
            what=f"{what}; {subgraphs[number - 1].receives} has come back" if number else what,
            name=name,
            argument="received" if number else "image",
            given=f"given[{number}]",  # where the argument is kept for later segments
            calls=tuple(_calls(segment.steps, places, called)),
            result=places[tensor],
        )


def _function(step: PsStep, trained: Parameters, text: str) -> View:
    weights = tuple(
        View(
            name=f"k{step.layer}_{name}", size=trained[name].size, lines=float_lines(trained[name], indent=4)
        )
        for name in step.weights
    )
    return View(
        title=f"{step.layer}: {step.op}, {step.x} to {step.y}",
        reason=step.reason,
        why=step.why,
        weights=weights,
        text=text,
    )


def _calls(steps: Sequence[PsStep], places: Mapping[str, str], called: Mapping[str, str]) -> Iterator[str]:
    """Yield the statements that compute the layers, in order; `places` are the tensors' first values."""
    for step in steps:
        inputs, result = [places[name] for name in step.inputs], places[step.layer]
        if step.kind == ELEMENTWISE:
            yield f"std::transform({inputs[0]}, {inputs[0]} + {step.x.elements}, {result}, {called[step.layer]});"
        elif step.kind == REORDER:
            sizes = ", ".join(map(str, (*step.y.shape, *step.x.shape[1:])))
            yield f"aieloom::host::gather<{sizes}>({inputs[0]}, {result}, {called[step.layer]});"
        else:
            assert step.kind == WHOLE
            trained = [f"k{step.layer}_{name}" for name in step.weights]
            yield f"{called[step.layer]}({', '.join([*inputs, *trained, result])});"


def _variable(layer: str) -> str:
    return f"{layer}_"
