"""Commands of `aieloom` around the vendor's flow: doctor, sweep."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

from rich.table import Table

from aieloom import answer, messages
from aieloom.flow import sweep
from aieloom.flow.first_contact import NAMES, STAGES, first_contact
from aieloom.flow.first_contact_archive import write_archive
from aieloom.flow.vitis_flow import tools_for
from aieloom.spec.device import load_device
from aieloom.vitis.discover import Installation
from aieloom.vitis.doctor import diagnose, stage_needs
from aieloom.vitis.missing import ToolMissing
from aieloom.vitis.native_host import native_headers
from aieloom.vitis.settings import ENVIRONMENT

_COLUMNS = ("name", "ok", "passed", "cores", "modelled_fps", "aiesim_fps", "wns_ns", "seconds", "message")


def doctor(options: argparse.Namespace) -> int:
    """Print what this machine has for the vendor's flow."""
    told = {key: value for key in ENVIRONMENT if (value := getattr(options, key, None))}
    found = tools_for(load_device(options.target), [Path.cwd()], told)
    answer.give(
        installation=found,
        stages={s: [m.name for m in found.lacks(n)] for s, n in stage_needs(found).items()},
    )
    messages.say("\n".join(diagnose(found)))
    return _try(found, told, options) if options.contact else 0


def _try(found: Installation, told: Mapping[str, str], options: argparse.Namespace) -> int:
    """Meet the vendor's tools; print the comparison and where the archive is."""
    needs = stage_needs(found)
    if not native_headers(os.environ) and all(found.lacks(needs[stage]) for stage in STAGES):
        lacking = found.lacks(tuple(dict.fromkeys(need for stage in STAGES for need in needs[stage])))
        run = "".join(f"    doit {stage}\n" for stage in ("host", "aiecom", "hls"))
        raise ToolMissing("doctor --try", lacking, run.rstrip())
    out: Path = options.out.absolute()
    out.mkdir(parents=True, exist_ok=True)
    contacts = first_contact(Path.cwd(), out, told, options.projects or NAMES)
    for contact in contacts:
        passed = [stage for stage, code in contact.ended.items() if not code]
        messages.say(f"{contact.project} for {contact.target}: {', '.join(passed) or 'nothing'} done")
        for stage, why in contact.not_run.items():
            messages.say(f"  {stage} not run: {why}")
        for stage, said in contact.said.items():
            messages.say(f"  {stage} FAILED\n{said}")
    messages.say(f"{'project':<9} {'what':<52} {'the plan':>12} {'the tool':>12} {'tool/plan':>10}")
    for contact in contacts:
        messages.say("\n".join(line.text for line in contact.lines if line.tool is not None))
    archive = write_archive(contacts, out, {"Vitis": found.version, "platform": found.platform_name})
    answer.give(archive=archive, projects=contacts)
    messages.say(f"to send back: {archive} (no sources, no weights, no paths)")
    return int(any(contact.said for contact in contacts))


def sweep_builds(options: argparse.Namespace) -> int:
    """Run many builds, and print their table."""
    wanted = sweep.read_sweep(options.file, options.out)
    out = messages.console()
    rows = sweep.run_sweep(
        wanted,
        workers=options.workers,
        scheduler=options.scheduler,
        tell=lambda row: messages.say(
            f"  {'done' if row['ok'] else 'FAILED'} {row['name']} {row['message']}"
        ),
    )
    file = sweep.write_table(rows, options.out)
    answer.give(table=file, builds=list(rows))
    table = Table(title=f"{len(rows)} builds; all columns in {file}", title_justify="left")
    shown = [c for c in _COLUMNS if any(row.get(c) not in {None, ""} for row in rows)]
    for column in shown:
        table.add_column(column)
    for row in rows:
        table.add_row(*(str(row.get(c, "")) for c in shown))
    out.print(table)
    return 0 if all(row["ok"] for row in rows) else 1
