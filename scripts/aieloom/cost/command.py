"""`aieloom cost`: the model against a file of measurements."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from aieloom.cost.calibrate import evaluate
from aieloom.cost.parameters import load_parameters
from aieloom.cost.rows import read_rows
from aieloom.cost.tables import as_values, outcome_lines
from aieloom.emit.files import write_text

Commands = argparse._SubParsersAction


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command `cost`."""
    parser = commands.add_parser("cost", help="model every row of a file of measurements")
    parser.add_argument("--measured", type=Path, required=True, metavar="FILE.csv", help="rows to model")
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write the rows and errors here")
    parser.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Print modelled, measured and error for every row; say why where there is no figure.

    Raises:
        SpecError: the file is no file of measurements, or OUT cannot be written.
    """
    outcomes = evaluate(load_parameters(), read_rows(options.measured))
    sys.stdout.write("\n".join(outcome_lines(outcomes)) + "\n")
    if options.json:
        write_text(options.json, json.dumps(as_values(outcomes), indent=1) + "\n")
    return 0
