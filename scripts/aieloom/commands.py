"""The words of the command line: every command with its options, and which function does it.

Nothing here imports what a command works with: help, completion and a slip of the finger are answered at once. Other
distributions add commands by the entry point group `aieloom.commands`: a function that is given the list of parsers.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any, TypeAlias

from aieloom.errors import SpecError
from aieloom.version import __version__
from aieloom.vitis.settings import ENVIRONMENT, MEANING

Commands = argparse._SubParsersAction
Option: TypeAlias = tuple[str, dict[str, Any]]  # what argparse's add_argument is given
# Name, function, options, what add_parser is given
Row: TypeAlias = tuple[str, str, tuple[Option, ...], dict[str, Any]]

OBJECTIVES = ("throughput", "latency", "cores", "energy")
BUDGETS = ("aie_cores", "plio", "latency_us", "dsp", "lut", "bram36", "uram288")  # what budget: has
ELEMENTS = ("float32", "bfloat16", "int16", "int8", "int32")
ACTIVATIONS = ("relu", "tanh", "sigmoid", "leaky_relu", "none")
TEMPLATES = ("empty", "espcn", "mnist", "mlp")
ARRAYS = ("aie", "aie-ml")
SHELLS = ("bash", "zsh", "fish")
ADDED = "aieloom.commands"
ELSEWHERE = {  # commands of this repository's other distributions: whose, and how one gets it
    "serve": ("aieloom-serve", "pip install ./serve in a checkout of aieloom, or its wheel beside aieloom's")
}
IN_JSON = "one JSON object on stdout in place of text"

TRY = "give designs of each kind to every tool that is here, set what they say beside the plans, write one archive"
OTHERS = "with --try: other projects of this repository, or gemm"
OF_TENSORS = "where --model is tensors alone"
COPIES = "copies of the design at most (default: as many as the cores of the budget)"
WAYS = "any: try other engines and tiles too, where network.yaml leaves them open, or written"
DTYPES = "types of elements that are allowed, such as float32, bfloat16, int16, int8"
MODEL = (
    "a project for this model (.onnx, .tflite, .keras, .h5, .pt2), or for these tensors (.pt, .pth, .safetensors): "
    "layers guessed by shapes"
)
EMULATE = "build and run any ADF project, as the vendor's functional simulator would"
EMULATE_NOTES = (
    "main() in GRAPH.cpp drives the graph; with --host the host program does. Exit codes: the program's own; "
    "2 when a source, the design or its data are refused."
)
CSIM = "build and run an HLS component's test bench, as Vitis HLS does in C simulation"
CSIM_NOTES = (
    "The component is an hls_config.cfg, a run_hls.tcl, or the files that --source and --tb name. Exit codes: the test "
    "bench's own (0: it passed); 2 when a source is refused."
)
SWEEP = """Many builds at once: projects x targets x mappings, each in a folder of its own, results in one table.

The work runs on dask.distributed: a LocalCluster by default, a running scheduler with --scheduler tcp://...
(dask-jobqueue gives one for Slurm or LSF). A build whose worker dies is given to another one, which goes on in the
same folder: what was finished there is not repeated.

sweep.yaml:

    projects: [projects/espcn]
    targets: [vck190]
    task: sim                  # any of doit's: gen, sim, build, ...
    mappings:                  # edits of `mapping:` in network.yaml, by name
      published: {}
      large: {conv1: {tile: [32, 16, 64]}}
"""


def make_parser(word: str = "") -> argparse.ArgumentParser:
    """Return the parser of all commands; each names its function as `module:function`.

    Where `word` is a command of aieloom's own, those that are added are left out: to find them takes 0.06 s.

    Raises:
        SpecError: another distribution's command cannot be loaded.
    """
    parser = argparse.ArgumentParser(
        prog="aieloom", description="From a YAML network and trained weights to Versal AI Engines."
    )
    parser.add_argument("--version", action="version", version=f"aieloom {__version__}")
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="results and errors only, no progress and notes"
    )
    parser.add_argument("--json", action="store_true", help=IN_JSON)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="word")
    for name, function, options, words in COMMANDS:
        own = commands.add_parser(name, **words)
        for option_name, said in options:
            own.add_argument(option_name, **said)
        own.set_defaults(command=function)
    if word not in commands.choices:
        _added(commands)
    for sub in commands.choices.values():
        sub.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=IN_JSON)
    return parser


def _added(commands: Commands[argparse.ArgumentParser]) -> None:
    from importlib.metadata import entry_points  # noqa: PLC0415 - most of what finding them takes

    for point in entry_points(group=ADDED):
        try:
            add = point.load()
        except ImportError as e:
            text = f"the entry point '{point.name} = {point.value}' cannot be loaded: {e}"
            raise SpecError(
                rule="plug-in", text=text, remedy="install its package again, or uninstall it"
            ) from e
        add(commands)


def _shape(text: str) -> tuple[int, int, int]:
    """Return `C,H,W` as numbers."""
    numbers = [int(part) for part in text.split(",")] if re.fullmatch(r"\d{1,5}(,\d{1,5}){2}", text) else []
    if len(numbers) != 3 or min(numbers) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no shape: channels,height,width, as 1,28,28")
    return numbers[0], numbers[1], numbers[2]


def positive(text: str) -> int:
    """Return a number of 1 or more.

    Raises:
        ArgumentTypeError: the text is none.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number of 1 or more")
    return int(text)


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= 1 << 62:
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number from 0 to 2^62 - 1")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is no number of seconds, 0 or more")
    return seconds


def option(name: str, text: str, **words: Any) -> Option:
    """Return an option, or an argument, as argparse has it."""
    return name, {"help": text, **words}


def flag(name: str, text: str) -> Option:
    """Return an option that is given or not."""
    return option(name, text, action="store_true")


def path(name: str, metavar: str, text: str, **words: Any) -> Option:
    """Return an option that is a file or a folder."""
    return option(name, text, type=Path, metavar=metavar, **words)


def files(name: str, metavar: str, text: str) -> Option:
    """Return an option that is several files, and may be given several times."""
    return path(name, metavar, text, action="extend", nargs="+", default=[])


def here(name: str, metavar: str, text: str) -> Option:
    """Return an argument that is a folder, by default this one."""
    return path(name, metavar, text, nargs="?", default=Path())


def lengths(name: str, metavar: tuple[str, str, str], text: str) -> Option:
    """Return an option that is three numbers."""
    return option(name, text, type=int, nargs=3, metavar=metavar)


def command(name: str, function: str, text: str, *options: Option, **words: Any) -> Row:
    """Return a command: the package's function that does it, in words what that is, its options, what else argparse is told."""
    return name, f"aieloom.{function}", options, {"help": text, **words}


PROJECT = option("--project", "the project's name or folder (default: the one in this folder, else espcn)")
FOLDER = here("project", "FOLDER", "the project's folder, or its network.yaml (default: this folder)")
TARGET = option("--target", "the board, instead of the file's")
BOARD = option("--target", "the board (default vck190)", default="vck190")
WEIGHTS = option("--weights", "trained tensors, instead of the file's", type=Path)
INCLUDES = option("-I", "folder of headers", dest="includes", action="append", default=[], metavar="DIR")
DEFINES = option("-D", "define a macro", dest="defines", action="append", default=[], metavar="NAME[=V]")
STALLS = option(
    "--stalls",
    "steps in which streams of PL kernels show neither data nor room, by a seed",
    type=_seed,
    metavar="SEED",
)
LAYER = option("layer", "a layer of network.yaml")
SANITIZE = flag("--sanitize", "check addresses and undefined behaviour")


GEMM = "write a project that computes C = A x B, A of M x K and B of K x N, on the whole array"

COMMANDS = (
    command(
        "check",
        "flow.project_cli:check",
        "check a project's network.yaml, weights and design rules",
        *(FOLDER, TARGET, WEIGHTS),
    ),
    command("plan", "flow.project_cli:plan", "print the plan as JSON", FOLDER, TARGET, WEIGHTS),
    command(
        "sim",
        "flow.project_cli:sim",
        "generate, compile, run in the emulator, compare: what `doit sim` does",
        *(FOLDER, TARGET, WEIGHTS),
    ),
    command(
        "report",
        "flow.project_cli:report",
        "write the report of the last run again",
        *(FOLDER, TARGET, WEIGHTS),
        path("--compare", "DIR", "build folder of another design to set beside it"),
    ),
    command(
        "components",
        "flow.project_cli:components",
        "write each PL kernel as an HLS component with a test bench of what it carries in the emulated system",
        *(FOLDER, TARGET, WEIGHTS),
        option("--layer", "of this layer alone, on inputs at random", metavar="LAYER"),
    ),
    command(
        "doctor",
        "flow.vitis_cli:doctor",
        "what this machine has for Vitis, and what is missing for which stage",
        BOARD,
        *(option(f"--{key.replace('_', '-')}", MEANING[key]) for key in ENVIRONMENT if key != "host"),
        option("--try", TRY, dest="contact", action="store_true"),
        option("--projects", OTHERS, nargs="+", metavar="NAME"),
        path("--out", "DIR", "with --try: where it builds", default=Path("build/first-contact")),
    ),
    command(
        "sweep",
        "flow.vitis_cli:sweep_builds",
        "run many builds: projects x targets x mappings",
        option("file", "sweep.yaml", type=Path),
        option("--out", "where builds go (default build/sweep)", type=Path, default=Path("build/sweep")),
        option("--workers", "of the local cluster (default 2; 0: one after another)", type=int, default=2),
        option("--scheduler", "a running dask scheduler: tcp://host:8786"),
        description=SWEEP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    ),
    command(
        "new",
        "flow.scaffold_cli:new",
        "write a new project folder, with CI files; asks when nothing is given",
        path("folder", "NAME", "the new project's folder", nargs="?"),
        path("--from", "DIR", "copy the project in this folder", dest="source"),
        path("--model", "FILE", MODEL),
        option("--input", f"the input's shape, {OF_TENSORS}", type=_shape, metavar="C,H,W"),
        option("--activation", f"what stands between layers, {OF_TENSORS}", choices=ACTIVATIONS),
        option("--template", "what to start from (default empty)", choices=TEMPLATES, default="empty"),
        BOARD,
    ),
    command(
        "upgrade",
        "flow.scaffold_cli:bring_up",
        "bring a project's scaffolded files to this version; yours are kept",
        here("folder", "DIR", "default: this folder"),
        flag("--dry-run", "only say what would be done"),
    ),
    command(
        "explain",
        "explain.command:show_explain",
        "why the plan of a layer is as it is, with the arithmetic",
        *(LAYER, PROJECT, TARGET),
    ),
    command(
        "suggest",
        "explain.command:show_suggest",
        "settings near a layer's present ones that the cost model finds better",
        *(LAYER, PROJECT, TARGET),
    ),
    command(
        "watch",
        "explain.command:watch",
        "run again on every save, and show what changed",
        *(PROJECT, TARGET),
        option("--runs", "end after N runs (default: Ctrl-C ends)", type=int, metavar="N"),
    ),
    command(
        "dse",
        "flow.dse:dse",
        "search for the best design of a project",
        *(PROJECT, TARGET),
        option("--objective", f"{', '.join(OBJECTIVES)} (default: network.yaml's)"),
        *(
            option(f"--{key.replace('_', '-')}", f"budget: at most so many {key}", metavar="N")
            for key in BUDGETS
        ),
        option("--clocks", "written, or listed: try the platforms' PL clocks"),
        option("--pl", "any: try streaming PL kernels too, or written: as network.yaml says"),
        option("--copies", COPIES, metavar="N"),
        option("--ways", WAYS),
        option("--keep", "layers that stay as they are", metavar="LAYER[,LAYER]"),
        option("--dtypes", DTYPES, metavar="TYPE[,TYPE]"),
        option("--workers", "processes of this machine (default: one a core)", metavar="N"),
        option("--dask", "a dask scheduler whose workers search: tcp://host:8786", metavar="ADDRESS"),
    ),
    command(
        "gemm",
        "flow.gemm.command:gemm",
        GEMM,
        option("m", "rows of A and C", type=int, metavar="M"),
        option("k", "columns of A, rows of B", type=int, metavar="K"),
        option("n", "columns of B and C", type=int, metavar="N"),
        option("--target", "the board (default: vck190)", default="vck190"),
        option(
            "--dtype",
            "type of A and B (default: float32); float16 on the engine in the logic",
            default="float32",
            choices=("float32", "int8", "bfloat16", "float16"),
        ),
        option(
            "--engine",
            "the array, or a matrix engine in the logic, on any board (default: aie)",
            choices=("aie", "pl"),
            default="aie",
        ),
        option("--alpha", "engine pl: factor of A x B (default: 1)", type=float, default=1.0),
        option("--beta", "engine pl: factor of C, which is read then (default: 0)", type=float, default=0.0),
        flag("--transpose-a", "engine pl: A's file has its columns as rows"),
        flag("--transpose-b", "engine pl: B's file has its columns as rows"),
        lengths(
            "--block",
            ("M", "N", "K"),
            "engine pl: its block (default: solved from the board's DSP, LUT, FF and BRAM)",
        ),
        option("--out-dtype", "type of C (default: int32 of int8, else float32)", choices=ELEMENTS),
        option("--shift", "int8: sums are shifted right by it, halves up, saturated", type=int, default=0),
        option("--cores", "at most so many cores", type=int),
        lengths("--tile", ("M", "K", "N"), "what a core multiplies at a time"),
        lengths("--grid", ("X", "Y", "Z"), "rows of chains, cores of a chain, columns of chains"),
        path("--out", "DIR", "where to write it (default: gemm_MxKxN)"),
        flag("--run", "run it in the emulator and compare every element"),
        option("--seed", "seed of the matrices of --run", type=int, default=1),
        description=GEMM,
    ),
    command(
        "emulate",
        "emulator.command:run_emulate",
        EMULATE,
        path("graph", "GRAPH.cpp", "the graph's top file", nargs="?"),
        path("--project", "DIR", "find the files in a project's folder"),
        INCLUDES,
        DEFINES,
        option("--arch", "generation of the array (default: aie)", choices=ARRAYS),
        path("--data", "DIR", "where PLIO files are read (default: here)"),
        path("--out", "DIR", "where they are written (default: x86simulator_output)"),
        files("--pl", "FILE.cpp", "PL kernels"),
        path("--config", "system.cfg", "what v++ links by"),
        files("--host", "FILE.cpp", "host program"),
        option(
            "--xclbin",
            "what the host calls its xclbin where it does not take the name from its arguments",
            action="extend",
            nargs="+",
            default=[],
            metavar="NAME",
        ),
        option("--argv", "the host's arguments behind the xclbin, as one string", metavar="WORDS"),
        flag(
            "--shared-memory",
            "host and device see one memory, as on an embedded board (without it: copies until sync())",
        ),
        option("--iterations", "for graphs that run() for ever", type=positive, metavar="N"),
        option(
            "--kernel-timeout",
            "processor time of what neither reads, writes nor returns (60; PL kernels, host: 600; 0: for ever)",
            type=_seconds,
            metavar="SECONDS",
        ),
        STALLS,
        SANITIZE,
        flag("--timed", "tell cycles of kernels, rates and waits (needs clang 14)"),
        flag("--timestamps", "with --timed: lines T <time> in output files, as aiesimulator's"),
        path("--trace", "FILE", "with --timed: a timeline that Perfetto opens"),
        path("--report", "FILE.html", "with --timed: a page with a timeline"),
        description=f"{EMULATE}. {EMULATE_NOTES}",
    ),
    command(
        "csim",
        "emulator.hls.command:run_csim",
        CSIM,
        path("component", "hls_config.cfg|run_hls.tcl", "what it is made of", nargs="?"),
        files("--source", "FILE", "the design's files"),
        files("--tb", "FILE", "the test bench's files and data"),
        INCLUDES,
        DEFINES,
        option("--argv", "arguments of the test bench's main(), as one string", metavar="WORDS"),
        path("--out", "DIR", "where it runs and writes (default: csim/build)"),
        STALLS,
        SANITIZE,
        description=f"{CSIM}. {CSIM_NOTES}",
    ),
    command(
        "trust",
        "trust:command",
        "let a project's own operators (operators/*.py) run, which are programs",
        here("folder", "FOLDER", "the project's folder, or one that holds several (default: this folder)"),
        flag("--remove", "trust it no longer"),
    ),
    command(
        "schema",
        "cli:print_schema",
        "print the JSON Schema of network.yaml, for editors",
        flag("--summary", "that of report/summary.json, for programs that read it"),
    ),
    command(
        "completion",
        "cli:print_completion",
        "print the completion script of a shell",
        option("shell", "the shell", choices=SHELLS),
    ),
)
