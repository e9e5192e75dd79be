"""What `doit list` shows: the tasks that people type, in groups; the steps between them with `doit list --all`.

Neither the words nor the order hang on a project, so that none is opened for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

DEFAULT_PROJECT = "espcn"
DOCS: Mapping[str, str] = {
    "plan": "decide everything about the design: build/<project>/<target>/plan.json",
    "gen": "print the plan into AIE, PL and host sources, system.cfg, package.cfg",
    "compile": "compile one source for the emulator",
    "link": "link the emulated system",
    "images": "run the project's images through the emulated system, compare with the references",
    "sim": "simulate and compare [mode=emu|timed|x86|aie; default: the best that is installed]",
    "report": "write report/index.html and its drawings beside summary.json [compare=DIR: with another design beside it]",
    "dse": (
        "search for the best design: dse/mapping.yaml [objective=throughput|latency|cores|energy aie_cores= plio= latency_us= "
        "dsp= lut= bram36= uram288= copies= clocks=listed pl=written ways=written keep=LAYER,LAYER dtypes=TYPE,TYPE workers=N "
        "dask=tcp://HOST:8786]"
    ),
    "show": "open the report in a browser",
    "train": "train the project's network (its train.py)",
    "aiecom": "Vitis: compile the graph for the array",
    "hls": "Vitis: compile each PL kernel",
    "xsa": "Vitis: link kernels, array and platform",
    "host": "cross-compile the host program for the board",
    "card": "write what the host program reads on the board",
    "package": "Vitis: package the linked design (SD card, xclbin)",
    "build": "Vitis: everything for a board [target=vck190|vek280 stage=hw|hw_emu]; says how to run it",
    "board": "run the built design on a board that is up [host=ADDRESS]",
    "plio": "write the input streams of the array alone, as the vendor's simulators read them",
    "timedsim": "run the array alone in the emulator with times, compare every stream (needs clang 14)",
    "x86com": "Vitis: compile the graph for functional simulation",
    "x86sim": "Vitis: simulate the array functionally, compare every stream",
    "aiesim": "Vitis: simulate the array in time, compare every stream",
    "emulate": "run the whole system (host, PL, AIE) in the emulator [mode=timed: with times; stage=hw_emu: in Vitis]",
    "ci": "everything that needs no hardware: emulator, and the vendor's simulators where they are installed",
}
GROUPS: Mapping[str, tuple[str, ...]] = {
    "run": ("sim", "report", "show"),
    "look": ("plan", "gen"),
    "improve": ("dse", "train"),
    "Vitis": ("build", "board", "emulate", "ci"),
}
STEP = "a step"  # of other tasks: what doit calls a subtask, which it lists on demand
Creator = Callable[[], object]


def listed(words: Sequence[str], root: Path) -> dict[str, Creator] | None:
    """Return the creators of what a plain `doit list` shows; None: the command line asks for something else."""
    variables = dict(word.split("=", 1) for word in words if "=" in word)
    if [word for word in words if "=" not in word] != ["list"]:
        return None
    name = variables.get("project", DEFAULT_PROJECT)
    trains = any((folder / "train.py").is_file() for folder in (root, root / "projects" / name, Path(name)))
    names = (name for group in GROUPS.values() for name in group if name != "train" or trains)
    return {name: _named(name) for name in names}


def _named(name: str) -> Creator:
    return lambda: {"basename": name, "actions": None, "doc": DOCS[name]}


def arranged(creators: Mapping[str, Creator]) -> dict[str, Creator]:
    """Return the creators by the names that a dodo.py has them by, each task's text led by its group; the others make steps.

    doit takes a dodo.py's names in their order, so the groups' order stands in them; a task is called what it calls itself.
    """
    group_of = {name: group for group, names in GROUPS.items() for name in names}
    order = [*group_of, *(name for name in creators if name not in group_of)]
    found = {name: creators[name] for name in order if name in creators}
    return {
        f"task_{number:02}_{name}": _arranged(name, make, group_of.get(name, ""))
        for number, (name, make) in enumerate(found.items())
    }


def _arranged(name: str, make: Creator, group: str) -> Creator:
    def create() -> Iterator[object]:
        from doit.loader import generate_tasks  # noqa: PLC0415 - `aieloom check` has no tasks

        for task in generate_tasks(name, make()):
            if not group:
                task.subtask_of = task.subtask_of or STEP
            elif not task.subtask_of:
                task.doc = f"{group:<8} {task.doc}"
            yield task

    return create
