"""Edits of every input of a project, and damage to what was built: after each the outcome is that of an empty build folder.

The network is the smallest there is, in integers, in float32 with an operator of its own, and as an ONNX model whose tensors lie
beside it. aieloom is a copy, so that its boards, templates and modules are inputs as well.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from safetensors.numpy import save

from aieloom.emit.library import template_folder
from aieloom.paths import cache_folder, package_folder
from tests.fuzz import compiler
from tests.fuzz.doits import Job, Server, server
from tests.fuzz.runner import Tally
from tools.measured_keys import unmeasured

KINDS = ("int8", "own", "onnx")
DEEP = 100  # edits after which the reference compiles everything anew, with an empty cache
SAMPLES = 5
MENDED = (
    0.6  # share of the edits after a project was refused that set it right: most should be of one that runs
)
SAID = {"code", "said"}  # of an outcome that has no results
OPERATOR = '''\
"""gain: GAIN x."""

from typing import Literal

import numpy as np

from aieloom.ops.pl import UNIT, Elementwise, pl_step
from aieloom.ops.registry import operator
from aieloom.pl.steps import ELEMENTWISE
from aieloom.spec.network import LayerSpec


class GainSpec(LayerSpec):
    op: Literal["gain"]


@operator
class Gain(Elementwise[GainSpec]):
    name = "gain"
    layer_model = GainSpec

    def plan_pl(self, spec, at, mapping):
        return pl_step(spec, at, kind=ELEMENTWISE, template="gain.h.j2", detail=None, dsp=3, lut=90, clock_mhz=mapping.clock_mhz, why=("gain",))

    def torch_forward(self, spec, params, x):
        return GAIN * x

    def hardware(self, plan, params, x):
        return x.dtype.type(GAIN) * x

    def slope(self, plan):
        return GAIN

    def rounding(self, plan, params, x):
        return np.abs(x) * UNIT
'''
TEMPLATE = "/// gain.\nfloat {{ step.function }}(float x) {\n  return GAIN * x;\n}\n"
NETWORK: dict[str, Any] = {
    "name": "xor_net",
    "target": "vck190",
    "weights": "weights.safetensors",
    "input": {"name": "bits", "shape": [2, 1, 1]},
    "layers": [
        {"name": "hidden", "op": "dense", "out_features": 3},
        {"name": "act", "op": "relu"},
        {"name": "out", "op": "dense", "out_features": 1},
        {"name": "answer", "op": "sigmoid"},
    ],
    "quantize": {"activations": "int8", "weights": "int8", "calibration": "data/calib.npz"},
    "data": {"samples": "data/test.npz"},
}


@dataclass
class World:
    """A project, a copy of aieloom, and where both are built. `random` decides everything."""

    root: Path
    random: random.Random
    cache: Path
    through_wrapper: bool  # compiler edits need a compiler that may be edited; it costs a second a unit

    def __post_init__(self) -> None:
        self.project, self.package = self.root / "project", self.root / "aieloom"
        self.data = json.loads(json.dumps(NETWORK))
        self.kind = "int8"
        self.options: dict[str, str] = {}
        self.anew: dict[
            str, Any
        ] = {}  # what an empty build folder gave for these inputs, where that is known
        self.broken = ""
        _copy_package(self.package)
        for folder in ("data", "operators"):
            (self.project / folder).mkdir(parents=True)
        self.objects = Path(os.environ.get("EDITS_OBJECTS") or self.root / "objects")
        self.objects.mkdir(exist_ok=True)
        self.compiler(0)
        self.write_yaml()
        self.samples(1)
        self.calibration(1)
        self.weights(1)
        self.weights(2, "other.safetensors")
        self.model(1)

    def put(self, file: Path, data: bytes, *, keep: bool | None = None) -> None:
        """Write a file's content in place, half of the time with its date kept."""
        before = file.stat() if file.exists() else None
        file.write_bytes(data)
        if before and (self.random.random() < 0.5 if keep is None else keep):
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    def write_yaml(self) -> None:
        """Write network.yaml as it is meant."""
        text = yaml.safe_dump(self.data, sort_keys=False) + self.broken
        self.put(self.project / "network.yaml", text.encode())

    def tensors(self, seed: int) -> dict[str, Any]:
        """Return trained tensors of the network."""
        numbers = np.random.default_rng(seed)
        shapes = {"hidden.weight": (3, 2), "hidden.bias": (3,), "out.weight": (1, 3), "out.bias": (1,)}
        return {name: numbers.normal(0, 1, shape).astype(np.float32) for name, shape in shapes.items()}

    def weights(self, seed: int, name: str = "weights.safetensors") -> None:
        """Write trained tensors."""
        self.put(self.project / name, save(self.tensors(seed)))

    def samples(self, seed: int) -> None:
        """Write what is run, with classes."""
        self._npz("test.npz", x=_inputs(seed), labels=np.arange(SAMPLES) % 2)

    def calibration(self, seed: int) -> None:
        """Write what scales follow from."""
        self._npz("calib.npz", x=_inputs(10) * np.float32(seed))

    def _npz(self, name: str, **arrays: Any) -> None:
        file = self.root / name
        np.savez(file, **arrays)
        self.put(self.project / "data" / name, file.read_bytes())

    def model(self, seed: int) -> None:
        """Write an ONNX model and, beside it, its tensors."""
        import onnx
        from onnx import TensorProto, helper, numpy_helper

        tensors = self.tensors(seed)
        nodes = [
            helper.make_node("Gemm", ["x", "hidden.weight", "hidden.bias"], ["h"], "hidden", transB=1),
            helper.make_node("Relu", ["h"], ["a"], "act"),
            helper.make_node("Gemm", ["a", "out.weight", "out.bias"], ["y"], "out", transB=1),
        ]
        ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, s]) for n, s in (("x", 2), ("y", 1))]
        initial = [numpy_helper.from_array(t, n) for n, t in tensors.items()]
        graph = helper.make_graph(nodes, "xor", ends[:1], ends[1:], initial)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        folder = self.root / "exported"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        onnx.save(
            model, folder / "model.onnx", save_as_external_data=True, location="model.data", size_threshold=0
        )
        for name in ("model.onnx", "model.data"):
            self.put(self.project / name, (folder / name).read_bytes())

    def operator(self, gain: float, *, file: str) -> None:
        """Write the operator's module or its template."""
        text = OPERATOR if file == "gain.py" else TEMPLATE.replace("GAIN", "GAINF")
        self.put(self.project / "operators" / file, text.replace("GAIN", str(gain)).encode())

    def compiler(self, mark: int) -> None:
        """Write the compiler that is used."""
        script = self.root / "compiler"
        words = f"{sys.executable} -S {compiler.__file__} {mark}" if self.through_wrapper else compiler.GXX
        self.put(script, f'#!/bin/sh\n# {mark}\nexec {words} "$@"\n'.encode())
        script.chmod(0o755)

    def use(self, kind: str) -> None:
        """Make the project one of another kind."""
        self.kind = kind
        self.data = json.loads(json.dumps(NETWORK))
        if kind != "int8":
            del self.data["quantize"]
        if kind == "own":
            self.data["layers"][1] = {"name": "act", "op": "gain"}
            self.operator(1.5, file="gain.py")
            self.operator(1.5, file="gain.h.j2")
        else:
            shutil.rmtree(self.project / "operators")
            (self.project / "operators").mkdir()
        if kind == "onnx":
            self.data |= {"weights": "model.onnx"}
            del self.data["layers"], self.data["input"]
            self.options.pop("weights", None)
        self.write_yaml()

    def build(self, name: str) -> Path:
        """Return the folder that `build=` names, for the builds that go on (`work`) and for those that begin anew."""
        return self.root / name / "build"

    def job(self, name: str, cache: Path) -> Job:
        """Return `doit sim` in one of the build folders."""
        chosen = [f"{key}={value}" for key, value in self.options.items()]
        words = ["sim", "quiet=1", f"build={self.build(name)}", *chosen]
        environment = {
            "AIELOOM_CACHE": str(cache),
            "CXX": str(self.root / "compiler"),
            "EDITS_OBJECTS": str(self.objects),
            "COLUMNS": "250",
            "AIELOOM_TRUSTED": str(self.project),
        }
        log = self.root / f"{name}.log"
        return Job(folder=str(self.project), words=words, environment=environment, log=str(log))

    def outcome(self, name: str, code: int) -> dict[str, Any]:
        """Return everything that a build gave and told, but its times."""
        said = (self.root / f"{name}.log").read_text(errors="replace").replace(str(self.build(name)), "BUILD")
        found: dict[str, Any] = {"code": code, "said": said}
        build = self.build(name) / str(self.data["name"]) / self.options.get("target", self.data["target"])
        if code != 2 and (build / "report" / "summary.json").is_file():
            found |= {f.relative_to(build).as_posix(): _content(f) for f in _results(build)}
        return found


def _inputs(seed: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.random.default_rng(seed).uniform(0, 1, (SAMPLES, 2)).astype(np.float32)


def _copy_package(to: Path) -> None:
    package = package_folder().parent
    shutil.copytree(package, to / "scripts" / "aieloom", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("aie_templates", "pl_templates", "host_templates"):
        shutil.copytree(template_folder(name), to / name)


def _results(build: Path) -> Iterator[Path]:
    """Yield the files that are a build's outcome."""
    yield build / "plan.json"
    yield from sorted(f for f in (build / "src").rglob("*") if f.is_file())
    yield from sorted(f for f in (build / "report").iterdir() if f.is_file())
    yield from sorted(f for f in (build / "emu").iterdir() if not f.suffix or f.suffix == ".xclbin")


def _content(file: Path) -> object:
    data = file.read_bytes()
    if file.name in {"summary.json", "emu.json"}:
        return unmeasured(json.loads(data))
    if file.suffix != ".html":
        return data
    # The table of the device beside the processor has columns for the latter only where its times are no noise.
    data = re.sub(rb'<tr><th class="n">images</th>.*?</table>', b"MEASURED</table>", data, flags=re.DOTALL)
    return re.sub(rb"<(\w+)[^>]* data-measured>.*?</\1>", b"MEASURED", data)


Edit = Callable[[World], str]


# Keys of network.yaml that an edit sets; a layer's by its place, where the project has such a one.
SETTINGS: tuple[tuple[str, Any], ...] = (
    *(("seed", seed) for seed in (1, 2, 3)),
    *(("data", data) for data in (None, NETWORK["data"])),
    *(("quality", {"min_sqnr_db": bound}) for bound in (1.0, 20.0, 80.0)),
    *(("quality", {"max_accuracy_loss": bound}) for bound in (0.0, 0.5)),
    *(("quantize", {"symmetric": value}) for value in (True, False)),
    *(("quantize", {"method": value}) for value in ("mse", "min_max")),
    *(("objective", value) for value in ("latency", "throughput")),
    *(("name", value) for value in ("xor_net", "other_net")),
    *(("mapping", {"answer": {"clock_mhz": value}}) for value in (250.0, 300.0)),
    *(("act", value) for value in ("relu", "leaky_relu")),
)
ENDS = ("", "# a remark\n", "# another remark\n", "layers: [", "colour: red\n", "seed: many\n")


def _yaml_edit(world: World) -> str:
    if world.random.random() < 0.25:
        world.broken = world.random.choice(ENDS)
        world.write_yaml()
        return f"network.yaml ends with {world.broken!r}"
    key, value = world.random.choice(SETTINGS)
    world.broken = ""
    if key == "act":
        for layer in world.data.get("layers", ())[1:2]:
            layer["op"] = value
    elif value is None:
        world.data.pop(key, None)
    elif isinstance(value, dict):
        world.data[key] = {**world.data.get(key, {}), **value}
    else:
        world.data[key] = value
    world.write_yaml()
    return f"network.yaml: {key}: {value}"


def _weights(world: World) -> str:
    seed = world.random.choice((1, 2, 3))
    name = world.options.get("weights", world.data["weights"])
    if world.kind == "onnx":
        world.model(seed)
    else:
        world.weights(seed, name)
    return f"{name}: tensors {seed}"


def _external(world: World) -> str:
    file = world.project / "model.data"
    data = file.read_bytes()
    values = np.frombuffer(data[: len(data) // 4 * 4], "<f4").copy()  # of what may have been cut short
    if not len(values):
        return "model.data: nothing left to change"
    values[world.random.randrange(len(values))] = world.random.choice((-1.0, 0.5, 2.0))
    world.put(file, values.tobytes())
    return "model.data: one value"


def _spoil(world: World) -> str:
    names = ("weights.safetensors", "model.onnx", "model.data", "data/test.npz", "data/calib.npz")
    return _cut(world, world.random.choice(names))


def _spoil_weights(world: World) -> str:
    return _cut(world, str(world.options.get("weights", world.data["weights"])))


def _cut(world: World, name: str) -> str:
    file = world.project / name
    whole = file.read_bytes()
    world.put(file, whole[: len(whole) // 2])
    return f"{name}: cut"


def _restore(world: World) -> str:
    world.samples(1)
    world.calibration(1)
    world.weights(1)
    world.model(1)
    world.broken = ""
    world.use(world.kind)
    return "all files as at first"


def _samples(world: World) -> str:
    seed = world.random.choice((1, 2, 3))
    world.samples(seed)
    return f"samples {seed}"


def _calibration(world: World) -> str:
    factor = world.random.choice((1, 2, 3))
    world.calibration(factor)
    return f"calibration x {factor}"


def _operator(world: World) -> str:
    if world.kind != "own":
        world.use("own")
        return "an operator of its own"
    file, gain = world.random.choice(("gain.py", "gain.h.j2")), world.random.choice((1.5, 2.5))
    world.operator(gain, file=file)
    return f"operators/{file}: {gain}"


def _kind(world: World) -> str:
    world.use(world.random.choice(KINDS))
    return f"a project of kind {world.kind}"


def _target(world: World) -> str:
    world.options["target"] = world.random.choice(("vck190", "vek280"))
    return f"target={world.options['target']}"


def _option(world: World) -> str:
    if world.kind == "onnx" or world.options.pop("weights", ""):
        return "no weights="
    world.options["weights"] = "other.safetensors"
    return "weights=other.safetensors"


def _installed(world: World) -> str:
    """Edit a file of aieloom: a template, a board, the cost model's table, a module."""
    number = world.random.choice((1, 2))
    places: Mapping[str, tuple[str, str]] = {
        "host_templates/xrt.ini.j2": (r"\n(# edit \d\n)?\Z", f"\n# edit {number}\n"),
        "host_templates/system.cfg.j2": (r"\n(# edit \d\n)?\Z", f"\n# edit {number}\n"),
        "pl_templates/instance.cpp.j2": (r"\n(// edit \d\n)?\Z", f"\n// edit {number}\n"),
        "scripts/aieloom/spec/devices/vck190.yaml": (r"aie_mhz: [\d.]+", f"aie_mhz: {number}000.0"),
        "scripts/aieloom/spec/devices/vek280.yaml": (r"aie_mhz: [\d.]+", f"aie_mhz: {number}000.0"),
        "scripts/aieloom/words.py": (r"\n(# edit \d\n)?\Z", f"\n# edit {number}\n"),
    }
    there = [name for name in places if (world.package / name).is_file()]
    name = world.random.choice(there)
    file = world.package / name
    pattern, new = places[name]
    text, count = re.subn(pattern, new, file.read_text(), count=1)
    assert count, f"{name} has no {pattern}"
    world.put(file, text.encode())
    return f"aieloom's {name}: {number}"


def _compiler(world: World) -> str:
    mark = world.random.choice((0, 1, 2))
    world.compiler(mark)
    return f"compiler {mark}"


def _damage(folder: Path, world: World) -> str:
    files = sorted(f for f in folder.rglob("*") if f.is_file())
    if not files:
        return "nothing is built yet"
    file = world.random.choice(files)
    how = world.random.choice(("delete", "empty", "cut", "byte", "nonsense"))
    data = file.read_bytes()
    at = world.random.randrange(len(data)) if data else 0
    spoilt = {
        "empty": b"",
        "cut": data[: len(data) // 2],
        "byte": data[:at] + bytes([data[at] ^ 0x10 if data else 0]) + data[at + 1 :],
        "nonsense": b"{[nonsense\0\xff",
    }
    if how == "delete":
        file.unlink()
    else:
        world.put(file, spoilt[how])
    return f"{how} {file.relative_to(folder)}"


def _built(world: World) -> str:
    return "build: " + _damage(world.build("work"), world)


def _kept(world: World) -> str:
    return "cache: " + _damage(world.cache, world)


def _stray(world: World) -> str:
    folders = sorted(f for f in world.build("work").rglob("src/*") if f.is_dir())
    if not folders:
        return "nothing is built yet"
    file = world.random.choice(folders) / world.random.choice(
        ("cstdint", "adf.h", "hls_stream.h", "hidden.h")
    )
    world.put(file, b"#error stray\n")
    return f"a stray {file.name} in {file.parent.name}"


# How often each comes; what makes compilers run comes seldom, so that a campaign ends.
EDITS: Mapping[Edit, int] = {
    _yaml_edit: 10,
    _built: 12,
    _samples: 3,
    _calibration: 3,
    _weights: 5,
    _external: 3,
    _spoil: 2,
    _restore: 2,
    _operator: 3,
    _kind: 2,
    _target: 2,
    _option: 2,
    _installed: 5,
    _compiler: 2,
    _kept: 3,
    _stray: 1,
}
# For the default tests: a given few, without what compiles many units; the cache is not theirs to damage. One is surely refused.
FEW: tuple[Edit, ...] = (
    *(_built, _yaml_edit, _built, _samples, _built, _stray, _calibration, _built, _yaml_edit, _built),
    *(_weights, _built, _spoil_weights, _restore, _built, _option, _built, _installed, _built, _yaml_edit),
)
DAMAGE = frozenset({_built, _stray})  # which change no input: an empty build folder gives what it gave before


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return in what two outcomes differ."""
    names = [n for n in {**one, **other} if one.get(n) != other.get(n)]
    return [f"{n}: {_short(one.get(n))} / {_short(other.get(n))}" for n in names]


def _short(value: object) -> str:
    return repr(value)[-1500:] if value is not None else "not there"


def campaign(count: int, number: int, *, few: bool = False) -> Tally:
    """Make `count` edits, seeded by `number`; after each compare with an empty build folder, until one differs."""
    began, codes, told = time.perf_counter(), Counter[int](), list[str]()
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="aieloom-edits-")))
        cache = cache_folder() if few else root / "cache"
        world = World(root, random.Random(number), cache, through_wrapper=not few)
        doits = stack.enter_context(server(world.package / "scripts"))
        refused = False
        chosen = FEW if few else world.random.choices([*EDITS], [*EDITS.values()], k=count)
        for i, edit in enumerate((lambda _: "nothing yet", *chosen[:count])):
            mends = refused and not few and world.random.random() < MENDED
            told.append((_restore if mends else edit)(world))
            before = codes[2]
            if edit not in DAMAGE or mends:
                world.anew = {}
            fault = _compared(world, doits, codes, deep=not few and i % DEEP == 0)
            refused = codes[2] > before
            if fault:
                return _tally(
                    codes, began, "\n".join([*(f"{n}: {what}" for n, what in enumerate(told)), *fault])
                )
            if os.environ.get("EDITS_TOLD"):
                codes_so_far = dict(sorted(codes.items()))
                print(f"{i}: {time.perf_counter() - began:.0f} s, {codes_so_far}, {told[-1]}", flush=True)
    return _tally(codes, began, "")


def _tally(codes: Counter[int], began: float, fault: str) -> Tally:
    taken, refused = codes[0], codes[1] + codes[2]
    return Tally(max(0, codes.total() - 1), taken, refused, time.perf_counter() - began, fault)


def _compared(world: World, doits: Server, codes: Counter[int], *, deep: bool) -> list[str]:
    """Build on, and from nothing; return in what the outcomes differ."""
    job = world.job("work", world.cache)
    if world.anew and not deep:
        ended = doits.run(job)
    elif (
        deep or world.through_wrapper or not codes
    ):  # one after the other: what one compiles, the other finds
        with tempfile.TemporaryDirectory(dir=world.root) as empty:
            cache = Path(empty) if deep else world.cache
            ended = [*doits.run(job), *doits.run(world.job("clean", cache))]
    else:
        ended = doits.run(job, world.job("clean", world.cache))
    code = ended[0]
    codes[code] += 1
    one = world.outcome("work", code)
    if ended[1:]:
        world.anew = world.outcome("clean", ended[1])
        shutil.rmtree(world.build("clean"), ignore_errors=True)
    if (
        world.anew.keys() == SAID
    ):  # it ended before there were results, and so must the other, whose older ones stay
        one = {key: value for key, value in one.items() if key in SAID}
    found = differences(one, world.anew)
    if code not in {0, 1, 2} or "Traceback" in str(one["said"]):
        found.append(f"exit code {code}: {one['said']}")
    return found
