"""A .pt2 file, a program that torch.export.save() wrote, as the ONNX model that PyTorch's own exporter makes of it.

torch.export.load() evaluates texts of a file as Python (sympy's sympify) and loads pickles; a stranger's file would run code.
Here a file is JSON and raw bytes and nothing else: calls of ATen operators, their arguments and tensors. They become a module
of ours, which torch.export traces anew for one sample; torch.onnx.export writes that as ONNX.
Facts: docs.pytorch.org, "PT2 Archive Spec" and torch/_export/serde/schema.yaml, by what PyTorch 2.13 writes.
"""

from __future__ import annotations

import contextlib
import io
import logging
import operator
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from aieloom.cached_arrays import cached_arrays, digest
from aieloom.digests import code_digest
from aieloom.errors import Problem, SpecError
from aieloom.network.readers.bounded_json import json_of
from aieloom.paths import cache_folder
from aieloom.progress import working
from aieloom.spec.types import MAX_ELEMENTS

if TYPE_CHECKING:
    import onnx
    import torch

RULE = "pt2"
AGAIN = "save it again: torch.export.save(torch.export.export(module.eval(), (x,)), 'net.pt2')"
BYTES = 1 << 32  # of an archive's members: more is a mistake, or an attack
# Of schema.yaml's ScalarType, PyTorch's name of each.
TYPES = {
    1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64",
    6: "float16", 7: "float32", 8: "float64", 12: "bool", 13: "bfloat16",
}  # fmt: skip
ATEN = re.compile(r"torch\.ops\.aten\.([a-z]\w*)\.(\w+)|torch\.ops\.aten\.(_[a-z]\w*)\.(\w+)")
# Of sizes: their sums, differences, products and quotients, which Python computes.
OF_SIZES: Mapping[str, Callable[..., object]] = {
    "_operator.add": operator.add,
    "_operator.floordiv": operator.floordiv,
    "_operator.mul": operator.mul,
    "_operator.sub": operator.sub,
}
# Operators without a tensor among their arguments that make one; any other might do anything.
MAKERS = frozenset("arange full ones scalar_tensor zeros".split())  # noqa: SIM905
# Checks of sizes, which are fixed here: nothing is computed.
CHECKS = (
    "torch.ops.aten._assert_",
    "torch.ops.aten.sym_constrain_range",
    "_operator.ge",
    "_operator.le",
    "_operator.eq",
)
PLAIN = ("as_int", "as_float", "as_bool", "as_ints", "as_floats", "as_bools")
TEXT = re.compile(r"[A-Za-z.,> -]{0,64}")  # of words as operators take them, and einsum's equations


def refused(shown: str, text: str, remedy: str) -> SpecError:
    """Return the refusal of a file."""
    return SpecError(rule=RULE, file=shown, text=text, remedy=remedy)


@dataclass(frozen=True, slots=True)
class _Ref:
    """What a call reads that another one gives."""

    name: str


@dataclass(frozen=True, slots=True)
class _Step:
    """A call: what is called, its arguments by name, and the names of its results (one, or a list)."""

    call: Callable[..., object]
    args: Mapping[str, object]
    gives: str | tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Program:
    """`given` is the name of the input, `tensors` the parameters, buffers and constants by their names in the calls."""

    given: str
    shape: tuple[int, ...]
    dtype: str
    names: Mapping[str, str]  # of the tensors, as the module has them
    tensors: Mapping[str, torch.Tensor]
    steps: tuple[_Step, ...]
    result: str


def read_exported(path: Path, shown: str) -> onnx.ModelProto:
    """Return a .pt2 file as an ONNX model of one sample; of a content that was read before without starting PyTorch.

    Raises:
        SpecError: it is none, damaged, holds pickles or operators that are not PyTorch's own, or has no fixed sizes.
    """
    import onnx  # noqa: PLC0415 - only this format needs it

    if not path.is_file():
        raise refused(shown, "there is no such file", "correct the path of the model")
    data = path.read_bytes()
    key = digest(code_digest(), data)

    def load() -> dict[str, np.ndarray[Any, Any]]:
        with working(f"reading {shown}"):
            made = _exported(_loaded(data, shown), shown)
        return {"model": np.frombuffer(made.SerializeToString(), np.uint8)}

    found = cached_arrays(cache_folder() / "exported" / f"{key}.npz", key, load)
    return onnx.load_from_string(found["model"].tobytes())


def _loaded(data: bytes, shown: str) -> _Program:
    try:
        import torch  # noqa: F401, PLC0415 - seconds of start-up that only this format needs
    except ImportError as e:
        text = "reading .pt2 files needs PyTorch, which is not installed"
        raise refused(shown, text, "pip install 'aieloom[torch]', or export the module to ONNX") from e
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(i.file_size for i in archive.infolist()) > BYTES:
                raise refused(shown, f"says that it holds more than {BYTES} bytes", AGAIN)
            return _Archive(archive, shown).program()
    except SpecError:
        raise
    except (
        Exception
    ) as e:  # damaged files raise BadZipFile, KeyError, ValueError, TypeError, RuntimeError ...
        said = str(e).splitlines()[0] if str(e) else type(e).__name__
        raise refused(shown, f"is a truncated or damaged .pt2 file: {said}", AGAIN) from e


class _Archive:
    """A file's JSON and bytes."""

    def __init__(self, archive: zipfile.ZipFile, shown: str) -> None:
        self.archive, self.shown = archive, shown
        names = archive.namelist()
        models = [n for n in names if re.search(r"(^|/)models/[^/]+\.json$", n)]
        if len(models) != 1:
            text = f"has {len(models)} programs of PyTorch 2.8 or newer; one is needed"
            raise refused(shown, text, AGAIN)
        (self.model,) = models
        self.root, _, file = self.model.rpartition("models/")
        self.name = file.removesuffix(".json")
        if self._text("byteorder", "little") != "little":
            raise refused(shown, "has its bytes in big order", AGAIN)

    def _text(self, name: str, default: str) -> str:
        whole = f"{self.root}{name}"
        return self.archive.read(whole).decode() if whole in self.archive.namelist() else default

    def program(self) -> _Program:
        """Return the program.

        Raises:
            SpecError: it has other ends than one tensor each, or something that is not followed.
        """
        module = json_of(self.archive, self.model, self._too_large)["graph_module"]
        graph, signature = module["graph"], module["signature"]
        kinds = [(kind, said) for spec in signature["input_specs"] for kind, said in spec.items()]
        given = [said["arg"]["as_tensor"]["name"] for kind, said in kinds if kind == "user_input"]
        results = [s["user_output"]["arg"] for s in signature["output_specs"] if "user_output" in s]
        if len(given) != 1 or len(results) != 1 or "as_tensor" not in results[0]:
            text = f"takes {len(given)} tensors and gives {len(results)}"
            raise refused(self.shown, text, "export the part between one tensor and one result")
        names = self._names(kinds)
        payloads = {**self._payloads("weights"), **self._payloads("constants")}
        value = graph["tensor_values"][given[0]]
        shape = self._shape(given[0], value)
        return _Program(
            given=given[0],
            shape=shape,
            dtype=TYPES.get(value["dtype"], "float32"),
            names=names,
            tensors={at: self._tensor(name, payloads) for at, name in names.items()},
            steps=tuple(self._steps(graph["nodes"])),
            result=results[0]["as_tensor"]["name"],
        )

    def _names(self, kinds: list[tuple[str, Any]]) -> dict[str, str]:
        """Return the names of parameters, buffers and constants, by those in the calls."""
        keys = {
            "parameter": "parameter_name",
            "buffer": "buffer_name",
            "tensor_constant": "tensor_constant_name",
        }
        strange = [kind for kind, _ in kinds if kind != "user_input" and kind not in keys]
        if strange:
            raise refused(self.shown, f"has an input of the kind '{strange[0]}'", "export plain tensors")
        return {said["arg"]["name"]: str(said[keys[kind]]) for kind, said in kinds if kind in keys}

    def _payloads(self, what: str) -> dict[str, Any]:
        name = f"{self.root}data/{what}/{self.name}_{what}_config.json"
        known = name in self.archive.namelist()
        config = json_of(self.archive, name, self._too_large)["config"] if known else {}
        return {name: {**said, "folder": f"data/{what}/"} for name, said in config.items()}

    def _too_large(self, text: str) -> SpecError:
        return refused(self.shown, text, "use a program of fewer calls: no network of ours has so many")

    def _shape(self, name: str, value: Any) -> tuple[int, ...]:
        """Return the input's shape, its batch one.

        Raises:
            SpecError: another size is open.
        """
        sizes = [size.get("as_int") for size in value["sizes"]]
        if not sizes or None in sizes[1:]:
            said = ", ".join("?" if s is None else str(s) for s in sizes)
            text = f"its input '{name}' has the shape ({said}); the sizes behind the batch have to be fixed"
            raise refused(self.shown, text, "export it without dynamic_shapes, or of the batch alone")
        return (1, *(int(s) for s in sizes[1:]))

    def _tensor(self, name: str, payloads: Mapping[str, Any]) -> torch.Tensor:
        """Return a tensor, of its raw bytes.

        Raises:
            SpecError: it is a pickle, or of another type.
        """
        import torch  # noqa: PLC0415

        said = payloads.get(name)
        if said is None or said["use_pickle"]:
            text = f"the tensor '{name}' " + ("is a pickle, which could run code" if said else "is not in it")
            raise refused(self.shown, text, "save plain tensors: no subclasses, no quantised ones")
        meta = said["tensor_meta"]
        if meta["dtype"] not in TYPES:
            raise refused(
                self.shown, f"the tensor '{name}' is of type {meta['dtype']}", "export it in float32"
            )
        sizes, strides = ([int(v["as_int"]) for v in meta[k]] for k in ("sizes", "strides"))
        if np.prod([float(s) for s in sizes]) > MAX_ELEMENTS:
            text = f"the tensor '{name}' has the shape {sizes}, more than {MAX_ELEMENTS} values"
            raise refused(self.shown, text, "aieloom is for networks that are smaller")
        raw = bytearray(self.archive.read(f"{self.root}{said['folder']}{said['path_name']}"))
        whole = torch.frombuffer(raw, dtype=getattr(torch, TYPES[meta["dtype"]]))
        return torch.as_strided(whole, sizes, strides, int(meta["storage_offset"]["as_int"])).clone()

    def _steps(self, nodes: list[Any]) -> Iterator[_Step]:
        """Yield the calls.

        Raises:
            SpecError: some are of operators that are not PyTorch's own; each is named.
        """
        problems: list[Problem] = []
        for node in nodes:
            target = str(node["target"])
            if target.startswith(CHECKS):
                continue
            try:
                call = OF_SIZES.get(target) or _operator(target, node["inputs"])
                given = {i["name"]: _value(i["arg"]) for i in node["inputs"]}
            except ValueError as e:
                remedy = "export a module that calls PyTorch's own functions, with fixed sizes"
                text = f"call '{node.get('name', '')}' of {target}: {e}"
                problems.append(Problem(rule=RULE, file=self.shown, text=text, remedy=remedy))
                continue
            yield _Step(call, given, _results(node["outputs"]))
        if problems:
            raise SpecError(problems)


def _operator(target: str, inputs: list[Any]) -> Callable[..., object]:
    """Return an operator of PyTorch's own that computes tensors of tensors.

    Raises:
        ValueError: it is another one, or works on what it is given.
    """
    import torch  # noqa: PLC0415

    found = ATEN.fullmatch(target)
    name, overload = (next(g for g in found.groups()[i::2] if g) for i in (0, 1)) if found else ("", "")
    packet = getattr(torch.ops.aten, name, None) if found else None
    call = getattr(packet, overload, None)
    if not isinstance(call, torch._ops.OpOverload):
        raise ValueError("it is none of PyTorch's own operators (torch.ops.aten)")
    schema = call._schema
    tensors = any("Tensor" in str(a.type) for a in schema.arguments)
    if schema.is_mutable or not (tensors or name in MAKERS):
        raise ValueError("it changes what it is given, or reads no tensor")
    strange = {i["name"] for i in inputs} - {a.name for a in schema.arguments}
    if strange:
        raise ValueError(f"it has no argument '{strange.pop()}'")
    return cast("Callable[..., object]", call)


def _value(arg: Mapping[str, Any]) -> object:
    """Return an argument.

    Raises:
        ValueError: it is of a kind that is not followed.
    """
    import torch  # noqa: PLC0415

    ((kind, said),) = arg.items()
    if kind in ("as_tensors", "as_sym_ints", "as_optional_tensors"):
        return [_value({"as_tensor": v} if kind == "as_tensors" else _of_list(v)) for v in said]
    if kind in PLAIN or (kind == "as_string" and TEXT.fullmatch(said)):
        return said
    if kind == "as_scalar_type" and said in TYPES:
        return getattr(torch, TYPES[said])
    if kind in ("as_sym_int", "as_sym_float", "as_tensor"):
        name = said.get("name", said.get("as_name"))
        return _Ref(str(name)) if name else said.get("as_int", said.get("as_float"))
    if kind in ("as_none", "as_device", "as_layout", "as_memory_format"):
        return None  # of the processor, dense, in order
    raise ValueError(f"an argument of the kind {kind} is not supported")


def _of_list(value: Mapping[str, Any]) -> dict[str, Any]:
    return {"as_sym_int": value} if "as_name" in value else dict(value)


def _results(outputs: list[Any]) -> str | tuple[str, ...]:
    """Return the names of a call's results."""
    if len(outputs) == 1 and "as_tensors" in outputs[0]:
        return tuple(str(v["name"]) for v in outputs[0]["as_tensors"])
    names = [_named(o) for o in outputs]
    return names[0] if len(names) == 1 else tuple(names)


def _named(output: Mapping[str, Any]) -> str:
    ((_, said),) = output.items()
    said = said if isinstance(said, dict) else {}
    return str(said.get("name") or said.get("as_name") or "")


def _exported(program: _Program, shown: str) -> onnx.ModelProto:
    """Trace a program for one sample, and write it as ONNX.

    Raises:
        SpecError: its calls do not fit together, or PyTorch's exporter does not know one.
    """
    import torch  # noqa: PLC0415

    module = _module(program)
    x = torch.zeros(program.shape, dtype=getattr(torch, program.dtype))
    with torch.no_grad(), _quiet():
        try:
            traced = torch.export.export(module, (x,))
            made = torch.onnx.export(traced, (x,), dynamo=True, verbose=False, input_names=["x"])
        except ModuleNotFoundError as e:
            text = f"making ONNX of it needs the package '{e.name}', which is not installed"
            raise refused(shown, text, "pip install 'aieloom[torch]'") from e
        except Exception as e:  # shapes that do not fit, operators that ONNX has not: many kinds
            line = next((t for t in str(e).splitlines() if t.strip()), type(e).__name__)
            raise refused(shown, f"PyTorch cannot export it: {line}", AGAIN) from e
    assert made is not None
    return made.model_proto


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep what PyTorch's exporter tells of its own steps to itself."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _module(program: _Program) -> torch.nn.Module:
    """Return a module that makes the calls one after another: no source text is made of the file."""
    import torch  # noqa: PLC0415

    class Calls(torch.nn.Module):
        """Holds the tensors under their names."""

        def forward(self, x: torch.Tensor) -> object:
            known: dict[str, object] = {at: self.get_buffer(_safe(n)) for at, n in program.names.items()}
            known[program.given] = x
            for step in program.steps:
                y = (
                    step.call(*_arguments(step, known))
                    if step.call in OF_SIZES.values()
                    else step.call(**dict(zip(step.args, _arguments(step, known), strict=True)))
                )
                if isinstance(step.gives, str):
                    known[step.gives] = y
                else:
                    known |= dict(zip(step.gives, cast("tuple[object, ...]", y), strict=False))
            return known[program.result]

    module = Calls()
    for at, name in program.names.items():
        *path, last = _safe(name).split(".")
        inside: torch.nn.Module = module
        for part in path:
            if part not in inside._modules:
                inside.add_module(part, torch.nn.Module())
            inside = inside.get_submodule(part)
        if last not in inside._buffers:
            inside.register_buffer(last, program.tensors[at])
    return module


def _safe(name: str) -> str:
    """Return a tensor's name as a module may have it: no part is an attribute of every module."""
    import torch  # noqa: PLC0415

    parts = (re.sub(r"\W", "_", part) for part in name.split("."))
    return ".".join(f"{p}_" if not p or hasattr(torch.nn.Module(), p) else p for p in parts)


def _arguments(step: _Step, known: Mapping[str, object]) -> list[object]:
    def value(v: object) -> object:
        if isinstance(v, list):
            return [value(i) for i in v]
        return known[v.name] if isinstance(v, _Ref) else v

    return [value(v) for v in step.args.values()]
