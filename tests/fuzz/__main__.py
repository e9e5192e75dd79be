"""`python -m tests.fuzz`: many inputs of every kind, and a table of what became of them."""

from __future__ import annotations

import argparse
import resource
import sys

from tests.fuzz.runner import fuzz
from tests.fuzz.targets import targets

MEMORY_BYTES = 6 << 30  # an input that asks for more gets a MemoryError, and the machine lives on


def main() -> int:
    """Run all kinds; return 1 when an input did what none may."""
    kinds = targets()
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=20000, help="in all (default 20000)")
    parser.add_argument("--kind", choices=sorted(kinds), help="only these files")
    parser.add_argument("--seed", type=int, default=0, help="another seed gives other inputs (default 0)")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    chosen = {options.kind: kinds[options.kind]} if options.kind else kinds
    whole = sum(t.share for t in chosen.values())
    print(f"{'files':<12} {'inputs':>8} {'taken':>8} {'refused':>8} {'seconds':>8}")
    failed = count = 0
    seconds = 0.0
    for name, target in chosen.items():
        tally = fuzz(target, max(1, round(options.inputs * target.share / whole)), options.seed)
        print(
            f"{name:<12} {tally.inputs:>8} {tally.taken:>8} {tally.refused:>8} {tally.seconds:>8.1f}",
            flush=True,
        )
        count, seconds = count + tally.inputs, seconds + tally.seconds
        if tally.fault:
            failed += 1
            print(f"FAULT in {name}: {tally.fault}", flush=True)
    print(
        f"{count} inputs in {seconds:.0f} s: {failed or 'no'} kind with a traceback, a hang or a stray write"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
