"""The doit tasks of a project. dodo.py calls `define_tasks`, and every arrow of the design is one task.

The plan is made when the tasks are defined (a tenth of a second), because the generated files, and with them the
compilations, follow from it. Where the plan cannot be made, the task `plan` says why.

Whether a task has something to do is not doit's to say but that of what lies in the build folder (results.py): doit gives the
order, and its database is forgotten at the end of each run.
"""

from __future__ import annotations

import aieloom.flow.interrupted  # noqa: F401 - before what takes a second to import
from aieloom.flow.results import Task

# isort: split
import subprocess
import sys
import webbrowser
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
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
from aieloom.flow import build_tasks, report_task
from aieloom.flow.build_tasks import BuildTasks
from aieloom.flow.designs import Design, design_of
from aieloom.flow.dse_words import KEYS as DSE_WORDS
from aieloom.flow.inputs import opened
from aieloom.flow.opening import open_any
from aieloom.flow.project import (
    DEFAULT_PROJECT,
    Project,
    find_project,
    write_plan,
)
from aieloom.flow.report_task import Report
from aieloom.flow.reporter import Reporter, arranged
from aieloom.flow.results import Results, always, checked, made
from aieloom.flow.timing import record, timed
from aieloom.flow.tool_runs import RESULT, pictures, show
from aieloom.flow.vitis_flow import no_platform
from aieloom.flow.vitis_tasks import VitisTasks
from aieloom.parallel import compilers
from aieloom.spec.device import Device
from aieloom.spec.validation import closest
from aieloom.vitis.settings import ENVIRONMENT

VARIABLES = (
    *("project", "target", "weights", "build", "compare", "mode", "stage", "quiet"),
    *DSE_WORDS,
    *ENVIRONMENT,
)
NEAR = 0.8  # what is as like a known word is a slip of the finger


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What the command line chose: `project=`, `target=`, `weights=`, `build=`."""

    project: str | None
    target: str | None
    weights: Path | None
    build: Path | None

    @classmethod
    def of_command_line(cls) -> Choice:
        """Read doit's command-line variables.

        Raises:
            SpecError: one is nearly a known one; others may be those of a dodo.py's own tasks.
        """
        for said in doit_cmd._CMDLINE_VARS or ():
            near = closest(said, VARIABLES, cutoff=NEAR)
            if said not in VARIABLES and near:
                text = f"there is no variable '{said}'{near}"
                raise SpecError(rule="option", text=text, remedy="correct the word before the =")
        weights, build = get_var("weights"), get_var("build")
        return cls(
            project=get_var("project"),
            target=get_var("target"),
            weights=Path(weights) if weights else None,
            build=Path(build) if build else None,
        )


def define_tasks(root: Path) -> dict[str, object]:
    """Return what a dodo.py needs in its name space: `globals().update(define_tasks(folder))`."""
    config = {
        "default_tasks": ["sim"],
        "reporter": Reporter,
        "verbosity": 2,
        "num_process": compilers(),
        "par_type": "thread",
        "dep_file": ":memory:",
        "backend": "sqlite3",
        "sort": "definition",  # of `doit list`: in groups
    }
    choice = Choice(project=None, target=None, weights=None, build=None)
    creators: Mapping[str, Callable[[], object]]
    try:
        choice = Choice.of_command_line()
        folder = find_project(choice.project, root)
        with progress.lines():
            project, inputs = opened(
                lambda: open_any(
                    folder,
                    target=choice.target,
                    build=choice.build or root / "build",
                    weights=choice.weights,
                )
            )
        creators = _creators(project, inputs, root)
    except AieloomError as e:
        creators = _without_plan(e, root, choice)
    return {"DOIT_CONFIG": config, **arranged(creators)}


def _without_plan(problem: AieloomError, root: Path, choice: Choice) -> dict[str, Callable[[], Task]]:
    """Return creators of tasks that tell why there is no plan; training needs none."""
    names = ("plan", "gen", "sim", "emulate", "report", "build", "ci", "dse")
    made = {name: _refusal(name, problem) for name in names}
    script = root / "projects" / (choice.project or DEFAULT_PROJECT) / "train.py"
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
    doc = TASK_DOCS.get(name) or build_tasks.DOCS[name]
    return lambda: always(name, lambda: _refuse(problem), doc=doc)


def _refuse(problem: AieloomError) -> None:
    raise problem


TASK_DOCS = {
    "plan": "decide everything about the design: build/<project>/<target>/plan.json",
    "gen": "print the plan into AIE, PL and host sources, system.cfg, package.cfg",
    "compile": "compile one source for the emulator",
    "link": "link the emulated system",
    "images": "run the project's images through the emulated system, compare with the references",
    "sim": "simulate: run the images in the emulator and show how they compare",
    "emulate": "run the whole system (host, PL, AIE) in the emulator; the same run as `sim` without Vitis",
    "report": report_task.DOC,
    "dse": (
        "search for the best design: dse/mapping.yaml [objective=throughput|latency|cores|energy aie_cores= plio= latency_us= "
        "dsp= lut= bram36= uram288= copies= clocks=listed pl=written ways=written keep=LAYER,LAYER dtypes=TYPE,TYPE workers=N "
        "dask=tcp://HOST:8786]"
    ),
    "show": "open the report in a browser",
    "build": "everything for a board, with Vitis",
    "ci": "everything that needs no hardware",
    "train": "train the project's network (its train.py)",
}


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

        return made(self._results("plan", lambda: [file]), act, doc=TASK_DOCS["plan"], targets=[file])

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
        return made(results, act, doc=TASK_DOCS["gen"], targets=self.sources, after=["plan"])

    def compile(self) -> Iterator[Task]:
        """Compile each unit of the emulated system."""
        yield {"basename": "compile", "name": None, "doc": TASK_DOCS["compile"]}
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
        return made(results, act, doc=TASK_DOCS["link"], targets=made_files, after=after)

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
        return made(results, act, doc=TASK_DOCS["images"], targets=made_files, after=["link"])

    def dse(self) -> Task:
        """Search for a design; always, because the command line says what is looked for."""
        said = {key: get_var(key) for key in DSE_WORDS}

        def search() -> None:
            from aieloom.flow import dse  # noqa: PLC0415 - only a search needs it

            dse.search(self.project, said)

        return always("dse", search, doc=TASK_DOCS["dse"])

    def show(self) -> Task:
        """Open the report."""
        page = self.project.build / "report" / "index.html"

        def act() -> None:
            opened = webbrowser.open(page.as_uri())
            messages.say(f"{'opened' if opened else 'open in a browser:'} {page}")

        return always("show", act, doc=TASK_DOCS["show"], after=["report"], build=self.project.build)

    def shown(self, name: str) -> Task:
        """Show the table of the last run; always."""

        def act() -> None:
            if not show(self.project):
                raise RunFailed(f"the last run of {self.project.name} did not pass; see the table")

        after = ["plan", "images", "report"]
        return always(name, act, doc=TASK_DOCS[name], after=after, build=self.project.build)


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

    return always("train", act, doc=TASK_DOCS["train"])


def _longest_first(step: Step) -> int:
    """Return a rank by how long a unit compiles, so that two compilers end at about the same time."""
    kinds = ("runtime_", "pl_pl_", "graph", "host_", "pl_", "aie_")
    return next(rank for rank, kind in enumerate(kinds) if step.name.startswith(kind))
