"""The words of the command line: every command with its options, and which function does it.

Nothing here imports what a command works with: help, completion and a slip of the finger are answered at once. Other
distributions add commands by the entry point group `aieloom.commands`: a function that is given the list of parsers.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from aieloom.errors import Problem, SpecError
from aieloom.version import __version__
from aieloom.vitis.settings import ENVIRONMENT, MEANING

Commands = argparse._SubParsersAction

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
PROJECT = "the project's name or folder (default: the one in this folder, else espcn)"

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
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout in place of text")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="word")
    for add in (
        _projects,
        _vitis,
        _scaffold,
        _explain,
        _dse,
        _gemm,
        _emulate,
        _csim,
        _own,
    ):
        add(commands)
    if word not in commands.choices:
        _added(commands)
    for sub in commands.choices.values():
        sub.add_argument(
            "--json",
            action="store_true",
            default=argparse.SUPPRESS,
            help="one JSON object on stdout in place of text",
        )
    return parser


def _added(commands: Commands[argparse.ArgumentParser]) -> None:
    from importlib.metadata import entry_points  # noqa: PLC0415 - most of what finding them takes

    for point in entry_points(group=ADDED):
        try:
            add = point.load()
        except ImportError as e:
            text = f"the entry point '{point.name} = {point.value}' cannot be loaded: {e}"
            raise SpecError(
                Problem(rule="plug-in", text=text, remedy="install its package again, or uninstall it")
            ) from e
        add(commands)


def _projects(commands: Commands[argparse.ArgumentParser]) -> None:
    for name, text in (
        ("check", "check a project's network.yaml, weights and design rules"),
        ("plan", "print the plan as JSON"),
        ("sim", "generate, compile, run in the emulator, compare: what `doit sim` does"),
        ("report", "write the report of the last run again"),
    ):
        parser = commands.add_parser(name, help=text)
        parser.add_argument(
            "project",
            type=Path,
            nargs="?",
            default=Path(),
            metavar="FOLDER",
            help="the project's folder, or its network.yaml (default: this folder)",
        )
        parser.add_argument("--target", help="the board, instead of the file's")
        parser.add_argument("--weights", type=Path, help="trained tensors, instead of the file's")
        if name == "report":
            parser.add_argument(
                "--compare", type=Path, metavar="DIR", help="build folder of another design to set beside it"
            )
        parser.set_defaults(command=f"aieloom.flow.project_cli:{name}")


def _vitis(commands: Commands[argparse.ArgumentParser]) -> None:
    doctor = commands.add_parser(
        "doctor", help="what this machine has for Vitis, and what is missing for which stage"
    )
    doctor.add_argument("--target", default="vck190", help="the board (default vck190)")
    for key in ENVIRONMENT:
        if key != "host":
            doctor.add_argument(f"--{key.replace('_', '-')}", help=MEANING[key])
    doctor.add_argument(
        "--try",
        dest="contact",
        action="store_true",
        help="give designs of each kind to every tool that is here, set what they say beside the plans, write one archive",
    )
    doctor.add_argument(
        "--projects", nargs="+", metavar="NAME", help="with --try: other projects of this repository, or gemm"
    )
    doctor.add_argument(
        "--out",
        type=Path,
        default=Path("build/first-contact"),
        metavar="DIR",
        help="with --try: where it builds",
    )
    doctor.set_defaults(command="aieloom.flow.vitis_cli:doctor")
    many = commands.add_parser(
        "sweep",
        help="run many builds: projects x targets x mappings",
        description=SWEEP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    many.add_argument("file", type=Path, help="sweep.yaml")
    many.add_argument(
        "--out", type=Path, default=Path("build/sweep"), help="where builds go (default build/sweep)"
    )
    many.add_argument(
        "--workers", type=int, default=2, help="of the local cluster (default 2; 0: one after another)"
    )
    many.add_argument("--scheduler", help="a running dask scheduler: tcp://host:8786")
    many.set_defaults(command="aieloom.flow.vitis_cli:sweep_builds")


def _scaffold(commands: Commands[argparse.ArgumentParser]) -> None:
    new = commands.add_parser(
        "new", help="write a new project folder, with CI files; asks when nothing is given"
    )
    new.add_argument("folder", type=Path, metavar="NAME", nargs="?", help="the new project's folder")
    new.add_argument(
        "--from", dest="source", type=Path, metavar="DIR", help="copy the project in this folder"
    )
    new.add_argument(
        "--model",
        type=Path,
        metavar="FILE",
        help="a project for this model (.onnx, .tflite, .keras, .h5, .pt2), or for these tensors (.pt, .pth, .safetensors): "
        "layers guessed by shapes",
    )
    new.add_argument(
        "--input", type=_shape, metavar="C,H,W", help="the input's shape, where --model is tensors alone"
    )
    new.add_argument(
        "--activation", choices=ACTIVATIONS, help="what stands between layers, where --model is tensors alone"
    )
    new.add_argument(
        "--template", choices=TEMPLATES, default="empty", help="what to start from (default empty)"
    )
    new.add_argument("--target", default="vck190", help="the board (default vck190)")
    new.set_defaults(command="aieloom.flow.scaffold_cli:new")
    newer = commands.add_parser(
        "upgrade", help="bring a project's scaffolded files to this version; yours are kept"
    )
    newer.add_argument(
        "folder", type=Path, nargs="?", default=Path(), metavar="DIR", help="default: this folder"
    )
    newer.add_argument("--dry-run", action="store_true", help="only say what would be done")
    newer.set_defaults(command="aieloom.flow.scaffold_cli:bring_up")


def _shape(text: str) -> tuple[int, int, int]:
    """Return `C,H,W` as numbers."""
    numbers = [int(part) for part in text.split(",")] if re.fullmatch(r"\d{1,5}(,\d{1,5}){2}", text) else []
    if len(numbers) != 3 or min(numbers) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no shape: channels,height,width, as 1,28,28")
    return numbers[0], numbers[1], numbers[2]


def _explain(commands: Commands[argparse.ArgumentParser]) -> None:
    for name, text in (
        ("explain", "why the plan of a layer is as it is, with the arithmetic"),
        ("suggest", "settings near a layer's present ones that the cost model finds better"),
    ):
        parser = commands.add_parser(name, help=text)
        parser.add_argument("layer", help="a layer of network.yaml")
        parser.add_argument("--project", help=PROJECT)
        parser.add_argument("--target", help="the board, instead of the file's")
        parser.set_defaults(command=f"aieloom.explain.command:show_{name}")
    watch = commands.add_parser("watch", help="run again on every save, and show what changed")
    watch.add_argument("--project", help=PROJECT)
    watch.add_argument("--target", help="the board, instead of the file's")
    watch.add_argument("--runs", type=int, metavar="N", help="end after N runs (default: Ctrl-C ends)")
    watch.set_defaults(command="aieloom.explain.command:watch")


def _dse(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("dse", help="search for the best design of a project")
    parser.add_argument("--project", help=PROJECT)
    parser.add_argument("--target", help="the board, instead of the file's")
    parser.add_argument("--objective", help=f"{', '.join(OBJECTIVES)} (default: network.yaml's)")
    for key, metavar, text in (
        *((key, "N", f"budget: at most so many {key}") for key in BUDGETS),
        ("clocks", None, "written, or listed: try the platforms' PL clocks"),
        ("pl", None, "any: try streaming PL kernels too, or written: as network.yaml says"),
        ("copies", "N", "copies of the design at most (default: as many as the cores of the budget)"),
        (
            "ways",
            None,
            "any: try other engines and tiles too, where network.yaml leaves them open, or written",
        ),
        ("keep", "LAYER[,LAYER]", "layers that stay as they are"),
        (
            "dtypes",
            "TYPE[,TYPE]",
            "types of elements that are allowed, such as float32, bfloat16, int16, int8",
        ),
        ("workers", "N", "processes of this machine (default: one a core)"),
        ("dask", "ADDRESS", "a dask scheduler whose workers search: tcp://host:8786"),
    ):
        parser.add_argument(f"--{key.replace('_', '-')}", metavar=metavar, help=text)
    parser.set_defaults(command="aieloom.flow.dse:dse")


def _gemm(commands: Commands[argparse.ArgumentParser]) -> None:
    text = "write a project that computes C = A x B, A of M x K and B of K x N, on the whole array"
    parser = commands.add_parser("gemm", help=text, description=text)
    for name, what in (
        ("m", "rows of A and C"),
        ("k", "columns of A, rows of B"),
        ("n", "columns of B and C"),
    ):
        parser.add_argument(name, type=int, metavar=name.upper(), help=what)
    parser.add_argument("--target", default="vck190", help="the board (default: vck190)")
    parser.add_argument(
        "--dtype",
        default="float32",
        choices=("float32", "int8", "bfloat16", "float16"),
        help="type of A and B (default: float32); float16 on the engine in the logic",
    )
    parser.add_argument(
        "--engine",
        choices=("aie", "pl"),
        default="aie",
        help="the array, or a matrix engine in the logic, on any board (default: aie)",
    )
    parser.add_argument("--alpha", type=float, default=1.0, help="engine pl: factor of A x B (default: 1)")
    parser.add_argument(
        "--beta", type=float, default=0.0, help="engine pl: factor of C, which is read then (default: 0)"
    )
    parser.add_argument(
        "--transpose-a", action="store_true", help="engine pl: A's file has its columns as rows"
    )
    parser.add_argument(
        "--transpose-b", action="store_true", help="engine pl: B's file has its columns as rows"
    )
    parser.add_argument(
        "--block",
        type=int,
        nargs=3,
        metavar=("M", "N", "K"),
        help="engine pl: its block (default: solved from the board's DSP, LUT, FF and BRAM)",
    )
    parser.add_argument(
        "--out-dtype", choices=ELEMENTS, help="type of C (default: int32 of int8, else float32)"
    )
    parser.add_argument(
        "--shift", type=int, default=0, help="int8: sums are shifted right by it, halves up, saturated"
    )
    parser.add_argument("--cores", type=int, help="at most so many cores")
    parser.add_argument(
        "--tile", type=int, nargs=3, metavar=("M", "K", "N"), help="what a core multiplies at a time"
    )
    parser.add_argument(
        "--grid",
        type=int,
        nargs=3,
        metavar=("X", "Y", "Z"),
        help="rows of chains, cores of a chain, columns of chains",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to write it (default: gemm_MxKxN)")
    parser.add_argument("--run", action="store_true", help="run it in the emulator and compare every element")
    parser.add_argument("--seed", type=int, default=1, help="seed of the matrices of --run")
    parser.set_defaults(command="aieloom.flow.gemm.command:gemm")


def _emulate(commands: Commands[argparse.ArgumentParser]) -> None:
    p = commands.add_parser("emulate", help=EMULATE, description=f"{EMULATE}. {EMULATE_NOTES}")
    p.add_argument("graph", type=Path, nargs="?", metavar="GRAPH.cpp", help="the graph's top file")
    p.add_argument("--project", type=Path, metavar="DIR", help="find the files in a project's folder")
    p.add_argument(
        "-I", dest="includes", action="append", default=[], metavar="DIR", help="folder of headers"
    )
    p.add_argument(
        "-D", dest="defines", action="append", default=[], metavar="NAME[=V]", help="define a macro"
    )
    p.add_argument("--arch", choices=ARRAYS, help="generation of the array (default: aie)")
    p.add_argument("--data", type=Path, metavar="DIR", help="where PLIO files are read (default: here)")
    p.add_argument(
        "--out", type=Path, metavar="DIR", help="where they are written (default: x86simulator_output)"
    )
    p.add_argument(
        "--pl", type=Path, action="extend", nargs="+", default=[], metavar="FILE.cpp", help="PL kernels"
    )
    p.add_argument("--config", type=Path, metavar="system.cfg", help="what v++ links by")
    p.add_argument(
        "--host", type=Path, action="extend", nargs="+", default=[], metavar="FILE.cpp", help="host program"
    )
    p.add_argument(
        "--xclbin",
        action="extend",
        nargs="+",
        default=[],
        metavar="NAME",
        help="what the host calls its xclbin where it does not take the name from its arguments",
    )
    p.add_argument("--argv", metavar="WORDS", help="the host's arguments behind the xclbin, as one string")
    p.add_argument(
        "--shared-memory",
        action="store_true",
        help="host and device see one memory, as on an embedded board (without it: copies until sync())",
    )
    p.add_argument("--iterations", type=positive, metavar="N", help="for graphs that run() for ever")
    p.add_argument(
        "--kernel-timeout",
        type=_seconds,
        metavar="SECONDS",
        help="processor time of what neither reads, writes nor returns (60; PL kernels, host: 600; 0: for ever)",
    )
    p.add_argument(
        "--stalls",
        type=_seed,
        metavar="SEED",
        help="steps in which streams of PL kernels show neither data nor room, by a seed",
    )
    p.add_argument("--sanitize", action="store_true", help="check addresses and undefined behaviour")
    p.add_argument(
        "--timed", action="store_true", help="tell cycles of kernels, rates and waits (needs clang 14)"
    )
    p.add_argument(
        "--timestamps",
        action="store_true",
        help="with --timed: lines T <time> in output files, as aiesimulator's",
    )
    p.add_argument("--trace", type=Path, metavar="FILE", help="with --timed: a timeline that Perfetto opens")
    p.add_argument("--report", type=Path, metavar="FILE.html", help="with --timed: a page with a timeline")
    p.set_defaults(command="aieloom.emulator.command:run_emulate")


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


def _csim(commands: Commands[argparse.ArgumentParser]) -> None:
    p = commands.add_parser("csim", help=CSIM, description=f"{CSIM}. {CSIM_NOTES}")
    p.add_argument(
        "component", type=Path, nargs="?", metavar="hls_config.cfg|run_hls.tcl", help="what it is made of"
    )
    p.add_argument(
        "--source",
        type=Path,
        action="extend",
        nargs="+",
        default=[],
        metavar="FILE",
        help="the design's files",
    )
    p.add_argument(
        "--tb",
        type=Path,
        action="extend",
        nargs="+",
        default=[],
        metavar="FILE",
        help="the test bench's files and data",
    )
    p.add_argument(
        "-I", dest="includes", action="append", default=[], metavar="DIR", help="folder of headers"
    )
    p.add_argument(
        "-D", dest="defines", action="append", default=[], metavar="NAME[=V]", help="define a macro"
    )
    p.add_argument("--argv", metavar="WORDS", help="arguments of the test bench's main(), as one string")
    p.add_argument("--out", type=Path, metavar="DIR", help="where it runs and writes (default: csim/build)")
    p.add_argument(
        "--stalls",
        type=_seed,
        metavar="SEED",
        help="steps in which streams of PL kernels show neither data nor room, by a seed",
    )
    p.add_argument("--sanitize", action="store_true", help="check addresses and undefined behaviour")
    p.set_defaults(command="aieloom.emulator.hls.command:run_csim")


def _own(commands: Commands[argparse.ArgumentParser]) -> None:
    trust = commands.add_parser(
        "trust", help="let a project's own operators (operators/*.py) run, which are programs"
    )
    trust.add_argument(
        "folder",
        type=Path,
        nargs="?",
        default=Path(),
        metavar="FOLDER",
        help="the project's folder, or one that holds several (default: this folder)",
    )
    trust.add_argument("--remove", action="store_true", help="trust it no longer")
    trust.set_defaults(command="aieloom.trust:command")
    schema = commands.add_parser("schema", help="print the JSON Schema of network.yaml, for editors")
    schema.add_argument(
        "--summary", action="store_true", help="that of report/summary.json, for programs that read it"
    )
    schema.set_defaults(command="aieloom.cli:print_schema")
    shells = commands.add_parser("completion", help="print the completion script of a shell")
    shells.add_argument("shell", choices=SHELLS, help="the shell")
    shells.set_defaults(command="aieloom.cli:print_completion")
