"""One set of headers: which snippets it takes, of what type they are, and what they give.

All snippets are functions of one source, with a precompiled header. Those in whose diagnostics a line of theirs appears are taken out,
and the rest is compiled again until it is clean: a snippet that is taken was taken without any error beside it. The refused ones are
compiled once more together; what has no error there is compiled alone.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.headers.table import SHOW, Snippet, Table

CXX = os.environ.get("DIFFER_CXX", "clang++")
DIAGNOSTICS = (
    "-fno-caret-diagnostics",
    "-fno-color-diagnostics",
    "-ferror-limit=0",
    "-ftemplate-backtrace-limit=12",
    "-fshow-overloads=best",
    "-fno-show-column",
    "-Wno-everything",
    "-Wdeprecated-declarations",
)
UNIT = 120  # snippets of one source: more are not quicker, and one that is long makes all long
SECONDS = 20  # of the processor, for one call of the compiler
_TRY = """\
#include <csetjmp>
#include <csignal>
#include <cstdio>
static sigjmp_buf differ_back;
static void differ_caught(int) { siglongjmp(differ_back, 1); }
// What is not linked (refusals, a library that is not public) is called at address 0: the snippet has no value.
static void differ_try(void (*f)(), int number) {
  if (sigsetjmp(differ_back, 1) == 0) { f(); } else { std::printf("\\n@%d stopped\\n", number); }
}
"""


class Unit:
    """What the compiler says of several snippets: the first error of each, types, and an error that belongs to none of them."""

    def __init__(
        self, done: subprocess.CompletedProcess[str], file: Path, snippets: Sequence[Snippet]
    ) -> None:
        self.errors: dict[int, str] = {}
        self.types: dict[int, str] = {}
        self.lost = ""
        self._read(
            done, re.compile(rf"(?:^|\s){re.escape(str(file))}:(\d+):? "), [s.number for s in snippets]
        )
        if done.returncode < 0 or done.returncode > 128:  # out of time: what was said is not all
            self.types = {}
            self.lost = "" if self.errors and len(snippets) > 1 else "no end of compiling"
        elif done.returncode and not self.errors and not self.lost:
            self.lost = done.stderr[-2000:]

    def _read(self, done: subprocess.CompletedProcess[str], own: re.Pattern[str], numbers: list[int]) -> None:
        last, waits = "", False
        for line in done.stderr.splitlines():
            place = own.search(line)
            number = numbers[int(place[1]) - 1] if place else None
            if " error: " in line:
                self.lost += last if waits else ""
                last, waits = line.split(" error: ", 1)[1] + "\n", True
            if number is None:
                continue
            if told := re.search(r"warning: 'differ_show<(.*)>' is deprecated", line):
                self.types.setdefault(number, told[1])
            elif waits and (" error: " in line or " note: " in line):
                self.errors.setdefault(number, last.strip())
                waits = False
        self.lost += last if waits else ""


class Side:
    """One set of headers, asked about a table."""

    def __init__(self, table: Table, name: str, work: Path) -> None:
        self.table, self.name, self.work = table, name, work
        self.flags = table.ours if name == "ours" else table.real[name]
        self.types: dict[int, str] = {}
        self.errors: dict[int, str] = {}
        work.mkdir(parents=True, exist_ok=True)
        lines = table.head["ours" if name == "ours" else "real"]
        (work / "head.hpp").write_text("\n".join([*lines, SHOW, ""]))
        head, made = str(work / "head.hpp"), str(work / "head.pch")
        done = self._clang("-x", "c++-header", head, "-o", made, limit=120)
        self.front = ("-include-pch", made)
        if done.returncode:  # clang 14 breaks down over the AIE API's: they are read anew each time
            self.front = ("-include", head)
            done = self._clang("-fsyntax-only", "-x", "c++", head, limit=120)
        if done.returncode:
            raise RuntimeError(f"{name}: the headers themselves:\n{done.stderr[:3000]}")

    def takes(self, snippet: Snippet) -> bool:
        """Return whether the headers take a snippet."""
        return snippet.number not in self.errors

    def says(self, snippet: Snippet) -> str:
        """Return why they do not, or of what type it is."""
        return self.errors.get(snippet.number, self.types.get(snippet.number, ""))

    def _clang(self, *words: str, limit: int = SECONDS) -> subprocess.CompletedProcess[str]:
        command = ["prlimit", f"--cpu={limit}", CXX, *self.flags, *DIAGNOSTICS, *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def _unit(self, snippets: Sequence[Snippet], name: str) -> Unit:
        file = self.work / f"{name}.cpp"
        file.write_text("\n".join(s.function() for s in snippets) + "\n")
        done = self._clang("-fsyntax-only", *self.front, str(file))
        return Unit(done, file, snippets)

    def _sift(self, left: list[Snippet], name: str) -> list[Snippet]:
        """Note the types of what a clean unit takes and what is surely refused; return what was refused beside others."""
        suspects: list[Snippet] = []
        while left:
            unit = self._unit(left, name)
            self.types.update({n: t for n, t in unit.types.items() if n not in unit.errors})
            if not unit.errors:
                return suspects + (self._halves(left, name, unit.lost) if unit.lost else [])
            fatal = {n for n, e in unit.errors.items() if "maximum depth" in e}  # ends the whole unit
            self.errors.update({n: unit.errors[n] for n in fatal})
            suspects += [s for s in left if s.number in unit.errors and s.number not in fatal]
            left = [s for s in left if s.number not in unit.errors]
        return suspects

    def _halves(self, left: list[Snippet], name: str, lost: str) -> list[Snippet]:
        """Look for the snippet that an error without a place belongs to."""
        if len(left) == 1:
            self.errors[left[0].number] = lost.split("\n", maxsplit=1)[0]
            return []
        half = len(left) // 2
        return self._sift(left[:half], name) + self._sift(left[half:], name)

    def judge(self) -> Side:
        """Find out what is taken and what is not."""
        suspects: list[Snippet] = []
        for i in range(0, len(self.table.snippets), UNIT):
            suspects += self._sift(self.table.snippets[i : i + UNIT], "all")
        again: dict[int, str] = {}
        for i in range(0, len(suspects), UNIT):
            again |= self._unit(suspects[i : i + UNIT], "refused").errors
        self.errors.update({s.number: again.get(s.number, "") for s in suspects})
        doubtful = [s for s in suspects if s.number not in again]  # hidden behind another's error, or by it
        with ThreadPoolExecutor(2) as pool:
            units = list(pool.map(lambda s: self._unit([s], f"one{s.number}"), doubtful))
        for snippet, unit in zip(doubtful, units, strict=True):
            if unit.errors or unit.lost:
                self.errors[snippet.number] = unit.errors.get(snippet.number, unit.lost.split("\n")[0])
            else:
                del self.errors[snippet.number]
                self.types.update(unit.types)
        return self

    def values(self, snippets: Sequence[Snippet]) -> dict[int, str]:
        """Run one program of expressions; return what each gives, by `differ_value` of the table's head."""
        left = list(snippets)
        program = self._program(left)
        while isinstance(program, set):
            left = [s for s in left if s.number not in program]
            program = self._program(left)
        done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=300)
        if done.returncode:
            raise RuntimeError(
                f"{self.name}: the program of values ended with {done.returncode}: {done.stderr[-300:]}"
            )
        return {int(n): v for n, v in re.findall(r"^@(\d+) (.*)$", done.stdout, re.MULTILINE)}

    def _program(self, left: Sequence[Snippet]) -> Path | set[int]:
        """Return the program of expressions, or the numbers of those that do not compile there."""
        functions = [
            f"static void differ_{s.number}() {{ {s.pre} differ_value({s.number}, ({s.text})); }}"
            for s in left
        ]
        calls = "".join(f"differ_try(differ_{s.number}, {s.number}); " for s in left)
        catching = "for (int s : {SIGSEGV, SIGABRT, SIGFPE}) std::signal(s, differ_caught);"
        file, made = self.work / "run.cpp", self.work / "run"
        file.write_text("\n".join([*functions, _TRY, f"int main() {{ {catching} {calls}}}", ""]))
        link = ("-no-pie", "-Wl,--unresolved-symbols=ignore-all", "-o", str(made))
        done = self._clang("-O0", *self.front, str(file), *link, limit=300)
        if not done.returncode:
            return made
        lines = [int(n) for n in re.findall(rf"{re.escape(str(file))}:(\d+)", done.stderr)]
        bad = {left[n - 1].number for n in lines if n <= len(left)}
        if not bad:
            raise RuntimeError(f"{self.name}: values: {done.stderr[-1500:]}")
        return bad
