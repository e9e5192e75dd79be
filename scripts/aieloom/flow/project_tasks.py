"""The doit tasks of a project: every arrow of the design is one.

The plan is made when they are defined (a tenth of a second), because the generated files, and with them the compilations,
follow from it. Where the plan cannot be made, the task `plan` says why.

Whether a task has something to do is not doit's to say but that of what lies in the build folder (results.py): doit gives the
order, and its database is forgotten at the end of each run.
"""

from __future__ import annotations

import subprocess
import sys
import webbrowser
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from doit import doit_cmd, get_var

from aieloom import messages, progress
from aieloom.digests import code_digest, named_digest, text_digest
from aieloom.emit.files import write_tree
from aieloom.emit.names import SOURCE_FOLDERS
from aieloom.emulator.build import Step, compile_step, is_step_done
from aieloom.emulator.compiler import find_compiler
from aieloom.errors import AieloomError, RunFailed, SpecError, ToolError
from aieloom.flow import build_tasks
from aieloom.flow.build_tasks import BuildTasks
from aieloom.flow.designs import Design, design_of
from aieloom.flow.dse_words import KEYS as DSE_WORDS
from aieloom.flow.inputs import opened
from aieloom.flow.listing import DEFAULT_PROJECT, DOCS
from aieloom.flow.opening import open_any
from aieloom.flow.project import (
    Project,
    find_project,
    write_plan,
)
from aieloom.flow.report_task import Report
from aieloom.flow.results import Results, Task, always, checked, made
from aieloom.flow.timing import record, timed
from aieloom.flow.tool_runs import RESULT, pictures, show
from aieloom.flow.vitis_flow import no_platform
from aieloom.flow.vitis_tasks import VitisTasks
from aieloom.spec.device import Device
from aieloom.spec.validation import closest
from aieloom.vitis.settings import ENVIRONMENT

VARIABLES = (
    *("project", "target", "weights", "build", "compare", "mode", "stage", "quiet"),
    *DSE_WORDS,
    *ENVIRONMENT,
)
NEAR = 0.8  # what is as like a known word is a slip of the finger


def creators_of(root: Path) -> Mapping[str, Callable[[], object]]:
    """Return the creators of the tasks of what the command line chose (`project=`, `target=`, ...), by name."""
    try:
        _check_variables()
        weights, build = (Path(said) if (said := get_var(key)) else None for key in ("weights", "build"))
        folder = find_project(get_var("project"), root)
        with progress.lines():
            project, inputs = opened(
                lambda: open_any(
                    folder, target=get_var("target"), build=build or root / "build", weights=weights
                )
            )
        return _creators(project, inputs, root)
    except AieloomError as e:
        return _without_plan(e, root)


def _check_variables() -> None:
    """Check doit's command-line variables.

    Raises:
        SpecError: one is nearly a known one; others may be those of a dodo.py's own tasks.
    """
    for said in doit_cmd._CMDLINE_VARS or ():
        near = closest(said, VARIABLES, cutoff=NEAR)
        if said not in VARIABLES and near:
            text = f"there is no variable '{said}'{near}"
            raise SpecError(rule="option", text=text, remedy="correct the word before the =")


def _without_plan(problem: AieloomError, root: Path) -> dict[str, Callable[[], Task]]:
    """Return creators of tasks that tell why there is no plan; training needs none."""
    names = ("plan", "gen", "sim", "emulate", "report", "build", "ci", "dse")
    made = {name: _refusal(name, problem) for name in names}
    script = root / "projects" / get_var("project", DEFAULT_PROJECT) / "train.py"
    if script.is_file():
        made["train"] = lambda: _train_task(script)
    return made


def _creators(project: Project, inputs: str, root: Path) -> Mapping[str, Callable[[], object]]:
    """Return the creators of an opened project's tasks."""
    design = design_of(project)
    other = get_var("compare")
    report = Report(design=design, inputs=inputs, compare=Path(other) if other else None)
    tasks = ProjectTasks(design, inputs, report).creators()
    if project.on_array:  # its array alone runs in simulators too
        flow = build_tasks.open_flow(design, root)
        return tasks | VitisTasks(flow, inputs, report.refresh).creators()
    mode = get_var("mode", "emu")
    has_times = design.sources.device is not None  # what lies on an array runs with times
    text = f"mode={mode} is for designs whose layers have cores of their own; {project.name} has none"
    remedy = "leave it out: doit sim emulates the design"
    if has_times:
        remedy += "; doit emulate mode=timed runs it with times"
    no_mode = SpecError(rule="option", text=text, remedy=remedy)
    if mode != "emu" and not (mode == "timed" and has_times):
        raise no_mode
    if not isinstance(design.board, Device):
        refused = no_platform(project, design.board)
        return tasks | {name: _refusal(name, refused) for name in ("build", "board")}
    tasks |= BuildTasks(build_tasks.open_flow(design, root), inputs, report.refresh).creators()
    if mode == "timed" and has_times:
        tasks["sim"] = _refusal("sim", no_mode)
        tasks["emulate"] = lambda: build_tasks.timed_task(design)
    return tasks


def _refusal(name: str, problem: AieloomError) -> Callable[[], Task]:
    """Return the creator of a task that is not for such a project: it tells why."""
    doc = DOCS[name]
    return lambda: always(name, lambda: _refuse(problem), doc=doc)


def _refuse(problem: AieloomError) -> None:
    raise problem


class ProjectTasks:
    """All tasks of one opened project; `inputs` is a digest of all that its results follow from."""

    def __init__(self, design: Design, inputs: str, report: Report) -> None:
        self.design, self.project, self.inputs, self.report = design, design.project, inputs, report
        self.system = design.emulated
        self.sources = [str(self.project.build / name) for name in design.sources.names]
        self.steps = sorted(self.system.steps(), key=_longest_first)

    def creators(self) -> dict[str, Callable[[], object]]:
        """Return the task creators by name."""
        made: dict[str, Callable[[], object]] = {
            "plan": self.plan,
            "gen": self.gen,
            "compile": self.compile,
            "link": self.link,
            "images": self.images,
            "report": self.report.task,
            "dse": self.dse,
            "show": self.show,
            "sim": lambda: self.shown("sim"),
            "emulate": lambda: self.shown("emulate"),
        }
        script = self.project.folder / "train.py"
        if script.is_file():
            made["train"] = lambda: _train_task(script)
        return made

    def _results(
        self, task: str, files: Callable[[], Iterable[Path]], *, more: Callable[[], str] = str
    ) -> Results:
        """Return what a task makes of the project's inputs and `more`."""
        return Results(
            task=task,
            build=self.project.build,
            made_of=lambda: text_digest(self.inputs, more()),
            files=files,
        )

    def plan(self) -> Task:
        """Write plan.json."""
        file = self.project.build / "plan.json"

        def act() -> None:
            write_plan(self.project)
            record(self.project.build, "plan", self.project.plan_seconds)
            for line in self.design.lines:
                messages.note(line)

        return made(self._results("plan", lambda: [file]), act, doc=DOCS["plan"], targets=[file])

    def gen(self) -> Task:
        """Write all sources."""
        build = self.project.build

        def act() -> None:
            _ = self.project.parameters
            for line in self.project.weights_notes:
                messages.note(line)
            with timed(build, "emit"):
                write_tree(build, self.design.render(), owned=SOURCE_FOLDERS)

        def files() -> set[Path]:
            """Return what should be there, and what else is where a compiler looks for headers."""
            found = (f for folder in SOURCE_FOLDERS for f in (build / folder).rglob("*") if not f.is_dir())
            return {*map(Path, self.sources), *found}

        results = self._results("gen", files)
        return made(results, act, doc=DOCS["gen"], targets=self.sources, after=["plan"])

    def compile(self) -> Iterator[Task]:
        """Compile each unit of the emulated system."""
        yield {"basename": "compile", "name": None, "doc": DOCS["compile"]}
        for step in self.steps:
            yield self._compilation(step)

    def _compilation(self, step: Step) -> Task:
        build = self.project.build

        def act() -> None:
            with timed(build, f"compile:{step.name}"):
                compile_step(step)

        doc, is_done = f"compile {step.unit.source.name}", partial(is_step_done, step)
        task = checked("compile", build, act, is_done, doc=doc, targets=[step.target], after=["gen"])
        return {**task, "name": step.name}

    def link(self) -> Task:
        """Link the emulated system."""
        project = self.project
        made_files = self.system.programs
        read = [*(s.target for s in self.steps), project.build / "src" / "system.cfg"]

        def act() -> None:
            with timed(project.build, "link"):
                self.system.link()

        results = Results(
            task="link",
            build=project.build,
            made_of=lambda: text_digest(
                code_digest(), find_compiler().identity, named_digest((f.name, f) for f in read)
            ),
            files=lambda: made_files,
        )
        after = [f"compile:{s.name}" for s in self.steps]
        return made(results, act, doc=DOCS["link"], targets=made_files, after=after)

    def images(self) -> Task:
        """Run the images and compare."""
        project = self.project
        made_files = [project.build / "report" / name for name in (RESULT, *pictures(project))]

        def act() -> None:
            from aieloom.flow.sim import simulate  # noqa: PLC0415 - only a run needs it

            simulate(self.design)

        results = self._results(
            "images", lambda: made_files, more=lambda: named_digest((f.name, f) for f in self.system.programs)
        )
        return made(results, act, doc=DOCS["images"], targets=made_files, after=["link"])

    def dse(self) -> Task:
        """Search for a design; always, because the command line says what is looked for."""
        said = {key: get_var(key) for key in DSE_WORDS}

        def search() -> None:
            from aieloom.flow import dse  # noqa: PLC0415 - only a search needs it

            dse.search(self.project, said)

        return always("dse", search, doc=DOCS["dse"])

    def show(self) -> Task:
        """Open the report."""
        page = self.project.build / "report" / "index.html"

        def act() -> None:
            opened = webbrowser.open(page.as_uri())
            messages.say(f"{'opened' if opened else 'open in a browser:'} {page}")

        return always("show", act, doc=DOCS["show"], after=["report"], build=self.project.build)

    def shown(self, name: str) -> Task:
        """Show the table of the last run; always."""

        def act() -> None:
            if not show(self.project):
                raise RunFailed(f"the last run of {self.project.name} did not pass; see the table")

        after = ["plan", "images", "report"]
        return always(name, act, doc=DOCS[name], after=after, build=self.project.build)


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

    return always("train", act, doc=DOCS["train"])


def _longest_first(step: Step) -> int:
    """Return a rank by how long a unit compiles, so that two compilers end at about the same time."""
    kinds = ("runtime_", "pl_pl_", "graph", "host_", "pl_", "aie_")
    return next(rank for rank, kind in enumerate(kinds) if step.name.startswith(kind))
