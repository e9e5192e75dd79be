"""`aieloom cost`: the model against a file of measurements."""

from __future__ import annotations

import argparse
import sys

from aieloom import answer
from aieloom.cost.evaluate import evaluate
from aieloom.cost.parameters import load_parameters
from aieloom.cost.rows import read_rows
from aieloom.cost.tables import as_values, outcome_lines


def run(options: argparse.Namespace) -> int:
    """Print modelled, measured and error for every row; say why where there is no figure.

    Raises:
        SpecError: the file is no file of measurements.
    """
    outcomes = evaluate(load_parameters(), read_rows(options.measured))
    answer.give(**as_values(outcomes))
    sys.stdout.write("\n".join(outcome_lines(outcomes)) + "\n")
    return 0
