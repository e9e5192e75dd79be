"""`aieloom dse` and `doit dse`: search for a mapping, show what was found, write it beside the plan."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import cast

from aieloom import answer, messages, progress
from aieloom.emit.files import write_text
from aieloom.errors import SpecError
from aieloom.flow import dtypes
from aieloom.flow.designs import design_of
from aieloom.flow.dse_words import (
    BOUNDS,
    CLOCKS,
    FOLDER,
    KEYS,
    OBJECTIVES,
    PL,
    WORDS,
    Options,
    budget_of,
    check_word,
    words_of,
    wrong_word,
)
from aieloom.flow.opening import open_any
from aieloom.flow.project import Project, find_project, home_of
from aieloom.search.candidates import Evaluator
from aieloom.search.design import Design, Found
from aieloom.search.goal import Goal
from aieloom.search.scope import says
from aieloom.search.write import write_found
from aieloom.spec.network import MAX_COPIES, NetworkSpec, Objective

SHOWN = 5


def dse(options: argparse.Namespace) -> int:
    """Search for the best design of a project: its layers' mapping, or the settings of the unit that computes it."""
    folder = find_project(options.project, Path.cwd())
    project = open_any(folder, target=options.target, build=home_of(folder) / "build")
    search(project, {key: getattr(options, key) for key in KEYS})
    return 0


def search(project: Project, options: Options) -> Found[Design]:
    """Search as the command line's words say; show and write.

    Raises:
        SpecError: a word is wrong, or no design keeps to the budget.
    """
    spec, objective = project.network.spec, options.get("objective")
    check_word("objective", [objective] if objective else [], OBJECTIVES)
    copies = _copies(spec, options.get("copies"))
    goal = Goal.of(spec, project.plan.board, cast(Objective, objective), budget_of(options), copies=copies)
    _check_words(project, goal, options)
    words = dtypes.words_of(project, options.get("dtypes"))
    tried: tuple[dtypes.Tried, ...] = ()
    with progress.working(f"searching for a design of {project.name}"), _workers(options) as workers:
        notes = messages.progress()

        def look(of: Project) -> Found[Design]:
            return design_of(of).searched(goal, options, workers, partial(notes.print, markup=False))

        if words:
            tried = dtypes.try_types(project, words, goal, look)
        found = (tried[0].found if tried else None) or look(project)
    folder = project.build / FOLDER
    lines = dtypes.quantize_text(tried[0]) if tried else ""
    (folder / dtypes.FILE).unlink(missing_ok=True)
    files = write_found(found, folder, lines)
    if tried:
        write_text(folder / dtypes.FILE, dtypes.table(tried))
        files += (dtypes.FILE,)
    paths, designs = [folder / name for name in files], [d.figures for d in found.designs]
    answer.give(goal=goal.text, written=found.written.figures, designs=designs, files=paths)
    _show(project, found, tried, paths)
    return found


def _check_words(project: Project, goal: Goal, options: Options) -> None:
    """Refuse words that are none, and those of another kind of design.

    Raises:
        SpecError: there is one.
    """
    design = design_of(project)
    ((whose, words),) = ((whose, words) for whose, words in WORDS.items() if whose != design.words)
    text = f"is for {whose}, and {project.name} runs {design.how}"
    for key in words:
        if options.get(key):
            bounds = ", ".join(BOUNDS[design.words])
            raise wrong_word(key, f"{key}= {text}", f"use objective, latency_us, {bounds}")
        if getattr(goal.budget, key, None) is not None:
            source = project.network.spec.source
            raise SpecError(source.problem("dse-2", ("budget", key), f"{key}: {text}", "leave it out"))
    check_word("keep", words_of(options, "keep"), [la.name for plan in design.arrays for la in plan.aie])
    for key, known in (("clocks", CLOCKS), ("pl", PL), ("ways", PL)):
        check_word(key, [options.get(key) or known[0]], known)


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


def _show(
    project: Project, found: Found[Design], tried: Sequence[dtypes.Tried], files: Sequence[Path]
) -> None:
    head = found.written.head
    lines = [f"{project.name} on {project.target}: {found.goal.text}"]
    if tried:
        lines.append(f"  {'':<8} {head}")
    for t in tried:
        row = f"{t.design.line}  {t.quality}" if t.design else f"{t.quality}  {t.refused}".strip()
        lines.append(f"  {t.dtype:<8} {row}")
    if tried:
        lines.append(f"in {tried[0].dtype}:")
    lines += [f"  {'':<8} {head}", f"  {'written':<8} {found.written.line}"]
    for number, d in enumerate(found.designs[:SHOWN]):
        written = "  as written" if d.plan is found.written.plan else ""
        lines.append(f"  {f'{number + 1}.' if number else 'winner':<8} {d.line}{written}")
    lines += [f"  {line}" for line in found.remarks]
    messages.say("\n".join([*lines, *map(str, files)]))


def _copies(spec: NetworkSpec, said: str | None) -> int | None:
    """Return how many copies may be tried, by the command line."""
    if said is None:
        return None
    if says(spec, "copies"):
        raise wrong_word("copies", f"network.yaml says copies: {spec.copies}", "leave one of them out")
    if not str(said).isdecimal() or not 0 < int(said) <= MAX_COPIES:
        raise wrong_word("copies", f"'{said}' is no number from 1 to {MAX_COPIES}", "give a number")
    return int(said)
