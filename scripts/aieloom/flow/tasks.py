"""The doit tasks of a project. dodo.py calls `define_tasks`, and every arrow of the design is one task.

The plan is made when the tasks are defined (a tenth of a second), because the generated files, and with them the
compilations, follow from it. Where the plan cannot be made, the task `plan` says why.
"""

from __future__ import annotations

import subprocess
import sys
import webbrowser
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from doit import get_var
from doit.tools import config_changed

from aieloom import messages
from aieloom.advice.partition import partition_lines
from aieloom.emit.files import write_tree
from aieloom.emit.project import SOURCE_FOLDERS, output_names, render, template_folder
from aieloom.emulator.build import Step, compile_step
from aieloom.errors import AieloomError, RunFailed, ToolError
from aieloom.flow import emulation, outcome, sim
from aieloom.flow.dse_task import DOC as DSE_DOC
from aieloom.flow.dse_task import dse_task
from aieloom.flow.lock import hold_to_the_end
from aieloom.flow.project import Project, find_project, open_project, write_plan
from aieloom.flow.reporter import Reporter
from aieloom.flow.timing import record, timed
from aieloom.flow.vitis_database import mend_database
from aieloom.flow.vitis_tasks import VitisTasks, open_flow
from aieloom.kept import code_digest, files_digest
from aieloom.paths import package_folder
from aieloom.report import site

Task = dict[str, Any]
DEFAULT_PROJECT = "espcn"
GRAPH_SOURCE = "graph.cpp"


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What the command line chose: `project=`, `target=`, `weights=`, `build=`."""

    project: str
    target: str | None
    weights: Path | None
    build: Path | None

    @classmethod
    def of_command_line(cls) -> Choice:
        """Read doit's command-line variables."""
        weights, build = get_var("weights"), get_var("build")
        return cls(
            project=get_var("project", DEFAULT_PROJECT),
            target=get_var("target"),
            weights=Path(weights) if weights else None,
            build=Path(build) if build else None,
        )


def define_tasks(root: Path) -> dict[str, Any]:
    """Return what a dodo.py needs in its name space: `globals().update(define_tasks(folder))`."""
    choice = Choice.of_command_line()
    mend_database(root / ".doit.db")
    config = {
        "default_tasks": ["sim"],
        "reporter": Reporter,
        "verbosity": 2,
        "num_process": 2,
        "par_type": "thread",
        "check_file_uptodate": "md5",
        "dep_file": str(root / ".doit.db"),
        "backend": "sqlite3",
    }
    try:
        project = open_project(
            find_project(choice.project, root),
            target=choice.target,
            build=choice.build or root / "build",
            weights=choice.weights,
        )
        vendor = VitisTasks(open_flow(project, root)).creators()
    except AieloomError as e:
        return {"DOIT_CONFIG": config, **_without_plan(e, root, choice)}
    creators = ProjectTasks(project).creators() | vendor
    return {"DOIT_CONFIG": config, **{f"task_{name}": make for name, make in creators.items()}}


def _without_plan(problem: AieloomError, root: Path, choice: Choice) -> dict[str, Any]:
    """Return tasks that tell why there is no plan; training needs none."""

    def explain() -> Any:
        return outcome.told(problem)

    def creator(name: str) -> Callable[[], Task]:
        return lambda: {"actions": [explain], "basename": name, "doc": TASK_DOCS[name], "uptodate": [False]}

    made = {
        f"task_{name}": creator(name)
        for name in ("plan", "gen", "sim", "emulate", "report", "build", "ci", "dse")
    }
    script = root / "projects" / choice.project / "train.py"
    if script.is_file():
        made["task_train"] = lambda: _train_task(script)
    return made


TASK_DOCS = {
    "plan": "decide everything about the design: build/<project>/<target>/plan.json",
    "gen": "print the plan into AIE, PL and host sources, system.cfg, package.cfg",
    "compile": "compile one source for the emulator",
    "link": "link the emulated system",
    "images": "run the project's images through the emulated system, compare with the references",
    "sim": "simulate: run the images in the emulator and show how they compare",
    "emulate": "run the whole system (host, PL, AIE) in the emulator; the same run as `sim` without Vitis",
    "report": "write report/index.html and its drawings beside summary.json [compare=DIR: with another design beside it]",
    "dse": DSE_DOC,
    "show": "open the report in a browser",
    "build": "everything for a board, with Vitis",
    "ci": "everything that needs no hardware",
    "train": "train the project's network (its train.py)",
}


@cache
def emulator_digest() -> str:
    """Return a digest of the emulator's headers and sources: a new one compiles again."""
    folder = package_folder()
    return files_digest(
        sorted(f for part in ("include", "src") for f in (folder / part).rglob("*") if f.is_file())
    )


class ProjectTasks:
    """All tasks of one opened project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.sources = [str(project.build / name) for name in output_names(project.plan)]
        self.steps = sorted(emulation.steps(project), key=_longest_first)

    def creators(self) -> dict[str, Callable[[], Any]]:
        """Return the task creators by name."""
        made: dict[str, Callable[[], Any]] = {
            "plan": self.plan,
            "gen": self.gen,
            "compile": self.compile,
            "link": self.link,
            "images": self.images,
            "report": self.report,
            "show": self.show,
            "dse": lambda: dse_task(self.project),
            "sim": lambda: self.shown("sim"),
            "emulate": lambda: self.shown("emulate"),
        }
        script = self.project.folder / "train.py"
        if script.is_file():
            made["train"] = lambda: _train_task(script)
        return made

    def _action(self, act: Callable[[], object]) -> Callable[[], bool | outcome.Told]:
        """Return an action for doit that keeps other processes out of the build folder until this one ends."""

        def alone() -> None:
            hold_to_the_end(self.project.build)
            act()

        return outcome.guarded(alone)

    def _settings(self, **more: str) -> config_changed:
        p = self.project
        described = files_digest(p.description[1:])  # network.yaml itself is a file_dep
        return config_changed(
            {
                "target": p.target,
                "code": code_digest(),
                "weights": str(p.weights_override),
                "described": described,
                **more,
            }
        )

    def plan(self) -> Task:
        """Write plan.json."""

        def act() -> None:
            write_plan(self.project)
            record(self.project.build, "plan", self.project.plan_seconds)
            for line in partition_lines(self.project.plan):
                messages.progress().print(line, markup=False)

        return {
            "actions": [self._action(act)],
            "doc": TASK_DOCS["plan"],
            "file_dep": [str(self.project.yaml)],
            "targets": [str(self.project.build / "plan.json")],
            "uptodate": [self._settings()],
            "clean": True,
        }

    def gen(self) -> Task:
        """Write all sources."""

        def act() -> None:
            parameters = self.project.parameters
            for line in self.project.weights_notes:
                messages.progress().print(line, markup=False)
            with timed(self.project.build, "emit"):
                tree = render(self.project.plan, parameters)
                write_tree(self.project.build, tree, owned=SOURCE_FOLDERS)

        weights = [str(self.project.weights)] if self.project.weights.is_file() else []
        return {
            "actions": [self._action(act)],
            "doc": TASK_DOCS["gen"],
            "file_dep": [str(self.project.build / "plan.json"), *weights, *_templates()],
            "targets": self.sources,
            "uptodate": [self._settings(), bool(weights)],
            "clean": True,
        }

    def compile(self) -> Iterator[Task]:
        """Compile each unit of the emulated system."""
        yield {"basename": "compile", "name": None, "doc": TASK_DOCS["compile"]}
        for step in self.steps:
            yield self._compilation(step)

    def _compilation(self, step: Step) -> Task:
        def act() -> None:
            with timed(self.project.build, f"compile:{step.name}"):
                compile_step(step)

        return {
            "basename": "compile",
            "name": step.name,
            "actions": [self._action(act)],
            "doc": f"compile {step.unit.source.name}",
            "file_dep": self._reads(step),
            "task_dep": ["gen"],
            "targets": [str(step.target)],
            "uptodate": [
                config_changed(
                    {"options": list(step.unit.defines), "code": code_digest() + emulator_digest()}
                )
            ],
            "clean": True,
        }

    def _reads(self, step: Step) -> list[str]:
        """Return the generated files that a unit reads: graph and host their folder's headers, a kernel its class's."""
        source = step.wraps or step.unit.source
        headers = [Path(s) for s in self.sources if s.endswith(".h") and Path(s).parent == source.parent]
        if source.name == GRAPH_SOURCE or source.parent.name == "host":
            return [str(source), *map(str, headers)]
        return [str(source), *(str(h) for h in headers if h.stem == source.stem)]

    def link(self) -> Task:
        """Link the emulated system."""

        def act() -> None:
            with timed(self.project.build, "link"):
                emulation.link_system(self.project)

        return {
            "actions": [self._action(act)],
            "doc": TASK_DOCS["link"],
            "task_dep": [f"compile:{s.name}" for s in self.steps],
            "file_dep": [
                *(str(s.target) for s in self.steps),
                str(self.project.build / "src" / "system.cfg"),
            ],
            "targets": [str(emulation.program(self.project)), str(emulation.xclbin(self.project))],
            "clean": True,
        }

    def images(self) -> Task:
        """Run the images and compare."""
        project = self.project

        def act() -> None:
            sim.simulate(project)

        made = [str(project.build / "report" / name) for name in ("summary.json", "images.png")]
        return {
            "actions": [self._action(act)],
            "doc": TASK_DOCS["images"],
            "file_dep": [
                str(emulation.program(project)),
                str(emulation.xclbin(project)),
                str(project.weights),
                *map(str, project.images),
                *([str(project.samples)] if project.samples else []),
            ],
            "targets": made if project.images else made[:1],
            "uptodate": [self._settings()],
            "clean": True,
        }

    def report(self) -> Task:
        """Write the report beside the summary."""
        folder = self.project.build / "report"
        other = get_var("compare")
        compare = Path(other) if other else None
        return {
            "actions": [self._action(lambda: site.write_report(self.project.plan, folder, compare=compare))],
            "doc": TASK_DOCS["report"],
            "file_dep": [str(folder / "summary.json"), str(self.project.build / "plan.json")],
            "targets": [str(folder / name) for name in site.FILES],
            "uptodate": [self._settings(compare=other or ""), *([False] if other else [])],
            "clean": True,
        }

    def show(self) -> Task:
        """Open the report."""
        page = self.project.build / "report" / "index.html"

        def act() -> None:
            opened = webbrowser.open(page.as_uri())
            messages.console().print(f"{'opened' if opened else 'open in a browser:'} {page}", markup=False)

        return {
            "actions": [self._action(act)],
            "doc": TASK_DOCS["show"],
            "task_dep": ["report"],
            "uptodate": [False],
        }

    def shown(self, name: str) -> Task:
        """Show the table of the last run; always."""

        def act() -> None:
            if not sim.show(self.project):
                raise RunFailed("the last run did not pass; see the table")

        return {
            "basename": name,
            "actions": [self._action(act)],
            "doc": TASK_DOCS[name],
            "task_dep": ["plan", "images", "report"],
            "uptodate": [False],
        }


@cache
def _templates() -> tuple[str, ...]:
    folders = (template_folder(name) for name in ("aie_templates", "pl_templates", "host_templates"))
    return tuple(str(f) for folder in folders for f in sorted(folder.rglob("*.j2")))


def _train_task(script: Path) -> Task:
    def act() -> None:
        done = subprocess.run([sys.executable, str(script)], check=False)
        if done.returncode:
            raise ToolError(
                command=(Path(sys.executable).name, script.name),
                first_error=f"exit code {done.returncode}; its own message stands above",
                log=None,
                remedy="pip install 'aieloom[train]' has what train.py imports",
            )

    return {"actions": [outcome.guarded(act)], "doc": TASK_DOCS["train"], "uptodate": [False]}


def _longest_first(step: Step) -> int:
    """Return a rank by how long a unit compiles, so that two compilers end at about the same time."""
    kinds = ("runtime_", "pl_pl_", "graph", "host_", "pl_", "aie_")
    return next(rank for rank, kind in enumerate(kinds) if step.name.startswith(kind))
