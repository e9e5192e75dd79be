"""Reading a Vitis HLS script (run_hls.tcl): which files it adds, and where it asks for C simulation.

Scripts are not run: this is a reader of the few commands that say what a component is made of, with the Tcl around them
(tcl_interpreter.py). Other commands steer synthesis and are passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from aieloom.emulator.hls.component import Component, File, split_flags
from aieloom.emulator.hls.config import blackbox_models
from aieloom.emulator.hls.tcl_interpreter import Interpreter
from aieloom.emulator.hls.tcl_text import items_of
from aieloom.errors import SpecError

_WITH_VALUE = {"-cflags", "-csimflags", "-argv", "-ldflags", "-mflags", "-blackbox", "-compiler", "-profile"}


@dataclass(slots=True)
class _State:
    """What the script has said of the present component."""

    name: str = ""
    design: list[File] = field(default_factory=list)
    bench: list[File] = field(default_factory=list)
    top: str = ""


class _Script(Interpreter):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.state = _State()
        self.found: list[Component] = []
        self.commands |= {
            "open_project": self._open,
            "open_component": self._open,
            "add_files": self._add_files,
            "add_file": self._add_files,  # the same command by its older name
            "set_top": self._set_top,
            "csim_design": self._csim_design,
        }

    def _open(self, words: list[str]) -> str:
        names = [
            w for i, w in enumerate(words) if not w.startswith("-") and words[i - 1 : i] != ["-flow_target"]
        ]
        self.state = _State(name=self.known(names[0]) if names else "")
        return ""

    def _set_top(self, words: list[str]) -> str:
        self.state.top = self.known(words[0]) if words else ""
        return ""

    def _add_files(self, words: list[str]) -> str:
        options, names = _options([self.known(w) for w in words])
        into = self.state.bench if "-tb" in words else self.state.design
        for name in (item for n in names for item in items_of(n)):
            places = self._places(name)
            flags = tuple(
                f for key in ("-cflags", "-csimflags") for f in split_flags(options.get(key, ""), self.folder)
            )
            into += [File(place, flags) for place in places]
        if "-blackbox" in options:
            models = blackbox_models(self.path_of(options["-blackbox"]))
            self.state.design += [File(m) for m in models]
        return ""

    def _places(self, name: str) -> list[Path]:
        """Return the files of a name; they lie where the script is, or where it is started, as Vitis takes them."""
        for folder in dict.fromkeys((self.folder, Path.cwd())):
            if re.search(r"[*?]", name):
                found = sorted(folder.glob(name)) if not Path(name).is_absolute() else []
            else:
                found = [place for place in [self.path_of(str(folder / name))] if place.exists()]
            if found:
                self.folder = folder
                return found
        return self.refuse(f"adds '{name}', which is not there")

    def _csim_design(self, words: list[str]) -> str:
        options, _ = _options([self.known(w) for w in words])
        s = self.state
        made = Component(
            name=s.name or self.folder.name,
            folder=self.folder,
            design=tuple(s.design),
            bench=tuple(s.bench),
            top=s.top,
            arguments=split_flags(options.get("-argv", ""), Path()),
            link_flags=split_flags(options.get("-ldflags", ""), self.folder),
        )
        if made not in self.found:  # solutions of one component differ in synthesis alone
            self.found.append(made)
        return "0"

    def components(self) -> tuple[Component, ...]:
        """Return what the script simulates, after it was run."""
        if not self.found and self.state.bench:
            self.commands["csim_design"]([])
        if not self.found:
            what = "adds no test bench (add_files -tb)" if self.state.design else "adds no files (add_files)"
            text = f"{what} and never asks for csim_design: there is nothing to simulate"
            remedy = "add both to the script, or give the files: aieloom csim --source FILE --tb FILE"
            raise SpecError(rule="hls-script", file=str(self.path), text=text, remedy=remedy)
        return tuple(self.found)


def _options(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return a command's options with their values, and its other words."""
    options: dict[str, str] = {}
    names = []
    rest = iter(words)
    for word in rest:
        if word in _WITH_VALUE:
            options[word] = next(rest, "")
        elif not word.startswith("-"):
            names.append(word)
    return options, names


def read_script(path: Path) -> tuple[Component, ...]:
    """Return the components that a script simulates; one that never does, simulates the last it describes.

    Raises:
        SpecError: the script cannot be read, names files that are not there, describes nothing to simulate, or uses Tcl
            beyond this reader.
    """
    script = _Script(path)
    script.start()
    return tuple(
        replace(c, folder=path.parent) if c.folder == path.resolve().parent else c
        for c in script.components()
    )
