"""`aieloom.kernel("kernels.cc", "fn")`: one kernel of the array by itself, with NumPy arrays in the place of its ports.

The graph that the vendor's tools want around a kernel is printed: a PLIO for each buffer, window and stream, and run-time
parameters that are read from a file. It is kept by content, so that a kernel is compiled once for all arrays of one size.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aieloom.cache import kept
from aieloom.digests import text_digest
from aieloom.emit.files import write_text
from aieloom.emulator.arrays import type_name
from aieloom.emulator.brackets import closing
from aieloom.emulator.pl_signature import split_parameters
from aieloom.emulator.pl_source import (
    Outline,
    check_there,
    outline,
    read_text,
    uncommented,
    without_comments,
)
from aieloom.emulator.program import emulate
from aieloom.errors import RunFailed, SpecError
from aieloom.paths import cache_folder

Array = NDArray[Any]
RULE = "kernel-alone"
_PORT = re.compile(
    r"\b(?P<way>input|output)_(?P<kind>(?:async_)?(?:circular_)?buffer|window|stream)(?:_(?P<old>\w+)|\b)"
)
_OTHER = re.compile(r"\b(?:input|output|inout)_(?:pktstream|cascade|gmio|\w*buffer)\w*")
_NAME = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*\)?\s*(?P<bound>\[[^\]]*\])?\s*$")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<][^">\n]+[">]', re.MULTILINE)
BUFFER, WINDOW, STREAM, VALUE = "buffer", "window", "stream", "value"


@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """A parameter of the kernel's function: what it is, and the size of its buffer where its type says one."""

    name: str
    kind: str
    is_output: bool
    is_array: bool = False  # of a run-time parameter
    has_size: bool = False  # extents<...>


class KernelHandle:
    """A kernel's function that takes and gives NumPy arrays: `aieloom.kernel(source, name)`."""

    def __init__(
        self,
        source: Path,
        name: str,
        *,
        headers: Sequence[str],
        includes: Sequence[Path],
        defines: Sequence[str],
        arch: str,
    ) -> None:
        self._source, self._name, self._headers = source.absolute(), name, tuple(headers)
        self._includes = tuple(i.absolute() for i in includes)
        self._defines, self._arch = tuple(defines), arch

    @property
    def ports(self) -> tuple[Port, ...]:
        """The function's parameters in order, as its source declares them now.

        Raises:
            SpecError: there is no such function, or a parameter that a kernel by itself cannot have.
        """
        return self._signature()[1]

    def emulate(
        self,
        *inputs: ArrayLike,
        calls: int | None = None,
        sizes: Mapping[str, int] | None = None,
        timeout: float | None = None,
        **named: ArrayLike,
    ) -> Array | dict[str, Array]:
        """Call the kernel, and return what it gives: an array, or with several outputs one by each parameter's name.

        Args:
            inputs: one for each input, in the order of the function's parameters; or by name. A buffer's or window's array is
                `(calls, samples)`, or `(samples,)` for one call. A stream's holds what all calls read. Numbers are run-time
                parameters. Arrays have the parameter's type of elements (`type_name` in aieloom.emulator.arrays).
            calls: how often the kernel runs; by default as often as the arrays have rows.
            sizes: samples that an output buffer holds, by name, where its type does not say it; by default as many as the
                first input buffer's.
            timeout: seconds after which the run is ended.
            **named: inputs by the names of their parameters.

        Returns:
            `(calls, samples)` of a buffer or window, all that was written of a stream.

        Raises:
            SpecError: the function is none that can run by itself, or an input is missing or of another shape or type.
            ToolError: the source does not compile, or the run takes longer than `timeout`.
            RunFailed: the emulator refuses the kernel or its data.
        """
        before, ports = self._signature()
        given = _given(ports, inputs, named, self._name)
        arrays = {p.name: np.asarray(given[p.name]) for p in ports if p.kind != VALUE and not p.is_output}
        rows = _rows(ports, arrays, calls)
        samples = _samples(ports, arrays, rows, dict(sizes or {}))
        values = {p.name: np.ravel(given[p.name]) for p in ports if p.kind == VALUE}
        graph = self._graph(before, ports, samples)
        with tempfile.TemporaryDirectory() as temporary:
            data = Path(temporary)
            lines = [str(rows), *(" ".join(map(_number, v)) for v in values.values())]
            (data / "values.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
            result = emulate(
                graph,
                includes=[self._source.parent, *self._includes],
                defines=self._defines,
                arch=self._arch,
                data=data,
                out=data / "out",
                timeout=timeout,
                inputs={name: a.ravel() for name, a in arrays.items()},
            )
        if result.code:
            raise RunFailed(result.stderr.strip().removeprefix("aieloom: error: "))
        outputs = [p for p in ports if p.is_output]
        found = {p.name: _shaped(p, result.arrays[p.name], rows) for p in outputs}
        return found[outputs[0].name] if len(outputs) == 1 else found

    def __repr__(self) -> str:
        ports = ", ".join(f"{p.name}: {'output ' if p.is_output else ''}{p.kind}" for p in self.ports)
        return f"<aieloom kernel {self._name}({ports}) of {self._source.name}>"

    def _signature(self) -> tuple[str, tuple[Port, ...]]:
        """Return what declares the function, and its parameters."""
        text = read_text(self._source)
        found = outline(text)
        plain = without_comments(text)
        if self._headers:
            before = "".join(f'#include "{h}"\n' for h in self._headers)
            folders = (self._source.parent, *self._includes)
            files = [next((f / h for f in folders if (f / h).is_file()), None) for h in self._headers]
            plain += "".join(without_comments(read_text(f)) for f in files if f)
        else:
            before = "\n".join(_INCLUDE.findall(uncommented(text))) + "\n" + _declared(found, self._name)
        parameters = _parameters(plain, self._name, found.macros, self._source)
        if not self._headers and not _declared(found, self._name):
            text = f"'{self._name}' is a template, or no function that a graph can declare"
            raise self._problem(text, "name the header that declares it: headers=[...]")
        return before, tuple(_port(p, self._source, self._name) for p in parameters)

    def _problem(self, text: str, remedy: str) -> SpecError:
        return SpecError(rule=RULE, file=str(self._source), text=text, remedy=remedy)

    def _graph(self, before: str, ports: Sequence[Port], samples: Mapping[str, int]) -> Path:
        text = graph_text(self._source.name, self._name, before, ports, samples)
        folder = cache_folder() / "kernels" / text_digest(str(self._source), text)[:20]
        write_text(folder / "graph.cpp", text)
        kept(folder / "graph.cpp")
        return folder / "graph.cpp"


def kernel(
    source: str | Path,
    name: str,
    *,
    headers: Iterable[str] = (),
    includes: Iterable[str | Path] = (),
    defines: Iterable[str] = (),
    arch: str = "aie",
) -> KernelHandle:
    """Open one kernel function of a source: `aieloom.kernel("kernels.cc", "fir").emulate(x)`.

    `name` may have namespaces and template arguments (`dsp::fir<16>`). `headers` are what declares it, and are needed for
    templates; without any, the graph declares the function as the source does, with the same includes. `arch` is aie or aie-ml.

    Raises:
        SpecError: there is no such file.
    """
    path = Path(source)
    check_there([path])
    return KernelHandle(
        path,
        name,
        headers=tuple(headers),
        includes=tuple(map(Path, includes)),
        defines=tuple(defines),
        arch=arch,
    )


def _declared(found: Outline, name: str) -> str:
    """Return a declaration of a function that the source defines; nothing of a template."""
    scope, _, own = name.rpartition("::")
    for f in found.functions:
        if f.name == own and (not scope or "::".join(f.scope).endswith(scope)):
            opened = "".join(f"namespace {s} {{ " for s in f.scope)
            return f"{opened}{f.before} {f.name}({f.parameters});{' }' * len(f.scope)}\n"
    return ""


def _parameters(plain: str, name: str, macros: Mapping[str, str], source: Path) -> list[str]:
    """Return the declarations of a function's parameters."""
    own = re.split(r"<", name.rpartition("::")[2] if "<" not in name else name.partition("<")[0])[0]
    own = own.rpartition("::")[2]
    for found in re.finditer(rf"\bvoid\s+(?:\w+\s*::\s*)*{re.escape(own)}\s*\(", plain):
        end = closing(plain, found.end() - 1)
        if plain[end + 1 :].lstrip()[:1] in {"{", ";"}:
            return split_parameters(plain[found.end() : end], dict(macros))
    text = f"there is no function 'void {own}(...)'"
    remedy = "name a kernel's function as the source spells it; kernels are void functions"
    raise SpecError(rule=RULE, file=str(source), text=text, remedy=remedy)


def _port(text: str, source: Path, kernel_name: str) -> Port:
    found, named = _PORT.search(text), _NAME.search(text.split("=", maxsplit=1)[0].rstrip())
    if not named:
        problem = f"parameter '{text}' of kernel '{kernel_name}' has no name"
        raise SpecError(rule=RULE, file=str(source), text=problem, remedy="name every parameter")
    name = named["name"]
    if found:
        kind = BUFFER if found["kind"].endswith(BUFFER) else found["kind"]
        return Port(name=name, kind=kind, is_output=found["way"] == "output", has_size="extents" in text)
    changes = "&" in text and not re.search(r"\bconst\b", text)
    if _OTHER.search(text) or changes:
        why = "may change, which only a graph reads" if changes else "has no array that stands for it"
        problem = f"parameter '{text}' of kernel '{kernel_name}' {why}"
        remedy = "write a graph around it: aieloom.emulate(graph, inputs=...)"
        raise SpecError(rule=RULE, file=str(source), text=problem, remedy=remedy)
    return Port(name=name, kind=VALUE, is_output=False, is_array=bool(named["bound"]))


def _given(
    ports: Sequence[Port], inputs: Sequence[ArrayLike], named: Mapping[str, ArrayLike], kernel_name: str
) -> dict[str, ArrayLike]:
    """Return what was given by the parameters' names."""
    wanted = [p.name for p in ports if not p.is_output]
    found = dict(zip(wanted, inputs, strict=False))
    twice, unknown = sorted(set(found) & set(named)), sorted(set(named) - set(wanted))
    missing = [n for n in wanted if n not in found and n not in named]
    if len(inputs) > len(wanted) or twice or unknown or missing:
        wrong = [("twice", twice), ("unknown", unknown), ("missing", missing)]
        said = [f"{what}: {', '.join(names)}" for what, names in wrong if names]
        said += [f"{len(inputs)} were given"] if len(inputs) > len(wanted) else []
        text = f"kernel '{kernel_name}' takes {', '.join(wanted) or 'no input'}; {'; '.join(said)}"
        raise SpecError(rule=RULE, text=text, remedy="give each input once, in this order or by name")
    return {**found, **named}


def _rows(ports: Sequence[Port], arrays: Mapping[str, Array], calls: int | None) -> int:
    """Return how often the kernel is called."""
    rows = {
        n: len(arrays[n]) if arrays[n].ndim > 1 else 1
        for n in (p.name for p in ports if p.kind in {BUFFER, WINDOW} and p.name in arrays)
    }
    for name, array in arrays.items():
        type_name(array)  # refused before anything is compiled
        if array.ndim not in {1, 2} or not array.size:
            text = f"'{name}' has the shape {array.shape}"
            raise SpecError(rule=RULE, text=text, remedy="give (calls, samples) or (samples,)")
    counts = {*rows.values(), *([calls] if calls is not None else [])}
    if len(counts) > 1 or min(counts, default=1) < 1:
        said = ", ".join(
            [
                *(f"'{n}' is for {r}" for n, r in rows.items()),
                *([f"calls={calls}"] if calls is not None else []),
            ]
        )
        text = f"calls of the kernel: {said}"
        raise SpecError(rule=RULE, text=text, remedy="give each buffer a row for every call")
    streams = (len(a) for a in arrays.values() if a.ndim > 1)
    return next(iter(counts), None) or next(streams, 1)


def _samples(
    ports: Sequence[Port], arrays: Mapping[str, Array], rows: int, sizes: dict[str, int]
) -> dict[str, int]:
    """Return the samples of each buffer and window whose type does not say them."""
    found: dict[str, int] = {}
    buffers = [p for p in ports if p.kind in {BUFFER, WINDOW}]
    unknown = sorted(set(sizes) - {p.name for p in buffers if p.is_output})
    if unknown:
        text = f"sizes of {', '.join(unknown)}: no output buffer is called so"
        raise SpecError(rule=RULE, text=text, remedy="name output buffers and windows")
    for p in buffers:
        if not p.is_output:
            found[p.name] = arrays[p.name].size // rows
    first = next((found[p.name] for p in buffers if p.name in found), 0)
    for p in buffers:
        if p.is_output and not p.has_size:
            found[p.name] = sizes.get(p.name, first)
            if found[p.name] < 1:
                text = f"nothing says how many samples the output '{p.name}' holds"
                raise SpecError(rule=RULE, text=text, remedy=f"say it: sizes={{'{p.name}': 64}}")
    return {n: s for n, s in found.items() if not next(p for p in buffers if p.name == n).has_size}


def _number(value: object) -> str:
    return repr(value.item() if hasattr(value, "item") else value).replace("True", "1").replace("False", "0")


def _shaped(port: Port, values: Array, rows: int) -> Array:
    return (
        values if port.kind == STREAM or len(values) % rows else values.reshape(rows, -1, *values.shape[1:])
    )


_GRAPH = """\
// One kernel by itself: printed by aieloom.kernel(). Run-time parameters and the number of calls are in values.txt.
#include <adf.h>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>
#include <type_traits>
{before}
namespace alone {{
template <typename F> struct parameters;
template <typename... P> struct parameters<void (*)(P...)> {{
  template <unsigned I> using at = std::tuple_element_t<I, std::tuple<P...>>;
}};
template <unsigned I> using parameter = parameters<decltype(&{name})>::at<I>;
template <typename P> struct element;
template <typename T, aieloom::Direction D> struct element<adf::io_window<T, D>*> {{ using type = T; }};

class Graph : public adf::graph {{
 public:
{members}
  adf::kernel k;
  Graph() {{
    k = adf::kernel::create({name});
    adf::source(k) = "{source}";
    adf::runtime<adf::ratio>(k) = 0.9;
{connects}
  }}
}};
}}  // namespace alone

alone::Graph g;

int main() {{
  std::FILE* values = std::fopen((std::string(std::getenv("AIELOOM_DATA")) + "/values.txt").c_str(), "r");
  const auto next = [values] {{
    long double number = 0;
    return values != nullptr && std::fscanf(values, "%Lf", &number) == 1 ? number : 0;
  }};
  const int calls = static_cast<int>(next());
  g.init();
{updates}
  g.run(calls);
  g.end();
  return 0;
}}
"""


def graph_text(source: str, name: str, before: str, ports: Sequence[Port], samples: Mapping[str, int]) -> str:
    """Return the graph around a kernel."""
    members, connects, updates = [], [], []
    counts = {False: 0, True: 0}
    for i, p in enumerate(ports):
        end = f"k.{'out' if p.is_output else 'in'}[{counts[p.is_output]}]"
        counts[p.is_output] += 1
        if p.kind == VALUE:
            members.append(f"  adf::port<adf::input> p{i};")
            connects.append(f"    adf::connect<adf::parameter>(p{i}, adf::async({end}));")
            updates += _update(i, is_array=p.is_array)
            continue
        way = "output" if p.is_output else "input"
        members.append(f"  adf::{way}_plio p{i};")
        connects.append(f'    p{i} = adf::{way}_plio::create("{p.name}", adf::plio_32_bits, "{p.name}.txt");')
        kind = {STREAM: "adf::stream", BUFFER: ""}.get(
            p.kind, f"adf::window<{samples.get(p.name, 0)} * sizeof(element<parameter<{i}>>::type)>"
        )
        ends = f"{end}, p{i}.in[0]" if p.is_output else f"p{i}.out[0], {end}"
        connects.append(f"    adf::connect<{kind}>({ends});")
        if p.kind == BUFFER and p.name in samples:
            connects.append(f"    adf::dimensions({end}) = {{{samples[p.name]}}};")
    return _GRAPH.format(
        source=source,
        name=name,
        before=before.rstrip(),
        members="\n".join(members),
        connects="\n".join(connects),
        updates="\n".join(updates),
    )


def _update(i: int, *, is_array: bool) -> list[str]:
    """Return the lines that read a run-time parameter and pass it on."""
    type_ = f"std::remove_cvref_t<alone::parameter<{i}>>"
    if is_array:
        each = f"std::remove_reference_t<decltype(*v{i})>"
        filled = f"  for (auto& v : v{i}) {{ v = static_cast<{each}>(next()); }}"
        return [
            f"  {type_} v{i}{{}};",
            filled,
            f"  g.update(g.p{i}, v{i}, std::extent_v<{type_}>);",
        ]
    return [f"  const auto v{i} = static_cast<{type_}>(next());", f"  g.update(g.p{i}, v{i});"]
