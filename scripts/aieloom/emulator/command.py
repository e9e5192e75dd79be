"""`aieloom emulate GRAPH.cpp`: the command line of the emulator."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from aieloom import answer, messages
from aieloom.emulator.program import BAD_INPUT, emulate
from aieloom.emulator.project.find import Found, find_project
from aieloom.errors import AieloomError, SpecError
from aieloom.paths import PUBLIC, write_whole
from aieloom.spec.architecture import Architecture

if TYPE_CHECKING:
    from aieloom.emulator.timed.result import Cycles


def run_emulate(options: argparse.Namespace) -> int:
    """Build and run the project; return the exit code."""
    try:
        code = _run_component(options) if options.project else None
        if code is not None:
            return code
        said = _said(options)
        _check(options)
        if not said.graph:
            text, remedy = "names no graph", "give GRAPH.cpp, or --project DIR"
            raise SpecError(rule="project-files", text=text, remedy=remedy)
        result = emulate(
            said.graph,
            includes=said.includes,
            defines=said.defines,
            arch=said.architecture.value,
            data=said.data,
            out=options.out,
            pl=said.pl,
            config=said.config,
            host=said.host,
            iterations=options.iterations,
            arguments=shlex.split(said.arguments),
            shared_memory=said.shared_memory,
            xclbin=said.xclbin,
            sanitize=options.sanitize,
            timed=options.timed,
            timestamps=options.timestamps,
            kernel_timeout=options.kernel_timeout,
            stalls=options.stalls,
        )
    except AieloomError as e:
        messages.show(e)
        answer.blame(e)
        return BAD_INPUT
    answer.give(out=result.out, stdout=result.stdout, stderr=result.stderr)
    sys.stdout.write(result.stdout)
    if result.cycles:
        _tell(result.cycles, options, said.graph.stem)
    sys.stderr.write(result.stderr)
    return result.code


def _run_component(options: argparse.Namespace) -> int | None:
    """Run the HLS component of a folder as `aieloom csim` does; return its exit code, None where there is no component."""
    from aieloom.emulator.hls import command as csim  # noqa: PLC0415 - graphs do without

    component = csim.component_of(options.project)
    if not component:
        return None
    messages.say(f"HLS component: aieloom csim {component}")
    components = csim.read_components(component)
    return csim.run_components(components, options.out, sanitize=options.sanitize, stalls=options.stalls)


def _check(options: argparse.Namespace) -> None:
    """Refuse what is for timed runs alone.

    Raises:
        SpecError: this is no timed run.
    """
    named = {"--timestamps": options.timestamps, "--trace": options.trace, "--report": options.report}
    for option in (o for o, given in named.items() if given and not options.timed):
        text, remedy = f"{option} is of timed runs, and this is none", "give --timed too"
        raise SpecError(rule="option", text=text, remedy=remedy)


def _tell(cycles: Cycles, options: argparse.Namespace, title: str) -> None:
    """Print a timed run's tables, and write what was asked for."""
    from aieloom.emulator.timed.page import page  # noqa: PLC0415 - only a timed run needs them
    from aieloom.emulator.timed.text import as_text  # noqa: PLC0415
    from aieloom.emulator.timed.trace import trace  # noqa: PLC0415

    answer.give(cycles=cycles)
    sys.stdout.write(as_text(cycles))
    if options.trace:
        write_whole(options.trace, trace(cycles.times).encode(), mode=PUBLIC)
    if options.report:
        write_whole(options.report, page(cycles, title).encode(), mode=PUBLIC)


def _said(options: argparse.Namespace) -> Found:
    """Return what is to be run: what the command line names, and where that says nothing what is found in its project."""
    found = Found(folder=Path(), graph=options.graph, architecture=Architecture.AIE)
    if options.project:
        found = find_project(options.project, graph=options.graph, config=options.config, host=options.host)
    host = tuple(options.host or found.host)
    said = replace(
        found,
        graph=options.graph or found.graph,
        includes=(*found.includes, *map(Path, options.includes)),
        defines=(*found.defines, *options.defines),
        architecture=Architecture(options.arch) if options.arch else found.architecture,
        data=options.data or found.data,
        pl=tuple(options.pl or found.pl),
        config=options.config or found.config,
        host=host,
        shared_memory=options.shared_memory or (found.shared_memory and bool(host)),
        xclbin=tuple(options.xclbin or found.xclbin),
        arguments=options.argv or "",
    )
    if options.project:
        _show(said)
    return said


def _show(said: Found) -> None:
    """Tell what was found, with the command line that says the same."""
    messages.say(f"graph          {said.graph}")
    for name, files in (
        ("PL kernels", said.pl),
        ("configuration", (said.config,)),
        ("host program", said.host),
        ("data", (said.data,)),
    ):
        messages.say(f"{name:<14} {' '.join(str(f) for f in files if f) or 'none'}")
    if said.unset:
        messages.say(f"not set        {' '.join(said.unset)}: the Makefile searches for headers there")
    messages.say(f"the same as: {shlex.join(said.command())}")
    sys.stdout.flush()
