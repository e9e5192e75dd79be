"""What network.yaml gets by default beside what `dse` finds, with the whole device and with fewer cores; modelled, end to end.

python -m benchmarks.defaults [--projects NAME ...] [--random N] [--first SEED]

The default should be within 5 % of the best that any of these searches finds, as each of them may take what the default may.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from io import StringIO
from itertools import product
from pathlib import Path

from aieloom.errors import SpecError
from aieloom.flow.dse import search
from aieloom.flow.opening import open_any
from aieloom.flow.project import Project
from aieloom.search.mapped import timed
from aieloom.units.plan import interval_us, resources
from tests.designs import ROOT, array_projects
from tests.ops.networks import random_graph_yaml
from tests.ops.system import project as written

FEWER = (16, 100)  # cores of budgets beside the whole device
CLOSE = 1.05  # how far the default may be behind


def interval_of(project: Project) -> float:
    """Return the modelled microseconds from image to image, end to end."""
    return timed(project.array).interval_us if project.on_array else interval_us(project.plan)


def rates(project: Project) -> Iterator[tuple[str, float, int]]:
    """Yield a label, images/s end to end, and cores: of the default, then of each search that finds a design."""
    budgets = FEWER if project.on_array else ()
    words = [("the whole device", {}), *((f"{n} cores", {"aie_cores": str(n)}) for n in budgets)]
    alone = {"workers": "1"} if project.on_array else {}
    yield "default", 1e6 / interval_of(project), resources(project.plan).cores
    for label, said in words:
        with suppress(SpecError), redirect_stdout(StringIO()):
            winner = search(project, {**alone, **said}).winner
            yield (
                label,
                1e6 / winner.interval_us,
                winner.cores,
            )


def shown(name: str, folder: Path, target: str | None, build: Path) -> bool:
    """Print a network's rates; return whether the default is close to the best."""
    try:
        found = list(rates(open_any(folder, target=target, build=build)))
    except SpecError as e:
        print(f"{name:<28} refused: {str(e).splitlines()[0][:80]}", flush=True)
        return True
    default, best = found[0][1], max(rate for _, rate, _ in found)
    told = "; ".join(f"{label} {rate:,.0f} ({cores})" for label, rate, cores in found)
    print(f"{name:<28} {default / best:6.1%} of the best: {told}", flush=True)
    return best <= CLOSE * default


def main() -> int:
    """Measure and print; exit code 1 where a default is not close."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--projects", nargs="*", default=array_projects(), help="all without a name")
    parser.add_argument("--random", type=int, default=60, help="so many random networks")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        top = Path(temporary)
        pairs = product(options.projects, ("vck190", "vek280"))
        close = [shown(f"{name}, {board}", ROOT / "projects" / name, board, top) for name, board in pairs]
        for seed in range(options.first, options.first + options.random):
            folder = top / f"random{seed}"
            folder.mkdir()
            close.append(shown(f"random {seed}", written(folder, random_graph_yaml(seed)), None, top))
            shutil.rmtree(folder)
    print(f"{sum(close)} of {len(close)} defaults are within 5 % of the best")
    return 0 if all(close) else 1


if __name__ == "__main__":
    sys.exit(main())
