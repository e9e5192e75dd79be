"""`doit dse` of a project whose layers run one after another: the engine's place and size, and images at a time."""

from __future__ import annotations

import csv
import io
from functools import partial
from pathlib import Path

from aieloom import answer, messages, progress
from aieloom.emit.files import write_text
from aieloom.errors import SpecError
from aieloom.flow.dse_words import FOLDER, Options, budget_of, objective_of, wrong_word
from aieloom.flow.project import Project
from aieloom.ops import REGISTRY
from aieloom.search.choose import Goal
from aieloom.search.in_turn import InTurn, Tried, chosen, said, search_in_turn
from aieloom.sequential.cost import MODEL
from aieloom.sequential.plan import engines_of
from aieloom.sequential.planning import plan_sequential
from aieloom.sequential.remarks import energy, latency_us
from aieloom.spec.flow_style import flow_yaml
from aieloom.units.plan import interval_us, resources

TAKEN = ("objective", "aie_cores", "latency_us")
MAPPING, CANDIDATES = "mapping.yaml", "candidates.csv"
SHOWN = 5
LOGIC = ("dsp", "lut", "bram36", "uram288")


def run(project: Project, options: Options) -> InTurn:
    """Search as the command line's words say; show and write.

    Raises:
        SpecError: a word is wrong, or no engine keeps to the budget.
    """
    for key, word in options.items():
        if word is not None and key not in TAKEN:
            text = f"{key}= is for layers that have cores of their own, and those of {project.name} run one after another"
            raise wrong_word(key, text, f"use {', '.join(TAKEN)}")
    network = project.planned
    board = project.plan.board
    goal = Goal.of(network.spec, board, objective_of(options.get("objective")), budget_of(options))
    if goal.budget.plio is not None:
        text = f"plio: {goal.budget.plio} is of streams of layers that have cores of their own"
        raise SpecError(network.spec.source.problem("dse-2", ("budget", "plio"), text, "leave it out"))
    plan = partial(plan_sequential, board=board, operators=REGISTRY, spatial=engines_of(project.plan).spatial)
    notes = messages.progress()
    with progress.working(f"searching for an engine of {project.name}"):
        found = search_in_turn(
            network,
            board,
            goal,
            lambda wanted: plan(wanted, reason="searched for"),
            lambda line: notes.print(line, markup=False),
        )
    folder = project.build / FOLDER
    write_text(folder / MAPPING, mapping_text(project, found))
    write_text(folder / CANDIDATES, table(found))
    _give(found, folder)
    _show(project, found, folder)
    return found


def mapping_text(project: Project, found: InTurn) -> str:
    """Return the winner's lines for network.yaml."""
    plan = found.winner.plan
    assert plan
    rate, latency = 1e6 / interval_us(plan), latency_us(plan)
    keys = {k: v for k, v in chosen(found.winner).model_dump().items() if v is not None}
    lines = [
        f"# Found by `doit dse` for {project.name} on {project.target}: {found.goal.text}.",
        f"# {rate:,.0f} images/s, {latency:,.1f} us, {found.winner.cores} cores: {MODEL}.",
        f"engine: {flow_yaml(keys)}",
    ]
    return "\n".join(lines) + "\n"


def table(found: InTurn) -> str:
    """Return all engines that were looked at as CSV, the best first, then those that there is no room for."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(
        [
            "engine",
            "images_per_s",
            "latency_us",
            "energy_mj",
            "batch",
            "cores",
            *LOGIC,
            "refused",
        ]
    )
    for t in found.designs:
        assert t.plan
        use = [getattr(resources(t.plan), key) for key in LOGIC]
        rate, drawn = f"{1e6 / interval_us(t.plan):.1f}", f"{e.mj:.4g}" if (e := energy(t.plan)) else ""
        figures = [rate, f"{latency_us(t.plan):.1f}", drawn, t.plan.schedule.batch, t.cores]
        out.writerow([said(chosen(t)), *figures, *use, ""])
    for t in found.refused:
        out.writerow([said(t.sized), *[""] * 9, t.refused])
    return text.getvalue()


def _figures(t: Tried) -> dict[str, object]:
    """Return an engine's figures as JSON has them."""
    assert t.plan
    return {
        "engine": chosen(t).model_dump(exclude_none=True),
        "images_per_s": 1e6 / interval_us(t.plan),
        "latency_us": latency_us(t.plan),
        "energy_mj": e.mj if (e := energy(t.plan)) else None,
        "cores": t.cores,
        "logic": {key: getattr(resources(t.plan), key) for key in (*LOGIC, "ff")},
    }


def _give(found: InTurn, folder: Path) -> None:
    answer.give(
        goal=found.goal.text,
        written=_figures(found.written),
        designs=[_figures(t) for t in found.designs],
        files=[folder / name for name in (MAPPING, CANDIDATES)],
    )


def _show(project: Project, found: InTurn, folder: Path) -> None:
    out = messages.console()
    out.print(f"{project.name} on {project.target}: {found.goal.text}", markup=False)
    out.print(
        f"  {'':<8} {'images/s':>10} {'latency us':>11} {'mJ':>8} {'cores':>6} {'DSP':>6}", markup=False
    )
    rows = [("written", found.written), ("winner", found.winner)]
    rows += [(f"{i}.", t) for i, t in enumerate(found.designs[1:SHOWN], 2)]
    for name, t in rows:
        assert t.plan
        drawn = f"{e.mj:.4g}" if (e := energy(t.plan)) else "-"
        figures = f"{1e6 / interval_us(t.plan):>10,.0f} {latency_us(t.plan):>11,.1f} {drawn:>8} {t.cores:>6}"
        figures = f"{figures} {resources(t.plan).dsp:>6}"
        out.print(f"  {name:<8} {figures}  {said(chosen(t))}", markup=False)
    out.print(
        f"  {len(found.refused)} of {len(found.designs) + len(found.refused)} have no room; {MODEL}",
        markup=False,
    )
    for file in (MAPPING, CANDIDATES):
        out.print(str(folder / file), markup=False)
