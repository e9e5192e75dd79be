"""Reading a Vitis HLS script (run_hls.tcl): which files it adds, and where it asks for C simulation.

Scripts are not run: this is a reader of the few commands that say what a component is made of, with the Tcl around them
that such scripts use (set, proc, if, foreach, file join and its like). Other commands steer synthesis and are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from aieloom.emulator.hls.component import Component, File, split_flags
from aieloom.emulator.hls.config import blackbox_models
from aieloom.emulator.pl_source import read_text
from aieloom.errors import Problem, SpecError

_DEEPEST = 50  # procedures that call each other
_VARIABLE = re.compile(r"\$(?:\{([^}]*)\}|((?:::)?\w+(?:::\w+)*)(\([^)]*\))?)")
_WITH_VALUE = {"-cflags", "-csimflags", "-argv", "-ldflags", "-mflags", "-blackbox"}


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a Tcl command; one in braces is taken as it stands."""

    text: str
    is_braced: bool = False


def words_of(script: str) -> list[tuple[int, list[Word]]]:
    """Return a script's commands, each with its line (from 1) and its words [Tcl(n), the dodekalogue]."""
    commands: list[tuple[int, list[Word]]] = []
    at, line = 0, 1
    words: list[Word] = []
    first = 1

    def end() -> None:
        nonlocal words
        if words:
            commands.append((first, words))
        words = []

    while at < len(script):
        c = script[at]
        if script.startswith("\\\n", at):
            at, line = at + 2, line + 1
        elif c in "\n;":
            end()
            line += c == "\n"
            at += 1
        elif c.isspace():
            at += 1
        elif c == "#" and not words:
            stop = re.compile(r"(?<!\\)\n").search(script, at)
            stop_at = stop.start() if stop else len(script)
            line += script.count("\n", at, stop_at)
            at = stop_at
        else:
            first = first if words else line
            stop_at = _end_of_word(script, at)
            words.append(_word(script[at:stop_at]))
            line += script.count("\n", at, stop_at)
            at = stop_at
    end()
    return commands


def _word(text: str) -> Word:
    if text.startswith("{") and text.endswith("}"):
        return Word(text[1:-1], is_braced=True)
    return Word(text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text)


def _end_of_word(script: str, at: int) -> int:
    """Return where the word ends that begins at `at`: braces, brackets and quotation marks hold it together."""
    if script[at] == "{":
        return _closing(script, at, "{", "}")
    if script[at] == '"':
        stop = re.compile(r'(?<!\\)"').search(script, at + 1)
        return stop.end() if stop else len(script)
    while at < len(script) and not script[at].isspace() and script[at] != ";":
        at = _closing(script, at, "[", "]") if script[at] == "[" else at + 2 if script[at] == "\\" else at + 1
    return min(at, len(script))


def _closing(script: str, at: int, opening: str, closing: str) -> int:
    depth = 0
    while at < len(script):
        c = script[at]
        if c == "\\":
            at += 1
        elif c == opening:
            depth += 1
        elif c == closing:
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return len(script)


@dataclass(slots=True)
class _State:
    """What the script has said of the present component."""

    name: str = ""
    design: list[File] = field(default_factory=list)
    bench: list[File] = field(default_factory=list)
    top: str = ""


class _Script:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = path.resolve().parent
        self.variables: dict[str, str] = {"argv": "", "argc": "0"}
        self.procedures: dict[str, tuple[str, str]] = {}
        self.state = _State()
        self.found: list[Component] = []
        self.caught: bool = False
        self.line = 0  # of the command at the script's own level
        self.commands: dict[str, Callable[[list[str]], str]] = {
            "set": self._set,
            "open_project": self._open,
            "open_component": self._open,
            "add_files": self._add_files,
            "set_top": self._set_top,
            "csim_design": self._csim_design,
            "file": self._file,
            "pwd": lambda _: str(self.folder),
            "info": lambda words: str(self.path.resolve()) if words[:1] == ["script"] else "0",
            "glob": self._glob,
            "list": " ".join,
            "concat": " ".join,
            "lindex": lambda words: _items(words[0])[int(words[1])] if len(words) > 1 else words[0],
            "lappend": lambda words: self._set(
                [words[0], " ".join([self.variables.get(words[0], ""), *words[1:]])]
            ),
            "append": lambda words: self._set(
                [words[0], self.variables.get(words[0], "") + "".join(words[1:])]
            ),
        }

    def run(self, script: str, depth: int = 0) -> str:
        result = ""
        for line, words in words_of(script):
            if depth == 0:
                self.line = line
            if depth > _DEEPEST:
                self.refuse("its procedures call each other without end")
            result = self._command(words, depth)
        return result

    def refuse(self, text: str) -> None:
        remedy = "write hls_config.cfg, or give the files: aieloom csim --source FILE --tb FILE"
        raise SpecError(
            Problem(rule="hls-script", file=str(self.path), line=self.line, text=text, remedy=remedy)
        )

    def value(self, word: Word, depth: int) -> str:
        """Return a word's value: variables, [commands] and backslashes replaced unless it stands in braces."""
        if word.is_braced:
            return word.text
        made, at = "", 0
        while at < len(word.text):
            c = word.text[at]
            if c == "[":
                stop = _closing(word.text, at, "[", "]")
                made += self.run(word.text[at + 1 : stop - 1], depth + 1)
                at = stop
            elif c == "$" and (found := _VARIABLE.match(word.text, at)):
                made += self._variable(found)
                at = found.end()
            elif c == "\\":
                made += word.text[at + 1 : at + 2]
                at += 2
            else:
                made += c
                at += 1
        return made

    def _variable(self, found: re.Match[str]) -> str:
        name = (found[1] or found[2]).removeprefix("::")
        if name == "env":  # a script that depends on the machine: what it says is not the files' names
            return ""
        if name not in self.variables:
            self.refuse(f"uses ${name}, which this reader of scripts has not seen set")
        return self.variables[name]

    def _command(self, words: list[Word], depth: int) -> str:
        name = self.value(words[0], depth)
        if name == "proc" and len(words) == len(("proc", "name", "parameters", "body")):
            self.procedures[words[1].text] = (words[2].text, words[3].text)
        elif name == "if":
            return self._if(words, depth)
        elif name == "foreach" and len(words) == len(("foreach", "name", "list", "body")):
            for item in _items(self.value(words[2], depth)):
                self.variables[words[1].text] = item
                self.run(words[3].text, depth + 1)
        elif name in {"catch", "eval"}:
            self.run(words[1].text if words[1].is_braced else self.value(words[1], depth), depth + 1)
        elif name in self.procedures:
            return self._call(name, [self.value(w, depth) for w in words[1:]], depth)
        elif name in self.commands:
            return self.commands[name]([self.value(w, depth) for w in words[1:]])
        return ""

    def _call(self, name: str, arguments: list[str], depth: int) -> str:
        parameters, body = self.procedures[name]
        outer, local = self.variables, dict(self.variables)
        for i, parameter in enumerate(_items(parameters)):
            named, *default = _items(parameter)
            local[named] = arguments[i] if i < len(arguments) else " ".join(default)
        self.variables = local
        try:
            return self.run(body, depth + 1)
        finally:
            self.variables = outer

    def _if(self, words: list[Word], depth: int) -> str:
        rest = words[1:]
        while rest:
            if rest[0].text == "else":
                return self.run(rest[1].text, depth + 1) if len(rest) > 1 else ""
            if rest[0].text == "elseif":
                rest = rest[1:]
            holds = self._holds(rest[0].text, depth)
            body = rest[1:]
            if body and body[0].text == "then":
                body = body[1:]
            if holds:
                return self.run(body[0].text, depth + 1) if body else ""
            rest = body[1:]
        return ""

    def _holds(self, condition: str, depth: int) -> bool:
        """Evaluate a comparison of two words; a caught command has not failed."""
        text = self.value(Word(condition.strip()), depth).strip()
        found = re.fullmatch(r"(.*?)\s*(==|!=|<=|>=|<|>|\beq\b|\bne\b)\s*(.*)", text, re.DOTALL)
        if not found:
            return (
                text not in {"", "0", "false"}
                if not text.startswith("!")
                else text[1:].strip() in {"0", "false"}
            )
        left, operator, right = found[1].strip('" '), found[2], found[3].strip('" ')
        if operator in {"==", "eq"}:
            return left == right
        if operator in {"!=", "ne"}:
            return left != right
        try:
            a, b = float(left), float(right)
        except ValueError:
            return False
        return {"<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[operator]

    def _set(self, words: list[str]) -> str:
        if len(words) > 1:
            self.variables[words[0]] = words[1]
        return self.variables.get(words[0], "")

    def _open(self, words: list[str]) -> str:
        names = [
            w for i, w in enumerate(words) if not w.startswith("-") and words[i - 1 : i] != ["-flow_target"]
        ]
        self.state = _State(name=names[0] if names else "")
        return ""

    def _set_top(self, words: list[str]) -> str:
        self.state.top = words[0] if words else ""
        return ""

    def _add_files(self, words: list[str]) -> str:
        options, names = _options(words)
        flags = tuple(
            f for key in ("-cflags", "-csimflags") for f in split_flags(options.get(key, ""), self.folder)
        )
        into = self.state.bench if "-tb" in words else self.state.design
        for name in (item for n in names for item in _items(n)):
            places = sorted(self.folder.glob(name)) if re.search(r"[*?]", name) else [self.folder / name]
            for place in places:
                if not place.exists():
                    self.refuse(f"adds '{name}', which is not there")
                into.append(File(place, flags))
        if "-blackbox" in options:
            models = blackbox_models(self.folder / options["-blackbox"])
            self.state.design += [File(m, flags) for m in models]
        return ""

    def _csim_design(self, words: list[str]) -> str:
        options, _ = _options(words)
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

    def _file(self, words: list[str]) -> str:
        what, rest = (words[0], words[1:]) if words else ("", [])
        if not rest:
            return ""
        path = Path(rest[0])
        known = {
            "join": str(Path(*rest)),
            "dirname": str(path.parent),
            "tail": path.name,
            "rootname": str(path.with_suffix("")),
            "extension": path.suffix,
            "normalize": str((self.folder / path).resolve()),
            "exists": str(int((self.folder / path).exists())),
        }
        return known.get(what, "")

    def _glob(self, words: list[str]) -> str:
        patterns = [w for w in words if not w.startswith("-")]
        return " ".join(str(p) for pattern in patterns for p in sorted(self.folder.glob(pattern)))


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


def _items(text: str) -> list[str]:
    """Return the elements of a Tcl list."""
    return [w.text for _, words in words_of(text.replace("\n", " ").replace(";", "\\;")) for w in words]


def read_script(path: Path) -> tuple[Component, ...]:
    """Return the components that a script simulates; one that never does, simulates the last it describes.

    Raises:
        SpecError: the script cannot be read, names files that are not there, or uses Tcl beyond this reader.
    """
    script = _Script(path)
    script.run(read_text(path))
    if not script.found and script.state.bench:
        script.commands["csim_design"]([])
    return tuple(replace(c, folder=path.parent) for c in script.found)
