"""Other people's graphs in a timed run, and beside what they publish: docs/evidence/timed-graphs.md, a table of timed.md.

    python -m benchmarks.timed_strangers [--count 30] [--write]
    python -m benchmarks.timed_strangers PART_OF_A_NAME ... [--write]

The checkouts are those of tests/strangers ($AIELOOM_STRANGERS). What ran is kept in build/timed_strangers.json, so that a
run that was interrupted goes on; --again forgets what is kept of the graphs that are named.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aieloom.paths import PUBLIC, write_whole
from tests.strangers.projects import Stranger, checkouts, strangers
from tests.strangers.run import NotPrepared, prepared
from tools.page import write_between

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "evidence" / "timed.md"
GRAPHS = ROOT / "docs" / "evidence" / "timed-graphs.md"
KEPT = ROOT / "build" / "timed_strangers.json"

Found = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Published:
    """A figure that a graph's authors give, and how the same is read from a timed run."""

    what: str
    value: float
    of: Callable[[Found], float]


def _kernel_cycles(name: str) -> Callable[[Found], float]:
    return lambda cycles: max(k["cycles"] for k in cycles["kernels"] if name in k["function"])


def _last_word_ns(cycles: Found) -> float:
    return 0.8 * max(int(p["last"]) for p in cycles["times"]["ports"] if not p["is_input"])


def _output_rate(cycles: Found) -> float:
    """Return MB/s of all outputs together."""
    out = [p for p in cycles["times"]["ports"] if not p["is_input"]]
    return sum(int(p["bytes"]) for p in out) * 1250 / max(int(p["last"]) - int(p["first"]) for p in out)


def _passage_ns(cycles: Found) -> float:
    """Return ns from the first word of an input to the last of an output."""
    ports = cycles["times"]["ports"]
    begin = min(int(p["first"]) for p in ports if p["is_input"])
    return 0.8 * (max(int(p["last"]) for p in ports if not p["is_input"]) - begin)


def _call_cycles(cycles: Found) -> float:
    """Return the cycles of a call of the kernel that takes longest, without its waits: what sets a chain's rate."""
    calls = {k["name"]: int(k["calls"]) for k in cycles["kernels"]}
    return max(float(c["busy"]) / max(1, calls[c["name"]]) for c in cycles["times"]["cores"])


# Figures and where they stand: the tutorials' texts, MaxEVA's paper, aiesimulator's output files. Those of the performance
# analysis, which its programs print, are in a table of their own in docs/evidence/timed.md.
PUBLISHED = {
    "fir_lowpass/aie/src/graph.cpp": Published("last output word, ns", 5752, _last_word_ns),
    "MaxEVA/Pattern1_fp32/src/project.cpp": Published(
        "cycles of a 32x32x32 product", 4329, _kernel_cycles("m")
    ),
    "MaxEVA/Pattern1_int8/src/project.cpp": Published(
        "cycles of a 32x128x32 product", 1075, _kernel_cycles("m")
    ),
    "14-implementing-iir-filter/Part2a/src/tb.cpp": Published("cycles of a call", 80, _kernel_cycles("")),
    # Samples a second of an array of 1 GHz, as cycles of a frame: the tutorials' PLIOs carry a sample a cycle of that clock.
    "SingleKernel/aie/graph.cpp": Published("cycles of 512 samples", 512 / 0.22540, _call_cycles),
    "MultiKernel/aie/graph.cpp": Published("cycles of 512 samples", 512 / 0.95167, _call_cycles),
    "SingleStreamSSR/aie/SSRgraph.cpp": Published(
        "cycles of 4 x 512 samples", 4 * 512 / 3.80848, _call_cycles
    ),
    "DualStreamSSR/aie/SSRgraph.cpp": Published(
        "cycles of 16 x 256 samples", 16 * 256 / 14.31864, _call_cycles
    ),
    # 13,261 cycles of main() with 256 bursts, 6,656 with 128: what the others take more.
    "14-implementing-iir-filter/Part2b/src/tb.cpp": Published(
        "cycles of 256 bursts", 2 * (13261 - 6656), _call_cycles
    ),
    "-DITER_CNT=16 -DGEMM_SIZE=32 -DGEMM_INSTS=1": Published(
        "MB/s of the output",
        2 * 2847.608,
        _output_rate,  # of the tutorial's version 2023.2
    ),
    # With its movers, by the text beside these sources.
    "10-GeMM_AIEvsDSP/AIE/design/aie_src/graph.cpp: whole system": Published(
        "ns of 16 products", 15990, _passage_ns
    ),
}


def measure(stranger: Stranger, folder: Path) -> dict[str, Any]:
    """Run a graph with times in a copy of its project."""
    began = time.monotonic()
    try:
        with prepared(stranger, folder) as copy:
            done = copy.run("--timed", "--json")
    except (NotPrepared, subprocess.TimeoutExpired) as e:
        return {"refused": str(e)[:200]}
    try:
        said = json.loads(done.stdout[done.stdout.index('{\n "command"') :])
        cycles = said["result"]["cycles"]
    except (ValueError, KeyError):
        lines = (done.stderr or done.stdout).strip().splitlines() or ["nothing was said"]
        blame = next((line for line in lines if "error" in line), lines[-1])
        return {"refused": f"exit code {done.returncode}: {blame.replace(f'{ROOT}/', '')}"[:200]}
    return {**_row(cycles, stranger), "seconds": time.monotonic() - began}


def _row(cycles: Found, stranger: Stranger) -> dict[str, Any]:
    times = cycles["times"]
    ends = [x["last"] for x in (*times["cores"], *times["ports"])]
    outputs = [p for p in times["ports"] if not p["is_input"] and p["bytes"]]
    inputs = [p for p in times["ports"] if p["is_input"] and p["bytes"]]
    waits: dict[str, float] = {}
    for core in times["cores"]:
        for w in core["waits"]:
            waits[w["kind"]] = waits.get(w["kind"], 0) + w["cycles"]
    published = next((p for name, p in PUBLISHED.items() if stranger.name.endswith(name)), None)
    return {
        "kernels": len(cycles["kernels"]),
        "cycles": max(ends, default=0),
        "first_out": min((p["first"] for p in outputs), default=0)
        - min((p["first"] for p in inputs), default=0),
        "rate": _output_rate(cycles) if any(p["last"] > p["first"] for p in outputs) else 0.0,
        "busiest": max((c["busy"] / max(1, c["last"] - c["first"]) for c in times["cores"]), default=0.0),
        "waits_for": max(waits, key=lambda kind: waits[kind]) if waits else "-",
        "published": published.what if published else "",
        "stated": published.value if published else 0.0,
        "timed": published.of(cycles) if published else 0.0,
    }


COLUMNS = (
    "kernels | cycles, all | first word in to first out | out, MB/s | busiest core | cores wait most for"
)
HEAD = (
    f"| graph | {COLUMNS} | published | stated | timed | off |\n|---|--:|--:|--:|--:|--:|---|---|--:|--:|--:|"
)
SHORT_HEAD = f"| graph | {COLUMNS} |\n|---|--:|--:|--:|--:|--:|---|"


def page_of_published(kept: Mapping[str, Found]) -> str:
    """Return the table of docs/evidence/timed.md: the graphs for which their authors give a figure."""
    rows = [HEAD]
    for name, r in sorted(kept.items()):
        if r.get("published"):
            stated = f"{r['published']} | {r['stated']:,.0f} | {r['timed']:,.0f} | {r['timed'] / r['stated']:.2f} |"
            rows.append(f"{_cells(name, r)} {stated}")
    return "\n".join(rows)


def page_of_all(kept: Mapping[str, Found], repositories: Sequence[str]) -> str:
    """Return the tables of docs/evidence/timed-graphs.md: every graph, by repository."""
    ran = sum("refused" not in r for r in kept.values())
    parts = [f"{ran} graphs of {len(kept)} that were tried, of {len(repositories)} repositories."]
    for repository in repositories:
        rows = [
            _cells(name.removeprefix(f"{repository}/"), r)
            for name, r in sorted(kept.items())
            if name.startswith(f"{repository}/") and "refused" not in r
        ]
        if rows:
            parts += [f"### {repository}", "\n".join([SHORT_HEAD, *rows])]
    stopped = [(name, r["refused"]) for name, r in sorted(kept.items()) if "refused" in r]
    if stopped:
        lines = [f"- `{name}`: {why}".replace("|", "/") for name, why in stopped]
        parts += ["### Not run", "\n".join(lines)]
    return "\n\n".join(parts)


def _cells(name: str, r: Found) -> str:
    return (
        f"| {name} | {r['kernels']} | {r['cycles']:,} | {r['first_out']:,} | {r['rate']:,.0f} | {r['busiest']:.0%} "
        f"| {r['waits_for']} |"
    )


def main() -> int:
    """Run what is not kept, and print or write the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="parts of names; default: all that run without times")
    parser.add_argument("--count", type=int, help="how many at the most are run now")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument("--again", action="store_true", help="run those again that are kept")
    parser.add_argument(
        "--write", action="store_true", help="write docs/evidence/timed.md and docs/evidence/timed-graphs.md"
    )
    options = parser.parse_args()
    folder = checkouts()
    if folder is None:
        print("set AIELOOM_STRANGERS to the folder of checkouts", file=sys.stderr)
        return 2
    kept: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {}
    wanted = [s for s in _chosen(folder, options.names) if options.again or s.name not in kept]
    with ThreadPoolExecutor(options.jobs) as pool:
        tasks = {pool.submit(measure, s, folder): s.name for s in wanted[: options.count]}
        for number, task in enumerate(as_completed(tasks), 1):
            kept[tasks[task]] = task.result()
            write_whole(KEPT, json.dumps(kept, indent=1).encode(), mode=PUBLIC)
            told = json.dumps(task.result())
            print(f"{number} of {len(tasks)}: {tasks[task]} {told}", file=sys.stderr, flush=True)
    everything = page_of_all(kept, list(dict.fromkeys(s.repository for s in strangers())))
    print(everything)
    if options.write:
        write_between(PAGE, "strangers", page_of_published(kept))
        write_between(GRAPHS, "graphs", everything)
    return 0


def _chosen(folder: Path, names: Sequence[str]) -> list[Stranger]:
    """Return the graphs that ran without times by the outcomes of tests.strangers.run, those with a published figure first."""
    file = folder / "outcomes.json"
    outcomes = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    ran = [s for s in strangers() if outcomes.get(s.name, [""])[0] in {"equal", "ran"}]
    if names:
        return [s for s in ran if any(n in s.name for n in names)]
    return sorted(ran, key=lambda s: not any(s.name.endswith(n) for n in PUBLISHED))


if __name__ == "__main__":
    sys.exit(main())
