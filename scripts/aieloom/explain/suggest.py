"""`aieloom suggest LAYER`: what near a design is better, each a legal plan."""

from __future__ import annotations

from aieloom.errors import SpecError
from aieloom.explain.explain import asked_about
from aieloom.flow.designs import design_of
from aieloom.flow.project import Project
from aieloom.search.suggestions import Suggestions


def suggest(project: Project, name: str) -> Suggestions:
    """Plan what is near the settings of a layer, or of the unit that computes it; return what is better.

    Raises:
        SpecError: there is no such layer, or it has no settings.
    """
    if name in project.dissolved.sources:
        text = f"layer '{name}' costs nothing: it only renames the values of the layer before it"
        raise SpecError(project.network.spec.source.problem("layer", (), text, "ask about another layer"))
    return design_of(project).suggestions(*asked_about(project, name))
