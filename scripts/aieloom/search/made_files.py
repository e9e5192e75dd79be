"""What a search for designs on one unit leaves in build/<project>/<target>/dse: mapping.yaml, candidates.csv."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from aieloom.emit.files import write_text
from aieloom.search.made import Made, in_short, in_yaml
from aieloom.spec.network import LOGIC

MAPPING, CANDIDATES = "mapping.yaml", "candidates.csv"


def write_made(found: Made, folder: Path, quantize: str = "") -> tuple[str, ...]:
    """Write all files of a search, and return their names; `quantize` are lines of network.yaml that go with the design."""
    write_text(folder / MAPPING, mapping_text(found, quantize))
    write_text(folder / CANDIDATES, table(found))
    return MAPPING, CANDIDATES


def mapping_text(found: Made, quantize: str = "") -> str:
    """Return the winner's lines for network.yaml, behind those of `quantize`."""
    best = found.winner
    lines = [
        f"# Found by `doit dse` for {best.plan.project} on {best.plan.board.name}: {found.goal.text}.",
        f"# {1e6 / best.interval_us:,.0f} images/s, {best.latency_us:,.1f} us, {best.cores} cores: {found.maker.model}.",
        *quantize.splitlines(),
        *in_yaml(best.network, best.said),
    ]
    return "\n".join(lines) + "\n"


def table(found: Made) -> str:
    """Return all that was looked at as CSV, the best first, then what there is no room for."""
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
    for settings, _, why in found.refused:
        out.writerow([in_short(settings), *[""] * len(figures), why])
    return text.getvalue()
