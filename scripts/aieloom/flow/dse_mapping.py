"""Who proposes designs whose layers have cores of their own: the search for a mapping, as the words of `doit dse` say."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from aieloom.flow.dse_words import Options, words_of
from aieloom.flow.opening import remade
from aieloom.flow.project import Project
from aieloom.network.layers import Network
from aieloom.ops import REGISTRY
from aieloom.plan.types import ArrayPart
from aieloom.search.candidates import Evaluator, Space
from aieloom.search.choose import Outcome
from aieloom.search.clocks import listed_clocks, search_clocks
from aieloom.search.goal import Goal, Tell
from aieloom.search.mapped import Mapped
from aieloom.search.whole import Written, search_whole


def search_mapping(
    project: Project, goal: Goal, options: Options, workers: int | Evaluator, tell: Tell
) -> Outcome:
    """Search for a mapping of layers that have cores of their own."""
    network, plan, keep = project.planned, project.array, words_of(options, "keep")

    def inner(network: Network, plan: ArrayPart, others: Sequence[Mapped]) -> Outcome:
        return search_clocks(
            network,
            plan,
            REGISTRY,
            goal,
            listed_clocks(plan.device) if options.get("clocks") == "listed" else (),
            space=Space(keep=keep),
            workers=workers,
            streaming=(options.get("pl") or "any") == "any",
            tell=tell,
            others=others,
        )

    if options.get("ways") == "written":
        return inner(network, plan, ())
    return search_whole(
        Written(network=network, plan=plan, keep=keep),
        REGISTRY,
        goal,
        inner,
        remake=partial(remade, project),
        tell=tell,
    )
