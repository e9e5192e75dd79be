"""What a search leaves in build/<project>/<target>/dse: mapping.yaml, and tables, drawings and reasons beside it.

They hold no times: a second run writes the same bytes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from functools import singledispatch
from pathlib import Path

from aieloom.emit.files import write_text
from aieloom.search import pareto
from aieloom.search.choose import Outcome
from aieloom.search.design import Design, Found, in_short, in_yaml
from aieloom.search.explain import why_lines
from aieloom.search.made import Made
from aieloom.spec.network import LOGIC

MAPPING, CANDIDATES = "mapping.yaml", "candidates.csv"
FILES = (MAPPING, "pareto.csv", "pareto.svg", "why.txt")  # of a search for a mapping


def write_found(found: Found[Design], folder: Path, quantize: str = "") -> tuple[str, ...]:
    """Write all files of a search, and return their names; `quantize` are lines of network.yaml that go with the design."""
    files = {MAPPING: mapping_text(found, quantize), **beside(found)}
    for name, text in files.items():
        write_text(folder / name, text)
    return tuple(files)


def mapping_text(found: Found[Design], quantize: str = "") -> str:
    """Return the winner's lines for network.yaml, behind those of `quantize`."""
    best = found.winner
    lines = [
        f"# Found by `doit dse` for {best.plan.project} on {best.plan.board.name}: {found.goal.text}.",
        *(f"# {line}" for line in best.told),
        *quantize.splitlines(),
        *in_yaml(best.network, best.said),
    ]
    return "\n".join(lines) + "\n"


@singledispatch
def beside(found: object) -> Mapping[str, str]:
    """Return the files beside mapping.yaml, by their names."""
    raise TypeError(f"nothing is written of a {type(found).__name__}")


@beside.register
def _of_mappings(found: Outcome) -> Mapping[str, str]:
    why = "\n".join(line.rstrip() for line in why_lines(found))
    texts = (pareto.table(found), pareto.plot(found), f"{why}\n")
    return dict(zip(FILES[1:], texts, strict=True))


@beside.register
def _of_candidates(found: Made) -> Mapping[str, str]:
    """All that was looked at as CSV, the best first, then what there is no room for."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    figures = ("images_per_s", "latency_us", "energy_mj", "batch", "cores", *LOGIC)
    out.writerow(["settings", *figures, "refused"])
    for c in found.designs:
        times = [
            f"{1e6 / c.interval_us:.1f}",
            f"{c.latency_us:.1f}",
            f"{c.energy.mj:.4g}" if c.energy else "",
        ]
        use = [getattr(c.use, key) for key in ("cores", *LOGIC)]
        out.writerow([in_short(c.said), *times, c.plan.schedule.batch, *use, ""])
    for settings, why in found.no_room:
        out.writerow([in_short(settings), *[""] * len(figures), why])
    return {CANDIDATES: text.getvalue()}
