"""The tasks of this repository's projects: `doit list` explains them, `doit sim` is the first to try."""

from pathlib import Path

from aieloom.flow.tasks import define_tasks

globals().update(define_tasks(Path(__file__).parent))
