"""`aieloom csim`: the command line of C simulation."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aieloom import answer, messages
from aieloom.emulator.hls.component import Component, File, split_flags
from aieloom.emulator.hls.config import read_config
from aieloom.emulator.hls.csim import csim
from aieloom.emulator.hls.tcl import read_script
from aieloom.emulator.program import BAD_INPUT
from aieloom.errors import AieloomError, SpecError


def run_csim(options: argparse.Namespace) -> int:
    """Build and run each component; return the first exit code that is not 0."""
    try:
        components = tuple(_with_options(c, options) for c in components_of(options))
        return run_components(components, options.out, sanitize=options.sanitize, stalls=options.stalls)
    except AieloomError as e:
        messages.show(e)
        answer.blame(e)
        return BAD_INPUT


def run_components(
    components: Sequence[Component], out: Path | None, *, sanitize: bool, stalls: int | None
) -> int:
    """Build and run each component, with the terminal as its own; return the first exit code that is not 0."""
    codes: list[int] = []
    runs: list[dict[str, object]] = []
    for component in components:
        if len(components) > 1:
            messages.note(f"component {component.name}")
        place = out / component.name if out and len(components) > 1 else out
        result = csim(component, out=place, sanitize=sanitize, stalls=stalls, capture=answer.wanted())
        sys.stderr.write(result.stderr)
        codes.append(result.code)
        runs.append({"component": component.name, "exit_code": result.code, "stdout": result.stdout})
    answer.give(components=runs)
    return next((code for code in codes if code), 0)


def component_of(folder: Path) -> Path | None:
    """Return what describes the HLS component in a folder, if it is one: its configuration file, or its script."""
    named = [folder / "hls_config.cfg", *sorted(folder.glob("*.cfg")), *sorted(folder.glob("*.tcl"))]
    texts = {p: p.read_text(encoding="utf-8", errors="replace") for p in named if p.is_file()}
    tells = re.compile(r"^\s*tb\.file\s*=|^[^#\n]*\bcsim_design\b", re.MULTILINE)
    return next((p for p, text in texts.items() if tells.search(text)), None)


def components_of(options: argparse.Namespace) -> tuple[Component, ...]:
    """Return what is to be simulated: from a configuration file, a script, or the files named.

    Raises:
        SpecError: nothing is named, or what is named cannot be read.
    """
    if options.component:
        return read_components(options.component)
    if not options.source and not options.tb:
        text = "names no component"
        remedy = "give hls_config.cfg, run_hls.tcl, or --source FILE ... --tb FILE ..."
        raise SpecError(rule="hls-component", text=text, remedy=remedy)
    design, bench = tuple(map(File, options.source)), tuple(map(File, options.tb or options.source))
    return (Component(name=(*design, *bench)[0].path.stem, folder=Path(), design=design, bench=bench),)


def read_components(path: Path) -> tuple[Component, ...]:
    """Return the components of an hls_config.cfg or of a script."""
    return read_script(path) if path.suffix == ".tcl" else (read_config(path),)


def _with_options(component: Component, options: argparse.Namespace) -> Component:
    flags = (*(f"-I{Path(i)}" for i in options.includes), *(f"-D{d}" for d in options.defines))
    return replace(
        component,
        design=tuple(replace(f, flags=(*f.flags, *flags)) for f in component.design),
        bench=tuple(replace(f, flags=(*f.flags, *flags)) for f in component.bench),
        arguments=split_flags(options.argv, Path()) if options.argv else component.arguments,
    )
