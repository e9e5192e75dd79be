"""Settings near a unit's present ones that the model finds better.

They are found as `doit dse` finds a design, of all that differ in one key or leave most to the planner, whatever network.yaml
says now.
"""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.makers import Maker
from aieloom.network.layers import Network
from aieloom.progress import at
from aieloom.search.design import in_yaml, innermost
from aieloom.search.goal import Goal
from aieloom.search.made import Candidate, Made, search_made
from aieloom.search.scope import remapped
from aieloom.search.suggestions import Suggestion, Suggestions
from aieloom.spec.network import ANY_SIZE
from aieloom.units.plan import LAYING, Plan, Settings, time_by_cause
from aieloom.units.types import Cause

FEW = 2  # keys of settings that leave most to the planner


def suggest_settings(maker: Maker, network: Network, plan: Plan, layer: str) -> Suggestions:
    """Plan what is near a design's settings, a layer of which is asked for; return what is better.

    Of designs that take no less of anything than a better one only that is returned.
    """
    found = near_settings(maker, network, plan)
    now, kept, better = found.written, list[Candidate](), list[Suggestion]()
    for d in found.designs:
        if d.rank(found.goal) < now.rank(found.goal) and not any(d.takes_all_of(c) for c in kept):
            kept.append(d)
            slower = "lower latency" if d.latency_us < now.latency_us else "smaller"
            word = "faster" if d.interval_us < now.interval_us else slower
            yaml = tuple(in_yaml(d.network, d.said))
            better.append(Suggestion(changes=d.said, better=word, design=d, line=d.line, yaml=yaml))
    return Suggestions(
        layer=layer,
        title=f"{layer} of {plan.project} on {plan.board.name}, {maker.how}: {found.goal.text}",
        head=now.head,
        now=now,
        line=now.line,
        found=tuple(better),
        tried=found.looked,
        refused=found.refused,
        remarks=(*found.remarks, *_bound(plan, maker.bottleneck(plan))),
    )


def near_settings(maker: Maker, network: Network, plan: Plan) -> Made:
    """Return the designs near a project's own, the best first."""
    said, mapping = maker.said(plan), dict(network.spec.mapping)
    now = innermost(said)
    for name, keys in said.get("mapping", {}).items():
        mapping[name] = mapping[name].model_copy(update=dict.fromkeys(keys))
    network = remapped(network, mapping, sized=ANY_SIZE)  # of which nothing is said

    def near(settings: Settings) -> bool:
        keys = innermost(settings)
        return len(keys) <= FEW or sum(now.get(key) != value for key, value in keys.items()) <= 1

    return search_made(maker, network, plan, Goal.of(network.spec, plan.board), at, near=near)


def _bound(plan: Plan, bottleneck: str) -> Iterator[str]:
    """Yield what an image's time goes to, and what helps where that is no setting of a unit."""
    parts = time_by_cause(plan)
    spent = ", ".join(f"{us:,.2f} us {what}" for what, us in parts.items())
    yield f"an image now: {spent}; bound by {bottleneck}"
    if next(iter(parts), "") in (Cause.HOST, LAYING):
        yield f"the processor lays out {plan.x.elements:,} values of an image and {plan.y.elements:,} of its result, and does"
        yield "what no unit takes: fewer values and layers there, and where a setting says it a larger batch, leave it less"
