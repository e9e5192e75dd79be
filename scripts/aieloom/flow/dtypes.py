"""`doit dse dtypes=int8,int16`: the network in several types of elements, each searched, the best that is exact enough.

A type is exact enough when a run of the project's samples in the reference passes: `min_sqnr_db` for each layer,
`max_accuracy_loss` where samples have labels, ... What network.yaml's `quality:` says holds for every type; what it leaves
out depends on the type.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from aieloom.errors import CannotFit, SpecError
from aieloom.flow.designs import design_of
from aieloom.flow.dse_words import wrong_word
from aieloom.flow.judged import judged
from aieloom.flow.opening import open_any, type_of
from aieloom.flow.project import Project
from aieloom.flow.samples import load_samples
from aieloom.network.readers.models import is_quantised_model
from aieloom.search.design import Design, Found
from aieloom.search.goal import Goal
from aieloom.spec.flow_style import flow_yaml

FILE = "dtypes.csv"


@dataclass(frozen=True, kw_only=True)
class Tried:
    """What became of a type: a search, or the reason why there is none. `quality` is what it loses, in words."""

    dtype: str
    project: Project | None = None
    found: Found[Design] | None = None
    quality: str = ""
    refused: str = ""

    @property
    def design(self) -> Design | None:
        """The best design in this type."""
        return self.found.winner if self.found else None


def words_of(project: Project, said: str | None) -> tuple[str, ...]:
    """Return the types that the command line names.

    Raises:
        SpecError: one is none that such a design can have.
    """
    design = design_of(project)
    types = design.types
    words = tuple(dict.fromkeys(filter(None, (said or "").split(","))))
    wrong = next((f"'{word}' is none of {', '.join(types)}" for word in words if word not in types), "")
    if wrong:
        text = wrong if types else "its elements are what network.yaml says"
        remedy = f"use one of: {', '.join(types)}" if types else "leave dtypes= out"
        raise wrong_word("dtypes", f"{text}: {project.name} runs {design.how}", remedy)
    return words


def try_types(
    project: Project, words: Sequence[str], goal: Goal, search: Callable[[Project], Found[Design]]
) -> tuple[Tried, ...]:
    """Return what became of each type, the best first; `search` looks for a project's designs.

    Raises:
        SpecError: no type is left, or the model's type is its own.
    """
    if is_quantised_model(project.weights):
        text = f"the types of {project.weights.name} are its own: it is quantised"
        raise SpecError(rule="dse-2", file="dtypes=", text=text, remedy="leave dtypes= out")
    tried = [_try(project, word, search) for word in words]
    good = [t for t in tried if t.design]
    if not good:
        text = "no type is left: " + "; ".join(f"{t.dtype}: {t.refused}" for t in tried)
        remedy = "allow other types, or other bounds: quality: {min_sqnr_db: ...}"
        raise SpecError(rule="dse-2", file="dtypes=", text=text, remedy=remedy)
    good.sort(key=lambda t: t.design.rank(goal) if t.design else ())
    return (*good, *(t for t in tried if not t.design))


def _try(project: Project, dtype: str, search: Callable[[Project], Found[Design]]) -> Tried:
    try:
        own = project if dtype == type_of(project.network.spec) else _in_type(project, dtype)
        if type(own) is not type(project):
            return Tried(dtype=dtype, refused=f"it runs {design_of(own).how} then")
        compared = judged(design_of(own), load_samples(own))
        loss = f"{min(la.sqnr_db for la in compared.losses):.1f} dB" if compared.losses else "exact"
        rate = compared.accuracies.get("emulated")
        quality = loss if rate is None else f"{loss}, accuracy {rate:.4f}"
        if compared.faults:
            return Tried(dtype=dtype, quality=quality, refused=compared.faults[0])
        return Tried(dtype=dtype, project=own, found=search(own), quality=quality)
    except (CannotFit, SpecError) as e:
        return Tried(dtype=dtype, refused=f"[{e.problems[0].rule}] {e.problems[0].text}")


def _in_type(project: Project, dtype: str) -> Project:
    build, weights = project.build.parents[1], project.weights_override
    return open_any(project.folder, target=project.target, build=build, weights=weights, dtype=dtype)


def quantize_text(tried: Tried) -> str:
    """Return the lines of network.yaml that say the type; nothing for float32."""
    settings = tried.project.network.spec.quantize if tried.project else None
    if settings is None:
        return ""
    said = {k: getattr(settings, k) for k in ("activations", "weights", *sorted(settings.model_fields_set))}
    return f"quantize: {flow_yaml({k: v for k, v in said.items() if v is not None})}\n"


def table(tried: Sequence[Tried]) -> str:
    """Return all types as CSV, the best first."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["dtype", "images_per_s", "latency_us", "cores", "quality", "refused"])
    for t in tried:
        d = t.design
        row = [f"{1e6 / d.interval_us:.1f}", f"{d.latency_us:.3f}", d.cores] if d else ["", "", ""]
        out.writerow([t.dtype, *row, t.quality, t.refused])
    return text.getvalue()
