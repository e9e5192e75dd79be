"""Whether a network's tensors stay on the chip: what keeps them out, the engine, and what the model says of all its layers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aieloom.errors import CannotFit
from aieloom.layout.channel_words import words_of
from aieloom.network.layers import Network
from aieloom.sequential.cost import images_cost, issues_cost, results_cost
from aieloom.sequential.fusion import depthwise_forms
from aieloom.sequential.onchip.cost import BRINGS, GIVES, copy_cost, row_costs, solve_rows
from aieloom.sequential.onchip.engine import RowEngine
from aieloom.sequential.onchip.store import brings_rows, kept_out, on_rows, store_places, whole_layers
from aieloom.sequential.step_costs import processor_step_cost
from aieloom.sequential.steps import Step, products_of
from aieloom.sequential.vector import VectorForm
from aieloom.spec.device import Device
from aieloom.strategies.array_gemm.plan import NAME
from aieloom.units.types import Turn

GROUPS = (8, 16, 32, 64)  # of as many images as there are rows, of a batch where nobody says how many
SAVED = 0.01  # of an image's time, which is not worth the most groups: the sequencer is started once for all of a batch


@dataclass(frozen=True, kw_only=True)
class OnChip:
    """An engine whose rows own images, with the layers that they fold themselves and what the model says."""

    rows: RowEngine
    forms: Mapping[str, VectorForm]
    count: int  # steps at the beginning that rows compute; the others are the processor's
    costs: tuple[Turn, ...]
    batch: int

    @property
    def products_us(self) -> float:
        """Modelled microseconds of an image's products."""
        return sum(cost.total_us for cost in self.costs if cost.units == (NAME,)) / self.batch


def on_chip(
    steps: tuple[Step, ...], forms: Mapping[str, VectorForm], network: Network, device: Device
) -> OnChip | str:
    """Return how a network runs with its tensors on the chip, or why it does not; `forms` without depthwise layers."""
    taken = {s.layer: forms[s.layer] for s in steps if s.layer in forms} | depthwise_forms(steps)
    count = on_rows(steps, taken)
    stay = steps[:count]
    reason = kept_out(stay, taken)
    if not reason and all(p.layer in taken for p in products_of(stay)):
        reason = "no products are on the array"
    if reason:
        return reason
    _, size = store_places(stay, taken)
    try:
        rows = solve_rows(
            device,
            stay,
            taken,
            size,
            frozenset(whole_layers(stay, taken)),
            sized=network.spec.sized,
            sequencer=network.spec.sequencer,
        )
    except CannotFit as e:
        return e.problems[0].text
    groups = _groups(stay, taken, rows, network)
    batch = groups * rows.rows
    behind = tuple(processor_step_cost(s.called, device, batch) for s in steps[count:] if s.called)
    costs = _costs(stay, taken, rows, network, groups)
    return OnChip(rows=rows, forms=taken, count=count, costs=(*costs, *behind), batch=batch)


def _groups(
    steps: tuple[Step, ...], forms: Mapping[str, VectorForm], rows: RowEngine, network: Network
) -> int:
    """Return the groups of a batch: those that network.yaml says, or so many that the most would save little."""
    said = network.spec.sized.batch
    if said:
        return max(1, -(-said // rows.rows))

    def an_image(groups: int) -> float:
        costs = _costs(steps, forms, rows, network, groups)
        return sum(c.total_us for c in costs if not c.ahead) / groups

    enough = (1 + SAVED) * an_image(GROUPS[-1])
    return next(groups for groups in GROUPS if an_image(groups) <= enough)


def _costs(
    steps: tuple[Step, ...],
    forms: Mapping[str, VectorForm],
    rows: RowEngine,
    network: Network,
    groups: int,
) -> tuple[Turn, ...]:
    board, batch = rows.device, groups * rows.rows
    first, last = steps[0].x, steps[-1].y
    by_rows = brings_rows(first, steps[0].fold)
    pixels = network.x.elements
    laid = 0 if by_rows else pixels
    made = [t.shape[1] * t.shape[2] * words_of(t.shape[0]) for t in (first, last)]  # words
    channels, height, width = network.x.shape
    image = channels * height * words_of(width) if by_rows else made[0]
    copies = [
        copy_cost(
            rows,
            words=image,
            name=BRINGS,
            groups=groups,
            columns=first.pixels * steps[0].fold[1] if by_rows else 0,
            bursts=channels * first.shape[1] if by_rows else 1,
            rows=first.shape[1] if by_rows else 0,
        ),
        copy_cost(rows, words=made[1], name=GIVES, groups=groups),
    ]
    computed = (copies[0], *row_costs(steps, forms, rows, groups), copies[1])
    return (
        images_cost(board, elements=pixels, laid=laid, quantised=True, batch=batch),
        *computed,
        results_cost(board, elements=network.y.elements, batch=batch),
        issues_cost(board, rows.sequencer, programs=1, layers=len(computed) * groups),
    )
