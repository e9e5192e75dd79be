"""`aieloom dse` and `doit dse`: search for a mapping, show what was found, write it beside the plan."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from aieloom import answer, messages, progress
from aieloom.emit.files import write_text
from aieloom.flow import dse_in_turn, dtypes
from aieloom.flow.dse_words import (
    CLOCKS,
    FOLDER,
    KEYS,
    PL,
    Options,
    budget_of,
    check_word,
    objective_of,
    wrong_word,
)
from aieloom.flow.opening import open_any, open_project, read_description, remade
from aieloom.flow.project import Project, find_project, home_of
from aieloom.network.layers import Network
from aieloom.ops import REGISTRY
from aieloom.plan.types import ArrayPart
from aieloom.search.candidates import Evaluator, Space
from aieloom.search.choose import Design, Goal, Outcome
from aieloom.search.clocks import Searched, listed_clocks, search_clocks
from aieloom.search.explain import figures_head, figures_row
from aieloom.search.in_turn import InTurn
from aieloom.search.scope import says
from aieloom.search.whole import Written, search_whole
from aieloom.search.write import FILES, write_outcome
from aieloom.spec.network import MAX_COPIES, NetworkSpec

SHOWN = 5


def dse(options: argparse.Namespace) -> int:
    """Search for the best mapping of a project's layers, or for the engine of layers one after another."""
    folder = find_project(options.project, Path.cwd())
    build = home_of(folder) / "build"
    said = {key: word for key, word in vars(options).items() if key in KEYS and word != KEYS[key]}
    project: Project | None = None
    if read_description(folder, target=options.target, weights=None).execution != "spatial":
        found = open_any(folder, target=options.target, build=build)
        project = found if found.home in ("array", "sequential") else None
    search(project or open_project(folder, target=options.target, build=build), said)
    return 0


def search(project: Project, options: Options) -> Outcome | InTurn:
    """Search as the command line's words say; show and write.

    Raises:
        SpecError: a word is wrong, or no design keeps to the budget.
    """
    if not project.on_array:
        return dse_in_turn.run(project, options)
    return run(project, options)


def run(project: Project, options: Options) -> Outcome:
    """Search as the command line's words say; show and write.

    They are objective, aie_cores, plio, latency_us, copies, clocks, pl, ways, keep, dtypes, workers and dask.

    Raises:
        SpecError: a word is wrong, or no design keeps to the budget.
    """
    goal = Goal.of(
        project.network.spec,
        project.array.device,
        objective_of(options.get("objective")),
        budget_of(options),
        copies=_copies(project.network.spec, options.get("copies")),
    )
    words = {key: _words(options, key) for key in ("keep", "dtypes")}
    check_word("keep", words["keep"], [la.name for la in project.array.aie])
    check_word("dtypes", words["dtypes"], dtypes.TYPES)
    for key, known in (("clocks", CLOCKS), ("pl", PL), ("ways", PL)):
        check_word(key, [options.get(key) or known[0]], known)
    tried: tuple[dtypes.Tried, ...] = ()
    with progress.working(f"searching for a mapping of {project.name}"), _workers(options) as workers:
        search = partial(_search, goal=goal, options=options, keep=words["keep"], workers=workers)
        if words["dtypes"]:
            tried = dtypes.try_types(project, words["dtypes"], goal, search)
        searched = tried[0].searched if tried else None
        searched = searched or search(project)
    folder = project.build / FOLDER
    write_outcome(searched, folder, quantize=dtypes.quantize_text(tried[0]) if tried else "")
    if tried:
        write_text(folder / dtypes.FILE, dtypes.table(tried))
    else:
        (folder / dtypes.FILE).unlink(missing_ok=True)
    outcome = searched.outcome
    answer.give(
        goal=outcome.goal.text,
        written=_figures(outcome.written),
        designs=[_figures(d) for d in outcome.designs],
        files=[folder / name for name in FILES],
    )
    _show(project, searched.outcome, tried)
    return searched.outcome


def _search(
    project: Project,
    *,
    goal: Goal,
    options: Options,
    keep: tuple[str, ...],
    workers: int | Evaluator,
) -> Searched:
    """Search for a mapping of a project with its elements' type."""
    network, plan, notes = project.planned, project.array, messages.progress()

    def tell(line: str) -> None:
        notes.print(line, markup=False)

    def inner(network: Network, plan: ArrayPart, others: Sequence[Design] = ()) -> Searched:
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
        return inner(network, plan)
    return search_whole(
        Written(network=network, plan=plan, keep=keep),
        REGISTRY,
        goal,
        inner,
        remake=partial(remade, project),
        tell=tell,
    )


def _words(options: Options, key: str) -> tuple[str, ...]:
    return tuple(filter(None, (options.get(key) or "").split(",")))


@contextmanager
def _workers(options: Options) -> Iterator[int | Evaluator]:
    """Return who evaluates: processes of this machine, or the workers of a cluster."""
    said, address = options.get("workers"), options.get("dask")
    if address:
        if said:
            raise wrong_word("workers", "a cluster has its own workers", "leave workers= or dask= out")
        from aieloom.search.cluster import cluster  # noqa: PLC0415 - few searches have one

        with cluster(address) as evaluator:
            yield evaluator
        return
    if said is not None and not (str(said).isdecimal() and int(said)):
        raise wrong_word("workers", f"'{said}' is no number of processes", "give a number, such as workers=4")
    yield int(said) if said else os.cpu_count() or 1


def _figures(d: Design) -> dict[str, object]:
    """Return a design's figures as JSON has them."""
    rates = {"array": d.rates.array, "memory": d.rates.memory, "system": d.rates.system}
    return {
        "images_per_s": {name: rate.images_per_s for name, rate in rates.items()},
        "interval_us": d.interval_us,
        "energy_mj": d.energy.mj if d.energy else None,
        "latency_us": d.latency_us,
        "cores": d.plan.cores,
        "tiles": d.plan.tiles_in_use,
        "plio": d.plio,
        "copies": d.plan.copies,
        "as_written": d.written,
    }


def _show(project: Project, outcome: Outcome, tried: Sequence[dtypes.Tried] = ()) -> None:
    out = messages.console()
    out.print(f"{project.name} on {project.target}: {outcome.goal.text}", markup=False)
    if tried:
        out.print(f"  {'':<8} {figures_head()}", markup=False)
    for t in tried:
        row = f"{figures_row(t.design)}  {t.quality}" if t.design else f"{t.quality}  {t.refused}".strip()
        out.print(f"  {t.dtype.value:<8} {row}", markup=False)
    if tried:
        out.print(f"in {tried[0].dtype.value}:", markup=False)
    out.print(f"  {'':<8} {figures_head()}", markup=False)
    out.print(f"  {'written':<8} {figures_row(outcome.written)}", markup=False)
    for number, d in enumerate(outcome.designs[:SHOWN]):
        name = "winner" if number == 0 else f"{number + 1}."
        out.print(f"  {name:<8} {figures_row(d)}{'  as written' if d.written else ''}", markup=False)
    out.print(f"  modelled by {outcome.winner.plan.cost.produced_by}", markup=False)
    for name in (*FILES, *((dtypes.FILE,) if tried else ())):
        out.print(str(project.build / FOLDER / name), markup=False)


def _copies(spec: NetworkSpec, said: str | None) -> int | None:
    """Return how many copies may be tried, by the command line."""
    if said is None:
        return None
    if says(spec, "copies"):
        raise wrong_word("copies", f"network.yaml says copies: {spec.copies}", "leave one of them out")
    if not str(said).isdecimal() or not 0 < int(said) <= MAX_COPIES:
        raise wrong_word("copies", f"'{said}' is no number from 1 to {MAX_COPIES}", "give a number")
    return int(said)
