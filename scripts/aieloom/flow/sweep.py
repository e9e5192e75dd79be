"""Many builds at once: projects x targets x mappings, each in a folder of its own, results in one table.

What a sweep.yaml says, and where builds run, stands in commands.SWEEP, which `aieloom sweep --help` prints.
"""

from __future__ import annotations

import csv
import fcntl
import hashlib
import importlib
import io
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import yaml

from aieloom.emit.files import write_text
from aieloom.errors import SpecError
from aieloom.paths import json_object
from aieloom.report.shape import Summary

Row = dict[str, object]
Tell = Callable[[Row], None]
WORKER_SECONDS = 180
CONNECT_SECONDS = 30.0  # to reach a scheduler
RETRIES = 3  # times that a build may lose its worker
_MESSAGE = 300
_OWN = {"network.yaml", "dodo.py", "build", "__pycache__"}  # what a build does not share with its project
_DODO = """from pathlib import Path

from aieloom.flow.tasks import define_tasks

globals().update(define_tasks(Path(__file__).parent))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """One design of a sweep."""

    name: str
    project: Path  # folder with network.yaml
    target: str
    folder: Path  # of its own
    edits: Mapping[str, Mapping[str, object]] = field(default_factory=dict)  # layer -> keys of its mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """All builds, and which of doit's tasks each runs."""

    builds: tuple[Build, ...]
    task: tuple[str, ...]


def read_sweep(file: Path, out: Path) -> Sweep:
    """Read sweep.yaml; builds go below `out`.

    Raises:
        SpecError: it cannot be read, or says something that does not exist.
    """
    try:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as e:
        raise _wrong(file, f"cannot be read: {e}") from e
    known = {"projects", "targets", "task", "mappings"}
    if not isinstance(data, dict) or not data.get("projects") or set(data) - known:
        extra = sorted(set(data) - known) if isinstance(data, dict) else []
        raise _wrong(file, f"has an unknown key '{extra[0]}'" if extra else "names no projects")
    mappings = data.get("mappings") or {"as_it_is": {}}
    builds = []
    for folder in data["projects"]:
        project = (file.parent / folder).resolve()
        if not (project / "network.yaml").is_file():
            raise _wrong(file, f"names {folder}, which has no network.yaml")
        for target in data.get("targets") or ["vck190"]:
            for label, edits in mappings.items():
                name = f"{project.name}-{target}-{label}"
                builds.append(
                    Build(
                        name=name,
                        project=project,
                        target=target,
                        folder=(out / name).absolute(),
                        edits=edits or {},
                    )
                )
    return Sweep(builds=tuple(builds), task=tuple(str(data.get("task", "sim")).split()))


def _wrong(file: Path, text: str) -> SpecError:
    remedy = "see `aieloom sweep --help`; keys are projects, targets, task, mappings"
    return SpecError(rule="sweep", file=str(file), text=text, remedy=remedy)


def prepare(build: Build) -> None:
    """Make the build's own project folder: the description with its edits, links to weights and data."""
    build.folder.mkdir(parents=True, exist_ok=True)
    description = yaml.safe_load((build.project / "network.yaml").read_text(encoding="utf-8"))
    mapping = description.setdefault("mapping", {}) or {}
    for layer, keys in build.edits.items():
        mapping[layer] = {**(mapping.get(layer) or {}), **keys}
    description["mapping"] = mapping
    description["target"] = build.target
    write_text(build.folder / "network.yaml", yaml.safe_dump(description, sort_keys=False))
    write_text(build.folder / "dodo.py", _DODO)
    for entry in build.project.iterdir():
        link = build.folder / entry.name
        own = entry.name in _OWN or entry.name.startswith(".")
        if not own and not link.exists():
            link.symlink_to(entry)


def run_build(build: Build, task: Sequence[str]) -> Row:
    """Run one build to its end and return its row.

    The folder is locked, and doit inherits the lock: when a worker is killed its doit may go on, and whoever takes
    the build over waits for it instead of working beside it, and then finds its results.
    """
    prepare(build)
    began = time.monotonic()
    with (build.folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            [sys.executable, "-m", "doit", *task],
            cwd=build.folder,
            capture_output=True,
            text=True,
            check=False,
            pass_fds=(lock.fileno(),),
        )
    write_text(build.folder / "doit.log", done.stdout + done.stderr)
    return row_of(build, done.returncode, done.stdout + done.stderr, time.monotonic() - began)


def row_of(build: Build, code: int, output: str, seconds: float) -> Row:
    """Return what the table says about a build."""
    row: Row = {"name": build.name, "target": build.target, "ok": code == 0, "seconds": round(seconds, 1)}
    row["message"] = "" if code == 0 else _first_error(output)
    made = next(iter(sorted(build.folder.glob(f"build/*/{build.target}"))), None)
    if made:
        row |= _plan_row(made / "plan.json") | _summary_row(made / "report" / "summary.json")
        row["sources"] = _digest(p for p in (made / "src").rglob("*") if p.is_file())
    return row


def _first_error(output: str) -> str:
    lines = output.splitlines()
    at = next((i for i, line in enumerate(lines) if "error:" in line.lower()), max(0, len(lines) - 1))
    return " ".join(lines[at : at + 2])[:_MESSAGE]


def _plan_row(file: Path) -> Row:
    plan = json_object(file)
    if not plan:
        return {}
    cost = plan["body"].get("cost", {})
    return {
        "cores": sum(unit["use"]["cores"] for unit in plan["units"]),
        "modelled_fps": cost.get("throughput_fps"),
        "modelled_latency_us": cost.get("latency_us"),
    }


def _summary_row(file: Path) -> Row:
    summary = cast(Summary, json_object(file))
    if not summary:
        return {}
    row: Row = {"passed": summary["passed"], "max_abs_err": summary["golden"]["max_abs_err"]}
    runs = summary.get("runs", {})
    timing = runs.get("hw", {}).get("timing", {})
    if "wns_ns" in timing:
        row["wns_ns"] = timing["wns_ns"]
    simulated = runs.get("aie", {}).get("performance", {})
    if simulated.get("throughput_fps"):
        row["aiesim_fps"] = simulated["throughput_fps"]
    return row


def _digest(files: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for file in sorted(files):
        found.update(file.name.encode() + b"\0" + file.read_bytes())
    return found.hexdigest()[:12]


def run_sweep(
    sweep: Sweep, *, workers: int = 2, scheduler: str | None = None, tell: Tell | None = None
) -> list[Row]:
    """Run all builds; rows come in the order of the sweep.

    `workers` = 0 runs them one after another in this process, without dask.

    Raises:
        SpecError: dask.distributed is not installed, or its scheduler cannot be reached.
    """
    if workers == 0 and scheduler is None:
        rows = {}
        for build in sweep.builds:
            rows[build.name] = run_build(build, sweep.task)
            if tell:
                tell(rows[build.name])
    else:
        rows = _on_cluster(sweep, workers, scheduler, tell)
    return [rows[b.name] for b in sweep.builds]


def _on_cluster(sweep: Sweep, workers: int, scheduler: str | None, tell: Tell | None) -> dict[str, Row]:
    try:
        distributed = importlib.import_module("distributed")  # an extra: only sweeps need it
        dask = importlib.import_module("dask")
    except ImportError as e:
        text = f"a sweep runs on dask.distributed, which is not installed: {e}"
        remedy = "pip install 'aieloom[cluster]', or run one build after another: --workers 0"
        raise SpecError(rule="sweep", text=text, remedy=remedy) from e
    cluster = None
    try:
        if scheduler is None:
            # A worker imports for seconds, on a busy machine for many: half a minute is not enough to give it up.
            with dask.config.set({"distributed.comm.timeouts.connect": f"{WORKER_SECONDS}s"}):
                cluster = distributed.LocalCluster(
                    n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0"
                )
        with distributed.Client(scheduler or cluster, timeout=CONNECT_SECONDS) as client:
            futures = {
                client.submit(run_build, b, sweep.task, key=b.name, pure=False, retries=RETRIES): b
                for b in sweep.builds
            }
            rows = {}
            for future in distributed.as_completed(list(futures)):
                build = futures[future]
                rows[build.name] = _row_of_future(future, build)
                if tell:
                    tell(rows[build.name])
            return rows
    except OSError as e:
        remedy = "check the address (scheduler=tcp://host:8786), or leave it out for this machine alone"
        raise SpecError(rule="sweep", text=f"no scheduler at {scheduler}: {e}", remedy=remedy) from e
    finally:
        if cluster is not None:
            cluster.close()


def _row_of_future(future: Future[Row], build: Build) -> Row:
    problem = future.exception()
    if problem is None:
        return future.result()
    return {
        "name": build.name,
        "target": build.target,
        "ok": False,
        "seconds": 0.0,
        "message": str(problem)[:_MESSAGE],
    }


def write_table(rows: Sequence[Row], out: Path) -> Path:
    """Write table.csv and table.json; return the first."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(out / "table.csv", text.getvalue())
    write_text(out / "table.json", json.dumps(list(rows), indent=1) + "\n")
    return out / "table.csv"


def clean(sweep: Sweep) -> None:
    """Remove the folders of all builds."""
    for build in sweep.builds:
        shutil.rmtree(build.folder, ignore_errors=True)
