"""Cycles that `aieloom emulate --timed` gives beside cycles that the author of public kernels states.

    python -m benchmarks.timed --sources DIR [--maxeva DIR] [--write]

DIR is a checkout of rehohoho/onnx2versal, whose headers state aiesimulator's cycles of every kernel; its graphs run
them, and graphs of one kernel each the rest (stated.py). MaxEVA's products have their cycles from its paper.
No number of the model is fitted to any of them; its rules were looked at beside the files of DEVELOPED alone, the other files
were run when they stood.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import aieloom
from aieloom.emulator.program import Result
from aieloom.emulator.timed.result import KernelCycles
from aieloom.errors import AieloomError
from benchmarks.stated import CONFIGS, MAXEVA, PLIO_MHZ, Config, Function, make
from tools.page import write_between

PAGE = Path(__file__).resolve().parents[1] / "docs" / "evidence" / "timed.md"
# MaxEVA: its float product decided when short loops are flattened (policy.py).
DEVELOPED = frozenset(
    {"conv", "gemm", "pool", "argmax", "pad", "quantize_linear", "dequantize_linear", "identity", "MaxEVA"}
)
GRAPHS = (
    "conv", "gemm", "pool", "argmax", "pad", "quantize_linear", "dequantize_linear", "identity", "add", "qgemm", "qlinearadd",
    "qlinearconv", "qlinearpool", "qlinearmac", "mac", "softmax", "qlinearsoftmax", "split", "concat", "transpose",
)  # fmt: skip
_STATED = re.compile(
    r"^ \* .*?<(?P<arguments>[^<>]+)>.*?(?:total =|takes|>) *(?P<cycles>\d+)",
    re.MULTILINE,
)
_CLASS = re.compile(r"^class (\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Row:
    """A kernel: what its author states, and what the timed run says."""

    graph: str
    kernel: str
    arguments: str
    stated: float
    cycles: float
    least: float
    most: float
    waits: float  # for streams, in the cycles
    why: str

    @property
    def factor(self) -> float:
        """How far off the point is, either way."""
        return max(self.cycles / self.stated, self.stated / self.cycles)

    @property
    def holds(self) -> bool:
        """Whether the range holds the stated number, to a tenth."""
        return self.least / 1.1 <= self.stated <= self.most * 1.1


def stated_cycles(header: Path) -> dict[str, list[tuple[str, float]]]:
    """Return what a header's comments state of a call: class to template arguments and cycles ("1549 * 2" is of two calls)."""
    text = header.read_text(encoding="utf-8", errors="replace")
    found: dict[str, list[tuple[str, float]]] = {}
    for said in _STATED.finditer(text):
        of = _CLASS.search(text, said.end())
        if of:
            found.setdefault(of[1], []).append((_numbers(said["arguments"]), float(said["cycles"])))
    return found


def _numbers(text: str) -> str:
    """Return template arguments as they stand in names of both sides: numbers alone."""
    return ",".join(re.findall(r"(?<!\w)-?\d+", text))


def _is_same(stated: str, run: str) -> bool:
    """Whether a header speaks of a kernel as it ran: it often leaves out ones, and what follows."""
    said, ran = ([n for n in text.split(",") if n not in {"0", "1"}] for text in (stated, run))
    return bool(said) and ran[: len(said)] == said


def _emulate(sources: Path, graph: Path, out: Path) -> Result:
    """Run a graph; input files that the checkout lacks are made: hardly a branch of the kernels hangs on data."""
    made: set[str] = set()
    while True:
        done = aieloom.emulate(
            graph,
            includes=[sources / "design" / "aie_src"],
            defines=["ITER_CNT=1"],
            data=sources / "data",
            out=out,
            timed=True,
            timeout=1200,
        )
        missing = re.search(r"reads the file '([^']+)', which cannot be read", done.stderr)
        wide = re.search(r"\[plio-file\] ([^:]+):1: \d+ numbers; .* takes (\d+) of", done.stderr)
        if missing:
            made.add(missing[1])
            _write_numbers(Path(missing[1]), 8)
        elif wide and wide[1] in made:
            made.remove(wide[1])
            _write_numbers(Path(wide[1]), int(wide[2]))
        else:
            return done


def _write_numbers(path: Path, a_line: int) -> None:
    numbers = random.Random(1)
    lines = (" ".join(str(numbers.randint(-9, 9)) for _ in range(a_line)) for _ in range(40_000))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def run(sources: Path, graph: str) -> list[Row]:
    """Run a graph of kernels and return those whose header states cycles of the same template arguments."""
    folder = sources / "design" / "aie_src"
    result = _emulate(sources, folder / f"graph_{graph}.cpp", sources / "out" / graph)
    if result.cycles is None or result.code:
        print(f"{graph}: {result.stderr.strip()[:400]}", file=sys.stderr)
    stated = stated_cycles(folder / f"{graph}.h")
    rows: dict[tuple[str, str], Row] = {}
    for k in result.cycles.kernels if result.cycles else ():
        name, _, rest = k.spelling.partition("<")
        kind, arguments = name.rpartition("::")[2], _numbers(rest.partition(">")[0])
        said = [c for a, c in stated.get(kind, []) if a == arguments]
        said += [c for a, c in stated.get(kind, []) if not said and _is_same(a, arguments)]
        if k.calls and said:
            of = (graph, kind, arguments)
            rows.setdefault((kind, arguments), _row(of, said[0], k, result))
    return list(rows.values())


def run_alone(sources: Path, config: Config) -> list[Row]:
    """Run one configuration in a graph of its own."""
    folder = sources / "design" / "aie_src"
    out = sources / "out" / "stated" / config.name
    result = _emulate(sources, make(config, folder, out), out)
    said = [
        c for a, c in stated_cycles(folder / f"{config.file}.h").get(config.kind, []) if a == config.stated
    ]
    if result.cycles is None or result.code or len(said) <= config.nth:
        print(f"{config.name}: {result.stderr.strip()[:400] or 'is not stated'}", file=sys.stderr)
        return []
    (k,) = result.cycles.kernels
    of = (config.file, config.kind, _numbers(config.arguments))
    return [_row(of, said[config.nth], k, result)]


def _row(of: tuple[str, str, str], stated: float, k: KernelCycles, run_: Result) -> Row:
    """Set a kernel's call beside what is stated: by a counter that the kernel reads, so that waits for streams are in it.

    Waits are known at the point. At the range's lower end they stay; at its upper end the work may fill them.
    """
    assert run_.cycles
    core = next(c for c in run_.cycles.times.cores if c.name == k.name)
    waits = (core.waited("stream") + core.waited("cascade")) / k.calls
    call = k.cycles + waits
    why = k.slowest.bound_by if k.slowest else ""
    return Row(*of, stated, call, k.least + waits, max(call, k.most), waits, why)


def run_functions(sources: Path, functions: Sequence[Function]) -> list[Row]:
    """Run kernels that are functions, each in a graph of its own."""
    rows = []
    for f in functions:
        out = sources / "out" / f.name
        result = _emulate(sources, make(f, sources, out), out)
        if result.cycles is None or result.code:
            print(f"{f.name}: {result.stderr.strip()[:400]}", file=sys.stderr)
            continue
        (k,) = result.cycles.kernels
        rows.append(_row(("MaxEVA", f.name, f.source.split("/")[0]), f.cycles, k, result))
    return rows


def as_table(rows: Iterable[Row]) -> str:
    """Return the table of docs/evidence/timed.md."""
    lines = [
        "| kernel | template | stated | timed | of it waits | off | range | in it |",
        "|---|---|--:|--:|--:|--:|--:|---|",
    ]
    lines += [
        f"| {r.kernel} | {r.arguments.replace(',', ', ')} | {r.stated:,.0f} | {r.cycles:,.0f} | {r.waits:,.0f} "
        f"| {r.cycles / r.stated:.2f} "
        f"| {r.least:,.0f}-{r.most:,.0f} | {'yes' if r.holds else 'no'} |"
        for r in sorted(rows, key=lambda r: -r.factor)
    ]
    return "\n".join(lines)


def summary(rows: Sequence[Row]) -> str:
    """Return one line about a set of rows."""
    if not rows:
        return "none ran"
    off = sorted(r.factor for r in rows)
    within = off[min(len(off) - 1, int(0.9 * len(off)))]
    held = sum(r.holds for r in rows)
    return (
        f"{len(rows)} kernels: median factor off {statistics.median(off):.2f}, 90 % within {within:.2f}, "
        f"the range holds {held}"
    )


def page(rows: Sequence[Row]) -> str:
    """Return the part of docs/evidence/timed.md that this script writes."""
    seen = [r for r in rows if r.graph in DEVELOPED]
    kept = [r for r in rows if r.graph not in DEVELOPED]
    parts = [
        "Files beside which the rules were made (" + ", ".join(sorted(DEVELOPED)) + f"). {summary(seen)}.",
        as_table(seen),
        f"Files kept out. {summary(kept)}.",
        as_table(kept),
    ]
    return "\n\n".join(parts)


def main() -> int:
    """Run the graphs and print or write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sources", type=Path, required=True, help="a checkout of rehohoho/onnx2versal")
    parser.add_argument("--maxeva", type=Path, help="a checkout of enyac-group/MaxEVA")
    parser.add_argument("--graphs", nargs="+", default=GRAPHS, help="some graphs alone")
    parser.add_argument("--write", action="store_true", help="write the table into docs/evidence/timed.md")
    parser.add_argument("--work", type=Path, help="keep the builds there, for another run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = _rows(options, options.work or Path(folder))
    print(page(rows))
    if options.write:
        write_between(PAGE, "kernels", page(rows))
    return 0


def _rows(options: argparse.Namespace, folder: Path) -> list[Row]:
    """Run all in copies: data that a checkout lacks are written beside its own."""
    sources = _copy(options.sources, folder / "onnx2versal")
    _set_clock(sources / "design" / "aie_src" / "graph_utils.h")
    works = []
    if options.maxeva:
        works.append(("MaxEVA", partial(run_functions, _copy(options.maxeva, folder / "MaxEVA"), MAXEVA)))
    works += [(graph, partial(run, sources, graph)) for graph in options.graphs]
    works += [(c.name, partial(run_alone, sources, c)) for c in CONFIGS if c.file in options.graphs]
    rows = list[Row]()
    for name, work in works:
        try:
            rows += work()
        except (AieloomError, subprocess.SubprocessError) as e:
            print(f"{name}: {str(e)[:600]}", file=sys.stderr)
        print(f"{name}: {len(rows)} rows so far", file=sys.stderr)
    return rows


def _set_clock(header: Path) -> None:
    """Give the graphs' PLIOs the clock that onnx2versal's Makefile gives the compiler, in a copy of what makes them."""
    text, unclocked = header.read_text(encoding="utf-8"), "adf::plio_64_bits, TXT_PATH\n"
    header.write_text(text.replace(unclocked, f"adf::plio_64_bits, TXT_PATH, {PLIO_MHZ}\n"), encoding="utf-8")


def _copy(checkout: Path, target: Path) -> Path:
    """Copy a checkout without its history, once."""
    if target.is_dir():
        return target
    return Path(shutil.copytree(checkout, target, ignore=shutil.ignore_patterns(".git"), symlinks=True))


if __name__ == "__main__":
    sys.exit(main())
