"""`python -m tools.ledger write|compare|diff NAME [--run] [--all] [--only PART ...]`: designs before and after a rebuilding.

    write      make every design's record below build/ledger/written, and tools/ledger/ledger.tsv
    compare    make them below build/ledger/now; name each part that is not as in ledger.tsv; exit code 1 if there is one
    diff NAME  show the lines in which a design's written record and the one of now differ

`--run` emulates too (outputs, summary.json), `--all` takes the large networks, `--only resnet8 zoo` those whose names begin so.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tools.ledger.designs import TOP, Design, designs
from tools.ledger.digests import Digests, digests_of, read_digests, write_digests
from tools.ledger.refusals import write_refusals
from tools.ledger.time import Cost, run_measured, table

HERE = Path(__file__).parent
LEDGER = HERE / "ledger.tsv"
BUILD = TOP / "build" / "ledger"
WRITTEN, NOW = BUILD / "written", BUILD / "now"
REFUSALS = "refusals"


def main() -> int:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.ledger",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=["write", "compare", "diff"])
    parser.add_argument("name", nargs="?")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", nargs="+", default=[""])
    options = parser.parse_args()
    if options.what == "diff":
        if not options.name:
            parser.error("diff wants a design's name")
        return _diff(options.name)
    chosen = [
        d for d in designs() if d.name.startswith(tuple(options.only)) and (options.all or not d.is_large)
    ]
    with_refusals = REFUSALS.startswith(tuple(options.only))
    if options.what == "write":
        found = _take(chosen, WRITTEN, run=options.run, with_refusals=with_refusals)
        write_digests(LEDGER, read_digests(LEDGER) | found)
        return 0
    return _compare(_take(chosen, NOW, run=options.run, with_refusals=with_refusals))


def _take(chosen: Iterable[Design], into: Path, *, run: bool, with_refusals: bool) -> dict[str, Digests]:
    """Make the records of designs; return their digests."""
    found, costs = {}, {}
    for design in chosen:
        record = into / design.name
        shutil.rmtree(record, ignore_errors=True)
        costs[design.name] = _record(design, record, run=run)
        found[design.name] = digests_of(record)
        print(f"{design.name:<28} {costs[design.name]}", flush=True)
    if with_refusals:
        shutil.rmtree(into / REFUSALS, ignore_errors=True)
        write_refusals(into / REFUSALS)
        found[REFUSALS] = digests_of(into / REFUSALS)
    (into / "cost.tsv").write_text(table(costs), encoding="utf-8")
    return found


def _record(design: Design, record: Path, *, run: bool) -> Cost:
    """Make one design's record in a folder of its own; return what the making took."""
    folder = BUILD / "projects" / design.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    design.make(folder)
    record.mkdir(parents=True)
    if design.product:
        words = ["aieloom.cli", "gemm", *design.product, "--out", str(record / "src"), *(["--run"] * run)]
    else:
        words = ["tools.ledger.record", design.name, str(record)]
        words += ["--target", design.target] if design.target else []
        words += ["--layer", design.layer] if design.layer else []
        words += ["--run"] * run
    return run_measured([sys.executable, "-m", *words], folder.parent)


def _compare(found: Mapping[str, Digests]) -> int:
    """Name what is not as the ledger has it; return 1 if there is anything."""
    others = [*differences(found, read_digests(LEDGER))]
    print("\n".join(others))
    print(f"{len(found)} records, {len(others)} differences")
    return bool(others)


def differences(found: Mapping[str, Digests], known: Mapping[str, Digests]) -> Iterator[str]:
    """Yield each part of a record whose digest is not the ledger's; what was not made is not asked for."""
    for name, parts in found.items():
        for part, made in parts.items():
            written = known.get(name, {}).get(part, "none")
            if made != written:
                yield f"{name}: {part} is {made}, the ledger has {written}"


def _diff(name: str) -> int:
    words = ["diff", "-r", "-u", str(WRITTEN / name), str(NOW / name)]
    return subprocess.run(words, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
