"""`aieloom watch`: run again on every save, and say what changed against the run before.

Files are looked at several times a second: that needs no library, works on every file system, and costs nothing beside a
compiler. An editor may write a file in several steps, so a change counts when it has been quiet for a moment.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import yaml

from aieloom import answer, progress
from aieloom.edits import edited
from aieloom.errors import AieloomError
from aieloom.flow.opening import open_any
from aieloom.flow.project import Project
from aieloom.paths import json_object
from aieloom.report.shape import Summary
from aieloom.spec.lines import parse_yaml

EVERY, QUIET = 0.2, 0.3  # seconds between looks; without a change before it counts
Say = Callable[[str], None]
Stamp = Mapping[str, tuple[int, int]]
Figures = Mapping[str, tuple[float, str]]  # what -> value, format


@dataclass(kw_only=True)
class Watch:
    """A project's folder, watched."""

    folder: Path
    root: Path  # where doit's database and build/ are
    target: str | None
    say: Say
    _files: tuple[Path, ...] = field(default=(), init=False)

    def run(self, times: int | None = None) -> int:
        """Run now and after every change, `times` in all or until Ctrl-C; return the last run's exit code."""
        before: Figures = {}
        written = self._data()
        count, code = 0, 0
        while True:
            seen = self._look()
            code, before = self._once(before)
            count += 1
            if times is not None and count >= times:
                return code
            self.say("watching; save network.yaml, weights or operators to run again (Ctrl-C ends)")
            names = self._wait(seen)
            now = self._data()
            edits = list(edited(written, now))
            self.say(f"{time.strftime('%H:%M:%S')} {', '.join(names)} changed" + (":" if edits else ""))
            for line in edits:
                self.say(f"  {line}")
            written = now

    def _once(self, before: Figures) -> tuple[int, Figures]:
        began = time.monotonic()
        words = [sys.executable, "-m", "aieloom.flow.tasks", str(self.root), "sim"]
        words += [f"project={self.folder}", "quiet=1"]
        words += [f"target={self.target}"] if self.target else []
        with progress.working("running"):
            done = subprocess.run(words, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - began
        project = self._project()
        summary = self._summary(project) if project else None
        if done.returncode or summary is None:
            said = (done.stdout + done.stderr).strip()
            answer.line(passed=False, seconds=round(seconds, 1), said=said)
            self.say(said)
            self.say(f"FAIL in {seconds:.1f} s; the figures of the run before stand")
            return done.returncode or 1, before
        after = figures(summary)
        answer.line(passed=True, seconds=round(seconds, 1), figures={k: v for k, (v, _) in after.items()})
        golden = summary["golden"]
        exact = "bit for bit equal" if golden["bit_exact"] else f"largest error {golden['max_abs_err']:.3g}"
        self.say(f"PASS in {seconds:.1f} s: {golden['samples']} samples, {exact}")
        for line in changed(before, after) if before else shown(after):
            self.say(f"  {line}")
        return 0, after

    def _project(self) -> Project | None:
        try:
            return open_any(self.folder, target=self.target, build=self.root / "build")
        except AieloomError:
            return None

    @staticmethod
    def _summary(project: Project) -> Summary | None:
        return cast(Summary, json_object(project.build / "report" / "summary.json")) or None

    def _look(self) -> Stamp:
        """Return what the files look like; the project says which, or those of before when it is broken."""
        project = self._project()
        if project:
            self._files = (*project.description, project.weights, *project.images)
        files = self._files or (self.folder / "network.yaml",)
        return {str(f): _stamp(f) for f in (*files, *sorted((self.folder / "operators").glob("*")))}

    def _wait(self, seen: Stamp) -> list[str]:
        """Return the names of the files that changed, when they have been quiet for a moment."""
        while True:
            time.sleep(EVERY)
            now = {name: _stamp(Path(name)) for name in seen}
            if now != seen:
                break
        while True:
            time.sleep(QUIET)
            later = {name: _stamp(Path(name)) for name in seen}
            if later == now:
                return [Path(name).name for name in seen if later[name] != seen[name]]
            now = later

    def _data(self) -> dict[str, object]:
        try:
            text = (self.folder / "network.yaml").read_text(encoding="utf-8-sig")
            return parse_yaml(text, "network.yaml").data
        except (OSError, ValueError, yaml.YAMLError, AieloomError):
            return {}


def _stamp(file: Path) -> tuple[int, int]:
    try:
        stat = file.stat()
    except OSError:
        return 0, 0
    return stat.st_mtime_ns, stat.st_size


def figures(summary: Summary) -> dict[str, tuple[float, str]]:
    """Return what is watched of a run: cores, times, errors, quality, and each stage's cycles."""
    resources, performance = summary["resources"], summary["performance"]
    found: dict[str, tuple[float, str]] = {
        "cores": (resources["aie_cores"], ",d"),
        "tiles": (resources["aie_tiles"], ",d"),
        "BRAM36": (resources["pl"]["bram36"], ",d"),
        "latency, us (modelled)": (performance["latency_us"], ",.1f"),
        "images/s, end to end (modelled)": (performance["throughput_fps"], ",.0f"),
    }
    if "rates" in performance:
        rates = performance["rates"]
        found["images/s, the array (modelled)"] = (rates["array"]["images_per_s"], ",.0f")
        found["images/s with movers and memory (modelled)"] = (rates["memory"]["images_per_s"], ",.0f")
    found["largest error"] = (summary["golden"]["max_abs_err"], ".3g")
    found |= {name.replace("_", " "): (value, ".4g") for name, value in summary["quality"].items()}
    for stage in performance["per_layer"]:
        if "cycles" in stage:
            found[f"{stage['name']}, cycles"] = (stage["cycles"], ",d")
        elif "us_per_image" in stage:
            found[f"{stage['name']}, us"] = (stage["us_per_image"], ",.3f")
    return found


def changed(before: Figures, after: Figures) -> Iterator[str]:
    """Yield the figures that are not as they were."""
    same = True
    for what in dict.fromkeys((*before, *after)):
        a, b = before.get(what), after.get(what)
        if a and b and a[0] == b[0]:
            continue
        same = False
        ratio = f"  ({b[0] / a[0]:.2f} x)" if a and b and a[0] else ""
        yield f"{what:<26} {_text(a)} -> {_text(b)}{ratio}"
    if same:
        yield "nothing that is watched has changed"


def shown(after: Figures) -> Iterator[str]:
    """Yield all figures, for the first run."""
    return (f"{what:<26} {_text(value)}" for what, value in after.items())


def _text(value: tuple[float, str] | None) -> str:
    if value is None:
        return "none"
    number, form = value
    return f"{int(number) if form.endswith('d') else number:{form}}"
