"""The Tcl around the commands of a Vitis HLS script: variables, procedures, control, lists, texts and names of files.

What a script says is read, nothing of the machine is touched: commands that would run programs or change files do nothing, and
a value that comes of a command which this reader does not know is refused where it would count.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NoReturn

from aieloom.emulator.hls.tcl_expression import evaluate, is_true
from aieloom.emulator.hls.tcl_text import Word, closing, items_of, words_of
from aieloom.emulator.pl_source import read_text
from aieloom.errors import SpecError

_DEEPEST = 50  # procedures that call each other
_MOST = 10_000  # rounds of a loop
_VARIABLE = re.compile(r"\$(?:\{([^}]*)\}|((?:::)?\w+(?:::\w+)*)(\([^)]*\))?)")
_ESCAPES = {"n": "\n", "t": "\t"}
_UNKNOWN = "\0"  # stands around the name of a command whose value is not known


class _Leaves(Exception):
    """How break, continue, return and exit go up to what they end: by their name, with a value."""

    def __init__(self, name: str, value: str = "") -> None:
        super().__init__(name)
        self.name, self.value = name, value


class Interpreter:
    """Runs a script's commands; `commands` has those of whoever reads it."""

    def __init__(self, path: Path, environment: Mapping[str, str] = os.environ) -> None:
        self.path = path
        self.folder = path.resolve().parent  # where relative names start
        self.environment = environment
        self.globals: dict[str, str] = {"argv": "", "argc": "0", "argv0": str(path)}
        self.variables = self.globals  # of the procedure that runs
        self.linked: set[str] = set()  # names of its own that are global
        self.procedures: dict[str, tuple[str, str]] = {}
        self.sources = [path]
        self.line = 0  # of the command at the script's own level
        self.control: dict[str, Callable[[list[Word], int], str]] = {
            "if": self._if,
            "foreach": self._foreach,
            "for": self._for,
            "while": self._while,
            "switch": self._switch,
            "proc": self._proc,
            "catch": self._catch,
            "eval": self._eval,
            "expr": self._expr,
            "namespace": self._namespace,
        }
        self.commands: dict[str, Callable[[list[str]], str]] = {
            "set": self._set,
            "unset": self._unset,
            "incr": lambda w: self._set(
                [w[0], str(int(self._get(w[0]) or 0) + int(w[1] if len(w) > 1 else 1))]
            ),
            "append": lambda w: self._set([w[0], self._get(w[0]) + "".join(w[1:])]),
            "lappend": lambda w: self._set(
                [w[0], " ".join([*filter(None, [self._get(w[0])]), *map(_element, w[1:])])]
            ),
            "array": self._array,
            "global": self._global,
            "variable": self._global,
            "source": self._source,
            "cd": self._cd,
            "pwd": lambda _: str(self.folder),
            "info": self._info,
            "file": self._file,
            "glob": self._glob,
            "list": lambda w: " ".join(map(_element, w)),
            "concat": " ".join,
            "lindex": lambda w: _at(items_of(w[0]), w[1]) if len(w) > 1 else w[0],
            "llength": lambda w: str(len(items_of(w[0]))),
            "lrange": lambda w: " ".join(map(_element, _between(items_of(w[0]), w[1], w[2]))),
            "lsearch": lambda w: str(
                next((i for i, item in enumerate(items_of(w[-2])) if fnmatchcase(item, w[-1])), -1)
            ),
            "join": lambda w: (w[1] if len(w) > 1 else " ").join(items_of(w[0])),
            "split": lambda w: " ".join(map(_element, w[0].split(w[1] if len(w) > 1 else None))),
            "string": self._string,
            "format": lambda w: _formatted(w[0], w[1:]),
            "getenv": lambda w: self._environment(w[0]),
            "return": lambda w: self._leave("return", w),
            "break": lambda w: self._leave("break", w),
            "continue": lambda w: self._leave("continue", w),
            "exit": lambda w: self._leave("exit", w),
            "quit": lambda w: self._leave("exit", w),
        }

    def start(self) -> None:
        """Run the script.

        Raises:
            SpecError: it cannot be read, or uses Tcl beyond this reader.
        """
        try:
            self.run(read_text(self.path))
        except _Leaves:
            return
        except (IndexError, ValueError, KeyError) as e:
            self.refuse(f"has a command that this reader does not understand: {e}")

    def run(self, script: str, depth: int = 0) -> str:
        """Run commands; return the last one's value."""
        result = ""
        for line, words in words_of(script):
            if depth == 0:
                self.line = line
            if depth > _DEEPEST:
                self.refuse("its procedures call each other without end")
            result = self._command(words, depth)
        return result

    def refuse(
        self,
        text: str,
        remedy: str = "write hls_config.cfg, or give the files: aieloom csim --source FILE --tb FILE",
    ) -> NoReturn:
        """Refuse the script at its present line."""
        raise SpecError(
            rule="hls-script", file=str(self.sources[-1]), line=self.line, text=text, remedy=remedy
        )

    def known(self, text: str) -> str:
        """Return a value that counts; refuse one that a command gave which is not known."""
        if _UNKNOWN in text:
            self.refuse(
                f"needs the value of [{text.split(_UNKNOWN)[1]} ...], a command that this reader does not know"
            )
        return text

    def value(self, word: Word, depth: int) -> str:
        """Return a word's value: variables, [commands] and backslashes replaced unless it stands in braces."""
        if word.is_braced:
            return word.text
        made, at = "", 0
        while at < len(word.text):
            c = word.text[at]
            if c == "[":
                stop = closing(word.text, at, "[", "]")
                made += self.run(word.text[at + 1 : stop - 1], depth + 1)
                at = stop
            elif c == "$" and (found := _VARIABLE.match(word.text, at)):
                made += self._variable(found, depth)
                at = found.end()
            elif c == "\\":
                after = word.text[at + 1 : at + 2]
                made += _ESCAPES.get(after, after)
                at += 2
            else:
                made += c
                at += 1
        return made

    def holds(self, condition: Word, depth: int) -> bool:
        """Evaluate a condition."""
        try:
            return is_true(self.known(self._evaluate(condition.text, depth)))
        except ValueError as e:
            self.refuse(f"has a condition that this reader does not understand: {e}")

    def _evaluate(self, text: str, depth: int) -> str:
        return evaluate(text, lambda word: self.value(word, depth))

    def _variable(self, found: re.Match[str], depth: int) -> str:
        name = (found[1] or found[2]).removeprefix("::")
        index = self.value(Word(found[3] or ""), depth)
        if name == "env" or name.startswith("env("):
            return self._environment((index or name[3:])[1:-1])
        value = self._find(name + index)
        if value is None:
            self.refuse(f"uses ${name}{index}, which this reader of scripts has not seen set")
        return value

    def _environment(self, name: str) -> str:
        if name not in self.environment:
            self.refuse(
                f"uses the environment variable {name}, which is not set",
                f"set it as for Vitis HLS: {name}=VALUE aieloom csim ...",
            )
        return self.environment[name]

    def _find(self, name: str) -> str | None:
        short = name.removeprefix("::")
        if short in self.variables and not name.startswith("::"):
            return self.variables[short]
        return self.globals.get(short)

    def _get(self, name: str) -> str:
        return self._find(name) or ""

    def _command(self, words: list[Word], depth: int) -> str:
        name = self.value(words[0], depth).removeprefix("::")
        if name in self.control:
            return self.control[name](words[1:], depth)
        arguments = [self.value(w, depth) for w in words[1:]]
        if name in self.procedures:
            return self._call(name, arguments, depth)
        if name in self.commands:
            return self.commands[name](arguments)
        return f"{_UNKNOWN}{name}{_UNKNOWN}"

    def _proc(self, words: list[Word], _: int) -> str:
        self.procedures[words[0].text] = (words[1].text, words[2].text)
        return ""

    def _call(self, name: str, arguments: list[str], depth: int) -> str:
        parameters, body = self.procedures[name]
        outer = self.variables, self.linked
        local: dict[str, str] = {}
        for i, parameter in enumerate(items_of(parameters)):
            named, *default = items_of(parameter)
            rest = " ".join(map(_element, arguments[i:]))
            local[named] = (
                rest if named == "args" else arguments[i] if i < len(arguments) else " ".join(default)
            )
        self.variables, self.linked = local, set()
        try:
            return self.run(body, depth + 1)
        except _Leaves as e:
            if e.name != "return":
                raise
            return e.value
        finally:
            self.variables, self.linked = outer

    def _leave(self, name: str, words: list[str]) -> NoReturn:
        raise _Leaves(name, words[-1] if words else "")

    def _if(self, words: list[Word], depth: int) -> str:
        rest = words
        while rest:
            if rest[0].text == "else":
                return self.run(rest[1].text, depth + 1)
            rest = rest[1:] if rest[0].text == "elseif" else rest
            body = [w for w in rest[1:3] if w.text != "then"][:1]
            if not body or self.holds(rest[0], depth):
                return self.run(body[0].text, depth + 1) if body else ""
            rest = rest[rest.index(body[0], 1) + 1 :]
            if rest and rest[0].text not in {"else", "elseif"}:
                return self.run(rest[0].text, depth + 1)
        return ""

    def _round(self, body: str, depth: int) -> bool:
        """Run a loop's body once; return whether the loop goes on."""
        try:
            self.run(body, depth + 1)
        except _Leaves as e:
            if e.name not in {"break", "continue"}:
                raise
            return e.name == "continue"
        return True

    def _foreach(self, words: list[Word], depth: int) -> str:
        names = items_of(words[0].text)
        items = items_of(self.known(self.value(words[1], depth)))
        for i in range(0, len(items), len(names)):
            for k, name in enumerate(names):
                self._set([name, items[i + k] if i + k < len(items) else ""])
            if not self._round(words[2].text, depth):
                break
        return ""

    def _for(self, words: list[Word], depth: int) -> str:
        self.run(words[0].text, depth + 1)
        return self._while([words[1], words[3]], depth, after=words[2].text)

    def _while(self, words: list[Word], depth: int, after: str = "") -> str:
        for _ in range(_MOST):
            if not self.holds(words[0], depth) or not self._round(words[1].text, depth):
                return ""
            self.run(after, depth + 1)
        return self.refuse(f"has a loop of more than {_MOST} rounds")

    def _switch(self, words: list[Word], depth: int) -> str:
        plain = [w for w in words if not w.text.startswith("-") or w.is_braced]
        given = self.known(self.value(plain[0], depth))
        cases = (
            items_of(plain[1].text) if len(plain) == len(("value", "cases")) else [w.text for w in plain[1:]]
        )
        glob = any(w.text == "-glob" for w in words)
        for i in range(0, len(cases) - 1, 2):
            if cases[i] in {given, "default"} or (glob and fnmatchcase(given, cases[i])):
                return self.run(next((c for c in cases[i + 1 :: 2] if c != "-"), ""), depth + 1)
        return ""

    def _catch(self, words: list[Word], depth: int) -> str:
        self.run(words[0].text if words[0].is_braced else self.value(words[0], depth), depth + 1)
        return "0"

    def _eval(self, words: list[Word], depth: int) -> str:
        return self.run(" ".join(self.value(w, depth) for w in words), depth + 1)

    def _expr(self, words: list[Word], depth: int) -> str:
        try:
            return self._evaluate(" ".join(w.text for w in words), depth)
        except ValueError as e:
            self.refuse(f"has an expression that this reader does not understand: {e}")

    def _namespace(self, words: list[Word], depth: int) -> str:
        return self.run(words[2].text, depth + 1) if words[0].text == "eval" else ""

    def _set(self, words: list[str]) -> str:
        name = words[0].removeprefix("::")
        if len(words) > 1:
            is_global = words[0].startswith("::") or name.split("(")[0] in self.linked
            (self.globals if is_global else self.variables)[name] = words[1]
        return self._get(words[0])

    def _unset(self, words: list[str]) -> str:
        for name in words:
            self.variables.pop(name, None)
        return ""

    def _array(self, words: list[str]) -> str:
        if words[0] == "set":
            items = items_of(words[2])
            for key, value in zip(items[::2], items[1::2], strict=False):
                self._set([f"{words[1]}({key})", value])
        found = [n[len(words[1]) + 1 : -1] for n in self.variables if n.startswith(f"{words[1]}(")]
        return " ".join(map(_element, found)) if words[0] == "names" else ""

    def _global(self, words: list[str]) -> str:
        self.linked |= set(words)
        return ""

    def _info(self, words: list[str]) -> str:
        what, name = words[0], words[1].removeprefix("::") if len(words) > 1 else ""
        if what == "script":
            return str(self.sources[-1].resolve())
        if what == "exists":
            in_env = name.startswith("env(") and name[4:-1] in self.environment
            return str(int(in_env or self._find(name) is not None))
        if what in {"commands", "procs"}:
            return name if name in self.procedures or name in self.commands else ""
        return f"{_UNKNOWN}info {what}{_UNKNOWN}"

    def _source(self, words: list[str]) -> str:
        path = self.path_of(words[-1])
        if not path.is_file():
            self.refuse(f"sources '{words[-1]}', which is not there")
        line = self.line
        self.sources.append(path)
        try:
            return self.run(read_text(path), 0)
        except _Leaves as e:
            if e.name != "return":
                raise
            return e.value
        finally:
            self.sources.pop()
            self.line = line

    def _cd(self, words: list[str]) -> str:
        self.folder = self.path_of(words[0]) if words else self.folder
        return ""

    def path_of(self, name: str) -> Path:
        """Return a file by its name in the script."""
        return Path(os.path.normpath(self.folder / self.known(name)))

    def _file(self, words: list[str]) -> str:
        what, rest = words[0], words[1:]
        if not rest:
            return ""
        path = Path(rest[0])
        known: dict[str, Callable[[], str]] = {
            "join": lambda: str(Path(*rest)),
            "dirname": lambda: str(path.parent),
            "tail": lambda: path.name,
            "rootname": lambda: str(path.with_suffix("")),
            "extension": lambda: path.suffix,
            "normalize": lambda: str(self.path_of(rest[0])),
            "exists": lambda: str(int(self.path_of(rest[0]).exists())),
            "isdirectory": lambda: str(int(self.path_of(rest[0]).is_dir())),
            "isfile": lambda: str(int(self.path_of(rest[0]).is_file())),
            **dict.fromkeys(("mkdir", "delete", "copy", "rename"), lambda: ""),  # nothing is changed
        }
        return known[what]() if what in known else f"{_UNKNOWN}file {what}{_UNKNOWN}"

    def _glob(self, words: list[str]) -> str:
        folder, patterns = self.folder, []
        rest = iter(words)
        for word in rest:
            if word in {"-directory", "-dir"}:
                folder = self.path_of(next(rest, ""))
            elif word in {"-type", "-types", "-tails"}:
                next(rest, "") if word != "-tails" else None
            elif not word.startswith("-"):
                patterns += [word]
        return " ".join(_element(str(p)) for pattern in patterns for p in sorted(_matches(folder, pattern)))

    def _string(self, words: list[str]) -> str:
        what, rest = words[0], [w for w in words[1:] if w not in {"-nocase", "-length"}]
        known: dict[str, Callable[[], str]] = {
            "equal": lambda: str(int(rest[0] == rest[1])),
            "compare": lambda: str((rest[0] > rest[1]) - (rest[0] < rest[1])),
            "match": lambda: str(int(fnmatchcase(rest[1], rest[0]))),
            "first": lambda: str(rest[1].find(rest[0])),
            "length": lambda: str(len(rest[0])),
            "tolower": rest[0].lower,
            "toupper": rest[0].upper,
            "trim": lambda: rest[0].strip(rest[1] if len(rest) > 1 else None),
            "range": lambda: "".join(_between(list(rest[0]), rest[1], rest[2])),
            "map": lambda: _mapped(items_of(rest[0]), rest[1]),
        }
        return known[what]() if what in known else f"{_UNKNOWN}string {what}{_UNKNOWN}"


def _element(text: str) -> str:
    """Return a text as one element of a list."""
    return f"{{{text}}}" if not text or re.search(r"[\s;\"\[\]$]", text) else text


def _index(items: list[str], index: str) -> int:
    if not index.startswith("end"):
        return int(index)
    return len(items) - 1 - int(index[4:] or 0)


def _at(items: list[str], index: str) -> str:
    at = _index(items, index)
    return items[at] if 0 <= at < len(items) else ""


def _between(items: list[str], first: str, last: str) -> list[str]:
    return items[max(_index(items, first), 0) : _index(items, last) + 1]


def _formatted(text: str, values: list[str]) -> str:
    rest = iter(values)
    return re.sub(r"%[-\d.]*[sd]", lambda _: next(rest, ""), text)


def _mapped(pairs: list[str], text: str) -> str:
    for old, new in zip(pairs[::2], pairs[1::2], strict=False):
        text = text.replace(old, new)
    return text


def _matches(folder: Path, pattern: str) -> list[Path]:
    return list(
        Path(pattern).parent.glob(Path(pattern).name) if Path(pattern).is_absolute() else folder.glob(pattern)
    )
