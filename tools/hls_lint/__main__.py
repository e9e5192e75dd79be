"""`python -m tools.hls_lint [--mhz 312.5] [--json] [--loops] FILE.cpp ...`: what the lint says of PL kernels.

The exit code is 1 where a finding is an error that is not known.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from tools.hls_lint.known import read_known
from tools.hls_lint.report import CLOCK, RULES, Checked


def main() -> int:
    """Check the files of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.hls_lint", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--mhz", type=float, default=CLOCK, help="the kernel's clock")
    parser.add_argument("--json", action="store_true", help="a JSON object a finding")
    parser.add_argument("--loops", action="store_true", help="interval and depth of each pipelined loop")
    parser.add_argument("--rules", action="store_true", help="the rules, and what they rest on")
    options = parser.parse_args()
    if options.rules:
        print("\n".join(f"{r.key}: {r.text} [{r.evidence}]" for r in RULES.values()))
    return max([0, *(_told(Checked(file, options.mhz), options) for file in options.files)])


def _told(checked: Checked, options: argparse.Namespace) -> int:
    """Print what there is to say of a kernel; return 1 where it has an error that is not known."""
    known, failed = read_known(), 0
    for f in checked.findings:
        reasons = [k for k in known if k.is_of(checked.path.name, f)]
        grade = "note" if f.is_note else f"known (fault {reasons[0].fault})" if reasons else "error"
        failed |= grade == "error"
        where = {"file": str(checked.path), **asdict(f), "grade": grade}
        line = f"{checked.source.place(f.line)}: {grade}: {f.rule}: {f.text}"
        print(json.dumps(where) if options.json else line, flush=True)
    for loop in checked.reached if options.loops else ():
        print(
            f"{checked.source.place(loop.line)}: {loop.function}: II={loop.ii} of {loop.asked}, {loop.depth} steps"
        )
    return failed


if __name__ == "__main__":
    sys.exit(main())
