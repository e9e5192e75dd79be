"""Commands of `aieloom` around the vendor's flow: doctor, sweep."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from rich.table import Table

from aieloom import messages
from aieloom.flow import sweep
from aieloom.spec.device import load_device
from aieloom.vitis.discover import discover
from aieloom.vitis.doctor import diagnose
from aieloom.vitis.settings import ENVIRONMENT, MEANING, read_settings

_COLUMNS = ("name", "ok", "passed", "cores", "modelled_fps", "aiesim_fps", "wns_ns", "seconds", "message")


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add doctor and sweep to the command line."""
    doctor = commands.add_parser(
        "doctor", help="what this machine has for Vitis, and what is missing for which stage"
    )
    doctor.add_argument("--target", default="vck190", help="the board (default vck190)")
    for key in ENVIRONMENT:
        if key != "host":
            doctor.add_argument(f"--{key.replace('_', '-')}", help=MEANING[key])
    doctor.set_defaults(command=_doctor)
    many = commands.add_parser(
        "sweep",
        help="run many builds: projects x targets x mappings",
        description=sweep.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    many.add_argument("file", type=Path, help="sweep.yaml")
    many.add_argument(
        "--out", type=Path, default=Path("build/sweep"), help="where builds go (default build/sweep)"
    )
    many.add_argument(
        "--workers", type=int, default=2, help="of the local cluster (default 2; 0: one after another)"
    )
    many.add_argument("--scheduler", help="a running dask scheduler: tcp://host:8786")
    many.set_defaults(command=_sweep)


def _doctor(options: argparse.Namespace) -> int:
    told = {key: value for key in ENVIRONMENT if (value := getattr(options, key, None))}
    settings = read_settings([Path.cwd()], command_line=told, environment=os.environ)
    found = discover(load_device(options.target), settings, os.environ)
    messages.console().print("\n".join(diagnose(found)), markup=False)
    return 0


def _sweep(options: argparse.Namespace) -> int:
    wanted = sweep.read_sweep(options.file, options.out)
    out = messages.console()
    rows = sweep.run_sweep(
        wanted,
        workers=options.workers,
        scheduler=options.scheduler,
        tell=lambda row: out.print(
            f"  {'done' if row['ok'] else 'FAILED'} {row['name']} {row['message']}", markup=False
        ),
    )
    file = sweep.write_table(rows, options.out)
    table = Table(title=f"{len(rows)} builds; all columns in {file}", title_justify="left")
    shown = [c for c in _COLUMNS if any(row.get(c) not in {None, ""} for row in rows)]
    for column in shown:
        table.add_column(column)
    for row in rows:
        table.add_row(*(str(row.get(c, "")) for c in shown))
    out.print(table)
    return 0 if all(row["ok"] for row in rows) else 1
