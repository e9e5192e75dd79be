"""`python -m tools.measured FILE.csv [--json]`: the cost model against a file of measurements."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from aieloom import messages
from aieloom.cost.parameters import load_parameters
from aieloom.errors import AieloomError
from tools.measured.evaluate import evaluate
from tools.measured.rows import read_rows
from tools.measured.tables import as_values, outcome_lines


def main(arguments: list[str] | None = None) -> int:
    """Print modelled, measured and error for every row; say why where there is no figure."""
    parser = argparse.ArgumentParser(prog="python -m tools.measured", description=__doc__)
    parser.add_argument("measured", type=Path, metavar="FILE.csv", help="rows to model")
    parser.add_argument("--json", action="store_true", help="one JSON object in place of lines")
    options = parser.parse_args(arguments)
    try:
        outcomes = evaluate(load_parameters(), read_rows(options.measured))
    except AieloomError as e:
        messages.show(e)
        return e.exit_code
    print(json.dumps(as_values(outcomes)) if options.json else "\n".join(outcome_lines(outcomes)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
