"""The kinds of files, each with what is run on it: a project's folder in a sandbox, and a command."""

from __future__ import annotations

import io
import os
import pickle
import warnings
import zipfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as extra
from safetensors.numpy import save

from aieloom import cli
from aieloom.emit.files import write_tree
from aieloom.emit.names import SOURCE_FOLDERS
from aieloom.emit.project import render
from aieloom.errors import AieloomError
from aieloom.flow.opening import open_project
from aieloom.flow.project import write_plan
from aieloom.flow.samples import load_samples
from aieloom.network.inputs import check_finite, taken
from aieloom.network.tensor import tensor_of
from aieloom.spec.types import DataType
from tests.designs import SMALL, network_of, weights_of
from tests.fuzz import mutations
from tests.fuzz.watchdog import Broken, judge

if TYPE_CHECKING:
    from tests.qonnx.graphs import Drawn

HEAD = "name: small\ntarget: {target}\nweights: {weights}\ninput: {{name: x, shape: {shape}}}\nlayers:\n"
MLP = (
    HEAD.format(target="vek280", weights="weights.safetensors", shape="[6, 1, 1]")
    + """\
  - {name: first, op: dense, out_features: 8}
  - {name: act, op: relu}
  - {name: second, op: dense, out_features: 4}
  - {name: shares, op: softmax}
mapping:
  first: {engine: aie, mmul: [4, 8, 4], buffers: single}
  act: {clock_mhz: 250}
movers: {clock_mhz: 312.5}
objective: {throughput: 1.0, latency: 0.5, cores: 1.0}
budget: {aie_cores: 64, plio: 40, latency_us: 500.0}
data: {samples: calib.npz}
seed: 3
"""
)
POOLS = (
    HEAD.format(target="vck190", weights="weights.safetensors", shape="[2, 8, 8]")
    + """\
  - {name: border, op: pad, padding: [1, 0, 1, 2], value: 0.5}
  - {name: first, op: conv2d, out_channels: 6, kernel: [3, 2], stride: [1, 2], padding: 1, groups: 2, bias: false}
  - {name: norm, op: batch_norm, eps: 1.0e-05}
  - {name: soft, op: leaky_relu, alpha: 0.1}
  - {name: pool, op: max_pool, kernel: 2, stride: 1, padding: 0}
  - {name: mean, op: avg_pool, kernel: [1, 2], count_include_pad: true}
  - {name: grow, op: upsample, scale: 2}
  - {name: keep, op: clip, min: -1.0, max: 6.0}
  - {name: all, op: global_avg_pool}
  - {name: flat, op: flatten}
  - {name: last, op: dense, out_features: 3}
  - {name: end, op: sigmoid}
"""
)
INTEGERS = SMALL[: SMALL.index("mapping:")].replace("weights.pt", "weights.safetensors") + (
    "quantize: {activations: int8, weights: int8, per_channel: true, symmetric: false, method: percentile, percentile: 99.9,"
    " scales: multiplier, overflow: saturate, calibration: calib.npz}\n"
    "quality: {max_psnr_loss_db: null, min_sqnr_db: 10.0}\n"
)
YAMLS = (SMALL.replace("weights.pt", "weights.safetensors"), MLP, POOLS, INTEGERS)


@dataclass(frozen=True)
class Target:
    """A kind of file: how one is made, and what is run on it in a sandbox; returns the exit code."""

    share: float  # of all inputs
    inputs: Callable[[], st.SearchStrategy[object]]
    run: Callable[[Path, object], int]
    prepare: Callable[[], object] = lambda: None  # what is built before the first input
    programs: bool = False  # programs are started: they are the point
    campaign: Callable[[int, int], object] | None = (
        None  # inputs that follow on each other: a count and a seed, to a tally
    )


def command(*words: str) -> int:
    """Run aieloom's command line, quietly; return its exit code."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        return judge(lambda: cli.main(words), lambda: err.getvalue() + out.getvalue())


@cache
def tensors(text: str) -> bytes:
    """Return a .safetensors file for a network."""
    return save(
        {f"{n}.{k}": np.abs(v) for n, t in weights_of(network_of(text)).items() for k, v in t.items()}
    )


@cache
def samples() -> bytes:
    """Return an .npz file of inputs for SMALL."""
    out = io.BytesIO()
    np.savez(
        out,
        x=np.random.default_rng(0).normal(size=(4, 2, 6, 6)).astype(np.float32),
        labels=np.zeros(4, np.int64),
    )
    return out.getvalue()


def write(
    sandbox: Path, text: str = YAMLS[0], weights: bytes | None = None, name: str = "weights.safetensors"
) -> Path:
    """Write a project's files; return its folder."""
    folder = sandbox / "project"
    folder.mkdir(exist_ok=True)
    (folder / "network.yaml").write_bytes(text.encode("utf-8", errors="surrogatepass"))
    (folder / "weights.safetensors").write_bytes(tensors(YAMLS[0]))
    (folder / name).write_bytes(tensors(YAMLS[0]) if weights is None else weights)
    (folder / "calib.npz").write_bytes(samples())
    return folder


def _yaml(sandbox: Path, text: object) -> int:
    lines = set(str(text).splitlines())
    base = max(YAMLS, key=lambda y: len(lines & set(y.splitlines())))  # whose tensors most likely fit
    folder = write(sandbox, str(text), tensors(base))
    code = command("check", str(folder))
    return generated(sandbox, folder) if code == 0 else code


def generated(sandbox: Path, folder: Path) -> int:
    """Write what `doit gen` writes; what passes `check` can be generated."""

    def act() -> int:
        try:
            project = open_project(folder, build=sandbox / "build")
            write_plan(project)
            write_tree(project.build, render(project.array, project.parameters), owned=SOURCE_FOLDERS)
        except AieloomError as e:
            print(f"error: {e}")
            return e.exit_code
        return 0

    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        return judge(act, out.getvalue)


def _safetensors(sandbox: Path, data: object) -> int:
    assert isinstance(data, bytes)
    return command("check", str(write(sandbox, weights=data)))


def _torch(sandbox: Path, data: object) -> int:
    assert isinstance(data, bytes)
    text = YAMLS[0].replace("weights.safetensors", "w.pt")
    return command("check", str(write(sandbox, text, data, "w.pt")))


def _onnx(sandbox: Path, data: object) -> int:
    assert isinstance(data, bytes)
    text = "name: small\ntarget: vck190\nweights: net.onnx\n"
    folder = write(sandbox, text, data, "net.onnx")
    code = command("check", str(folder))
    made = sandbox / "made"
    again = command("new", str(made), "--model", str(folder / "net.onnx"))
    return max(code, again)


def _npz(sandbox: Path, data: object) -> int:
    assert isinstance(data, bytes)
    folder = write(sandbox, INTEGERS)
    (folder / "calib.npz").write_bytes(data)
    return max(command("check", str(folder)), _sampled(sandbox, data))


def _sampled(sandbox: Path, data: bytes) -> int:
    """Load a file of samples, labels and all."""
    (write(sandbox, YAMLS[0] + "data: {samples: calib.npz}\n") / "calib.npz").write_bytes(data)
    return answered(lambda: load_samples(open_project(sandbox / "project", build=sandbox / "build")))


def _arrays(_sandbox: Path, array: Any) -> int:
    """Give an array to a network, as emulate() does before anything else."""
    return answered(
        lambda: check_finite(taken(array, tensor_of([2, 6, 6], DataType.FLOAT32)), DataType.FLOAT32)
    )


def answered(act: Callable[[], object]) -> int:
    """Return 0 where Python's interface answers, 2 where it refuses in words."""
    said = ""

    def run() -> int:
        nonlocal said
        try:
            act()
        except AieloomError as e:
            said = f"error: {e}"
            return e.exit_code
        return 0

    return judge(run, lambda: said)


@st.composite
def arrays(draw: st.DrawFn) -> object:
    """Draw what might be given as inputs: of any type, often of the network's shape; masked, a list, spoilt values."""
    shape = draw(st.one_of(st.just((2, 2, 6, 6)), extra.array_shapes()))
    dtype = draw(
        st.one_of(st.just(np.dtype(np.float32)), extra.scalar_dtypes(), extra.nested_dtypes(max_itemsize=64))
    )
    array = draw(extra.arrays(dtype, shape))
    kind = draw(st.sampled_from(["array", "array", "masked", "list", "object"]))
    if kind == "masked":
        with np.errstate(all="ignore"):  # its fill value need not fit the type
            return np.ma.masked_array(array)
    if kind == "list":
        return array.tolist()
    return array.astype(object) if kind == "object" else array


class _Evil:
    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, ("touch owned",)


@cache
def torch_files() -> tuple[bytes, ...]:
    """Return PyTorch files: a state_dict, one of the old format, a checkpoint, and what would run code."""
    import torch

    state = {n: torch.from_numpy(v) for n, v in _small_tensors().items()}
    made = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch means to do without quantised tensors
        quantised = {n: torch.quantize_per_tensor(v, 0.1, 0, torch.qint8) for n, v in state.items()}
    for value, keys in (
        (state, {}),
        (state, {"_use_new_zipfile_serialization": False}),
        ({"state_dict": state, "epoch": 3}, {}),
        (
            {
                "model_state_dict": state,
                "optimizer_state_dict": {"state": {0: {"step": torch.ones(1)}}},
                "loss": 0.1,
            },
            {},
        ),
        ({n: v.to_sparse() if v.dim() == 1 else v.bfloat16() for n, v in state.items()}, {}),
        (quantised, {}),
        ({n: v.to("meta") for n, v in state.items()}, {}),
        ({n: torch.complex(v, v).conj() for n, v in state.items()}, {}),
        ({n: torch.ones(1).expand(1 << 20, 1 << 20) for n in state}, {}),
    ):
        out = io.BytesIO()
        torch.save(value, out, **keys)
        made.append(out.getvalue())
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as z:
        z.writestr("archive/data.pkl", pickle.dumps(_Evil()))
        z.writestr("archive/version", "3\n")
    return (*made, archive.getvalue(), pickle.dumps(_Evil()))


def _small_tensors() -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    network = network_of(YAMLS[0])
    return {f"{n}.{k}": v for n, t in weights_of(network).items() for k, v in t.items()}


@cache
def onnx_files() -> tuple[bytes, ...]:
    """Return ONNX models: convolutions and pools, dense layers, a quantised one."""
    from tests.onnx.models import Builder  # noqa: PLC0415 - needs onnx

    conv = Builder((1, 2, 8, 8))
    conv.add("Conv", conv.weights("w", 4, 2, 3, 3), conv.weights("b", 4), pads=[1, 1, 1, 1]).add("Relu")
    conv.add("MaxPool", kernel_shape=[2, 2], strides=[2, 2]).add("Flatten")
    conv.add("Gemm", conv.weights("w2", 3, 64), conv.weights("b2", 3), transB=1).add("Softmax", axis=-1)
    dense = Builder((1, 6), opset=13)
    dense.add("MatMul", dense.weights("m", 6, 4)).add("Add", dense.weights("n", 4)).add("Sigmoid")
    dense.add("Reshape", dense.constant("s", np.array([1, 4, 1, 1], np.int64)))
    return tuple(b.model(out_rank=r).SerializeToString() for b, r in ((conv, 2), (dense, 4)))


def _quantised(sandbox: Path, drawn: object) -> int:
    """Compare a model that is drawn with ONNX's definition; a model that is refused counts as such."""
    from tests.qonnx.compare import Tally, Wrong, compared  # noqa: PLC0415 - needs onnxruntime

    model, x, ops = cast("Drawn", drawn)
    tally = Tally()
    try:
        compared(model, x, ops, sandbox, tally)
    except Wrong as e:
        raise Broken(str(e)) from e
    return 0 if tally.taken else 2


def _graphs() -> st.SearchStrategy[object]:
    from tests.qonnx.graphs import graphs  # noqa: PLC0415 - needs onnx

    return graphs()


def _either(*makers: st.SearchStrategy[bytes]) -> st.SearchStrategy[object]:
    return st.one_of(*makers)


def _edits(count: int, number: int) -> object:
    from tests.fuzz.edits import campaign  # noqa: PLC0415 - needs what it edits

    return campaign(count, number)


def targets() -> dict[str, Target]:
    """Return all kinds of files."""
    from tests.fuzz.plio import plio_target  # noqa: PLC0415 - compiles a program when it is used

    safe = tuple(tensors(y) for y in YAMLS[:2])
    return {
        "yaml": Target(0.4, lambda: mutations.texts(YAMLS), _yaml),
        "safetensors": Target(
            0.15, lambda: _either(mutations.spoilt(safe), mutations.spoilt_safetensors(safe)), _safetensors
        ),
        "torch": Target(0.1, lambda: mutations.spoilt(torch_files()), _torch),
        "onnx": Target(0.15, lambda: mutations.spoilt(onnx_files()), _onnx),
        "quantised": Target(0.1, _graphs, _quantised),
        "npz": Target(0.05, lambda: mutations.spoilt((samples(),)), _npz),
        "arrays": Target(0.05, arrays, _arrays),
        "plio": plio_target(0.15),
        "edits": Target(0.015, st.nothing, lambda _, __: 0, campaign=_edits),
    }
