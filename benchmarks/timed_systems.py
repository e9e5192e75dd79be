"""Whole systems in a timed run beside the plan (docs/evidence/timed.md): projects on boards with an array, the zoo.

    python -m benchmarks.timed_systems [PROJECT ...] [--target BOARD ...] [--write]

What ran is kept in build/timed_systems.json, so that a run that was interrupted goes on; --again runs it once more.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from aieloom.emit.files import write_tree
from aieloom.emit.project import render
from aieloom.errors import AieloomError, RunFailed
from aieloom.flow.designs import design_of
from aieloom.flow.opening import open_any, open_project
from aieloom.flow.project import Project
from aieloom.flow.samples import load_samples
from aieloom.flow.timed_system import IMAGES, interval_us, run_timed
from aieloom.sequential.array import MOVER_MHZ
from aieloom.sequential.onchip.split import window_rows, window_view
from aieloom.sequential.plan import InTurn, engines_of
from aieloom.sequential.remarks import costed
from aieloom.sequential.step_costs import step_costs
from aieloom.sequential.steps import Step
from aieloom.units.types import PROCESSOR
from tools.page import write_between

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "evidence" / "timed.md"
KEPT = ROOT / "build" / "timed_systems.json"
PROJECTS = (
    "xor", "iris", "jet", "mnist_float", "mnist_int8", "mnist_wide", "mnist", "autoencoder", "resnet8", "caffe-conv",
    "mnist-tutorial", "espcn-fast", "espcn-int8", "espcn-int8-pow2", "espcn", "espcn-720p",
)  # fmt: skip
TARGETS = ("vck190", "vek280")


def measure(name: str, target: str) -> dict[str, Any]:
    """Generate a project for a board, run it with times, and say what came out.

    Raises:
        AieloomError: the project does not fit the board, or the run failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        project = open_project(ROOT / "projects" / name, target=target, build=Path(folder))
        write_tree(project.build, render(project.array, project.parameters), owned=())
        x = load_samples(project).x[:IMAGES]
        began, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = run_timed(design_of(project), x)
        plan, times = project.array, done.cycles.times
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return {
            "cores": plan.cores,
            "units": len(times.units),
            "planned_us": 1e6 / plan.cost.throughput_fps,
            "timed_us": interval_us(done.cycles, len(x), plan),
            "system_us": times.host / times.mhz,
            "seconds": time.monotonic() - began,
            "cpu": after.ru_utime - used.ru_utime,
        }


IN_TURN = (  # of projects/zoo
    "ds_cnn", "mobilenet_v1", "mobilenet_v2", "resnet18", "resnet50", "deit_tiny", "deit_tiny_bfloat16", "deit_tiny_int8",
)  # fmt: skip


def measure_in_turn(name: str, target: str) -> dict[str, Any]:
    """Run a network of the zoo with times, beside the plan: an image in each row, or the samples where tensors lie in memory.

    What is compared is the time in which the sequencer's program runs: images brought, all layers, results given.

    Raises:
        AieloomError: the project does not fit the board, or the run failed.
        FileNotFoundError: its model is not made: projects/zoo/make.py does.
    """
    with tempfile.TemporaryDirectory() as folder:
        project = open_any(ROOT / "projects" / "zoo" / name, target=target, build=Path(folder))
        plan, design = engines_of(project.plan), design_of(project)
        assert plan.array
        write_tree(project.build, design.render(), owned=())
        samples = load_samples(project).x
        images = plan.staying.rows if plan.staying else len(samples)
        x = samples[np.arange(images) % len(samples)]
        done = run_timed(design, x)
        if done.y.tobytes() != design.reference(x).tobytes():
            raise RunFailed(f"{name} on {target}: the timed run's results are not the reference's")
        times = done.cycles.times
        issuer = next(u for u in times.units if u.name == f"{plan.array.issuer}_1")
        if issuer.calls > PROGRAMS:
            raise RunFailed(
                f"{name} on {target}: {issuer.calls - 1} programs, between which the processor computes"
            )
        return {
            "rows": images,
            "planned_us": _planned_us(project, images),
            "timed_us": issuer.longest / times.mhz,
            "serial_us": sum(
                _serial_us(s, plan) for s in plan.steps if plan.staying and s.layer in plan.forms
            ),
        }


def _planned_us(project: Project, images: int) -> float:
    """Return what the plan says of so many images, without the processor."""
    design = engines_of(project.plan)
    costs = (
        step_costs(design.steps, design, design.forms, project.planned, images)
        if not design.staying
        else costed(project.plan)
    )
    us = sum(turn.total_us for turn in costs if turn.units != (PROCESSOR,))
    return images * us if design.staying else us


def _serial_us(step: Step, plan: InTurn) -> float:
    """Return the microseconds of loads that a timed run puts behind the folds beside which they lie."""
    assert plan.staying
    view = window_view(step, plan.forms[step.layer], plan.staying.line_words)
    rows = window_rows(view, plan.staying.line_words)
    loads = [
        max(view.seen(band, rows), min(rows, view.out[0] - band * rows) * view.out[1])
        for band in range(-(-view.out[0] // rows))
    ]
    return (view.groups * sum(loads) - loads[0]) / MOVER_MHZ


PROGRAMS = 2  # a batch's, and the one that ends the movers
IN_TURN_HEAD = """| network | board | images at a time | plan, us | timed, us | loads behind folds | the rest / plan |
|---|---|--:|--:|--:|--:|--:|"""


def in_turn_page(kept: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the table of engines that are used again, of what was run."""
    found = ((key.split(), row) for key, row in kept.items() if "rows" in row)
    return "\n".join(
        [IN_TURN_HEAD]
        + [
            f"| {name} | {target} | {row['rows']} | {row['planned_us']:,.1f} | {row['timed_us']:,.1f} "
            f"| {row['serial_us']:,.1f} | {(row['timed_us'] - row['serial_us']) / row['planned_us']:.2f} |"
            for (name, target), row in found
        ]
    )


HEAD = """| project | board | cores | PL units | plan, us an image | timed | timed / plan | {images} images from the host, us |
|---|---|--:|--:|--:|--:|--:|--:|"""


def page(kept: Mapping[str, Mapping[str, Any]], wanted: Sequence[str]) -> str:
    """Return the part of docs/evidence/timed.md that this script writes."""
    rows = [HEAD.format(images=IMAGES)]
    for key in wanted:
        row = kept.get(key)
        name, target = key.split()
        if row is None:
            continue
        if "refused" in row:
            rule = re.search(r"\[([\w-]+)\]", row["refused"])
            rows.append(f"| {name} | {target} | | | | refused: {rule[1] if rule else row['refused']} | | |")
            continue
        rows.append(
            f"| {name} | {target} | {row['cores']} | {row['units']} | {row['planned_us']:,.2f} | {row['timed_us']:,.2f} "
            f"| {row['timed_us'] / row['planned_us']:.2f} | {row['system_us']:,.0f} |"
        )
    return "\n".join(rows)


def name_of(key: str) -> str:
    """Return the network of a row's key."""
    return key.split(maxsplit=1)[0]


def main() -> int:
    """Run what is not kept, and print or write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("projects", nargs="*", default=(*PROJECTS, *IN_TURN))
    parser.add_argument("--target", nargs="*", default=TARGETS)
    parser.add_argument("--again", action="store_true", help="run what is kept once more")
    parser.add_argument("--write", action="store_true", help="write the table into docs/evidence/timed.md")
    options = parser.parse_args()
    wanted = [f"{name} {target}" for name in options.projects for target in options.target]
    kept: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {}
    for key in wanted:
        if key in kept and not options.again:
            continue
        try:
            found = (measure_in_turn if name_of(key) in IN_TURN else measure)(*key.split())
        except (AieloomError, ValueError, OSError) as e:
            found = {"refused": " ".join(str(e).split())[:160]}
        kept[key] = found
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        KEPT.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        print(key, json.dumps(found), file=sys.stderr, flush=True)
    print(page(kept, [key for key in wanted if name_of(key) not in IN_TURN]))
    print(in_turn_page(kept))
    if options.write:
        write_between(PAGE, "in turn", in_turn_page(kept))
        write_between(PAGE, "systems", page(kept, [f"{n} {t}" for n in PROJECTS for t in TARGETS]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
