"""Programs of torch.export in files: what is planned of a .pt2 gives PyTorch's own results, and no file runs code."""

from __future__ import annotations

import json
import pickle
import zipfile
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aieloom.cli import main
from aieloom.errors import SpecError
from aieloom.flow.designs import design_of
from aieloom.flow.onnx_project import write_onnx_project
from aieloom.flow.opening import open_any
from aieloom.network.readers.onnx_import import read_onnx
from tests.heavy import Module, later

nn, torch = later("torch.nn"), later("torch")

pytestmark = [
    pytest.mark.skipif(
        not find_spec("onnxscript"), reason="onnxscript writes them: pip install 'aieloom[torch]'"
    ),
    pytest.mark.filterwarnings("ignore:The tensor attributes:UserWarning"),
]


class Branches(Module):
    """Convolutions, norms, a way around, a buffer, a split and branches that meet; a tensor that has no gradient."""

    scale: Any

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)
        self.second = nn.Conv2d(4, 8, 3, padding=1, groups=2)
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(128, 12), nn.GELU(), nn.Linear(12, 5))
        self.register_buffer("scale", torch.rand(8, 1, 1))

    def forward(self, x: Any) -> Any:
        y = torch.relu(self.norm(self.first(x))) * self.scale
        a, b = y.chunk(2, 1)
        y = torch.cat([self.second(a), b], 1)[:, :8] + y
        return self.head(nn.functional.max_pool2d(y, 2)).softmax(-1)


class Block(Module):
    """A transformer's block on (n, rows, features)."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(16), nn.Linear(16, 48), nn.Linear(16, 16)

    def forward(self, x: Any) -> Any:
        n, t, c = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(n, t, 3, 2, 8).permute(2, 0, 3, 1, 4).unbind(0)
        y = nn.functional.scaled_dot_product_attention(q, k, v)
        return x + self.out(y.transpose(1, 2).reshape(n, t, c))


MODULES: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "branches": (Branches, (3, 8, 8)),
    "block": (Block, (6, 16)),
    "lstm": (lambda: Last(nn.LSTM(6, 8, batch_first=True)), (5, 6)),
}


class Last(Module):
    """Features of a recurrence's last step."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner, self.head = inner, nn.Linear(8, 3)

    def forward(self, x: Any) -> Any:
        return self.head(self.inner(x)[0][:, -1])


def saved(folder: Path, module: Any, shape: tuple[int, ...], *, batch: bool = False) -> Path:
    """Write a module as a .pt2, its batch open if `batch` says so."""
    dynamic = {"dynamic_shapes": ({0: torch.export.Dim.AUTO},)} if batch else {}
    program = torch.export.export(module.eval(), (torch.zeros(2 if batch else 1, *shape),), **dynamic)
    torch.export.save(program, folder / "net.pt2")
    return folder / "net.pt2"


@pytest.mark.integration
@pytest.mark.parametrize("batch", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", MODULES)
def test_results_are_pytorchs(name: str, batch: bool, tmp_path: Path) -> None:
    make, shape = MODULES[name]
    torch.manual_seed(4)
    module = make()
    if name == "branches":
        module.norm.running_mean.uniform_(-1, 1)
        module.norm.running_var.uniform_(0.5, 2)
    file = saved(tmp_path, module, shape, batch=batch)
    write_onnx_project(tmp_path / "net", file, "vck190")
    with (tmp_path / "net/network.yaml").open("a") as text:
        text.write("execution: sequential\n")
    project = open_any(tmp_path / "net", build=tmp_path / "build")
    x = torch.randn(3, *shape)
    wanted = module(x).detach().numpy()
    for sample, expected in zip(x.numpy(), wanted, strict=True):
        y = design_of(project).reference(project.taken(sample[None]))
        y = y[0, ..., 0].T if project.plan.y.rows else y[0]
        np.testing.assert_allclose(y.reshape(expected.shape), expected, rtol=2e-5, atol=2e-5)


def edited(file: Path, change: Mapping[str, Callable[[bytes], bytes]]) -> Path:
    """Return a copy of a file with members (by the ends of their names) changed."""
    made = file.with_name("edited.pt2")
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            edit = next((e for end, e in change.items() if name.endswith(end)), None)
            new.writestr(name, edit(old.read(name)) if edit else old.read(name))
    return made


def refusal(file: Path) -> str:
    with pytest.raises(SpecError) as e:
        read_onnx(file, shown_as=file.name)
    return str(e.value)


class _Ran:
    """A pickle that leaves a trace when it is loaded."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.trace,)


def test_no_text_and_no_pickle_of_a_file_is_run(tmp_path: Path) -> None:
    """torch.export.load() runs both: sample inputs are pickles, sizes are texts that sympy evaluates."""
    trace = tmp_path / "ran"
    file = saved(tmp_path, nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU()), (3, 8, 8), batch=True)
    attack = f"__import__('pathlib').Path({str(trace)!r}).touch()"

    def texts(data: bytes) -> bytes:
        def walk(value: Any) -> Any:
            if isinstance(value, dict):
                return {k: attack if k == "expr_str" else walk(v) for k, v in value.items()}
            return [walk(v) for v in value] if isinstance(value, list) else value

        return json.dumps(walk(json.loads(data))).encode()

    pickled = pickle.dumps(_Ran(trace))
    bad = edited(file, {"models/model.json": texts, "sample_inputs/model.pt": lambda _: pickled})
    assert attack.encode() in zipfile.ZipFile(bad).read("net/models/model.json")
    assert [la["op"] for la in read_onnx(bad, shown_as="bad.pt2").layers] == ["conv2d", "relu"]
    assert not trace.exists()


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("torch.ops.aten.from_file.default", "it changes what it is given, or reads no tensor"),
        ("torch.ops.aten.relu_.default", "it changes what it is given, or reads no tensor"),
        ("torch.ops.prim.Print.default", r"it is none of PyTorch's own operators (torch.ops.aten)"),
        ("torch.ops.aten.__class__.mro", r"it is none of PyTorch's own operators (torch.ops.aten)"),
        ("os.system", r"it is none of PyTorch's own operators (torch.ops.aten)"),
        ("torch.ops.aten.mean.dim", "it has no argument 'x; print()'"),
    ],
)
def test_what_is_no_operator_of_tensors_is_not_called(target: str, said: str, tmp_path: Path) -> None:
    file = saved(tmp_path, nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU()), (3, 8, 8))

    def other(data: bytes) -> bytes:
        model = json.loads(data)
        node = model["graph_module"]["graph"]["nodes"][-1]
        node["target"] = target
        if "argument" in said:
            node["inputs"][0]["name"] = "x; print()"
        return json.dumps(model).encode()

    found = refusal(edited(file, {"models/model.json": other}))
    assert f"call 'relu' of {target}: {said}" in found
    assert "fix: export a module that calls PyTorch's own functions" in found


def test_what_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Two(Module):
        def forward(self, x: Any) -> Any:
            return x + 1, x - 1

    assert "takes 1 tensors and gives 2" in refusal(saved(tmp_path, Two(), (4,)))
    module = nn.Sequential(nn.Conv2d(3, 4, 3))
    width = torch.export.export(
        module, (torch.zeros(1, 3, 8, 8),), dynamic_shapes=({3: torch.export.Dim.AUTO},)
    )
    torch.export.save(width, tmp_path / "wide.pt2")
    assert "has the shape (1, 3, 8, ?); the sizes behind the batch have to be fixed" in refusal(
        tmp_path / "wide.pt2"
    )
    file = saved(tmp_path, module, (3, 8, 8))

    def as_pickle(data: bytes) -> bytes:
        return data.replace(b'"use_pickle": false', b'"use_pickle": true')

    assert "is a pickle, which could run code" in refusal(edited(file, {"weights_config.json": as_pickle}))
    short = refusal(edited(file, {"weight_0": lambda data: data[:8]}))
    assert "[pt2] is a truncated or damaged .pt2 file" in short
    (tmp_path / "no.pt2").write_bytes(b"anything")
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine", "--model", "no.pt2"]) == 2
    assert not (tmp_path / "mine").exists()
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    (tmp_path / "other.pt2").write_bytes(file.read_bytes() + b" ")  # another content: nothing is kept of it
    assert "needs PyTorch, which is not installed" in refusal(tmp_path / "other.pt2")


def test_damaged_files_give_one_message(tmp_path: Path) -> None:
    file = saved(tmp_path, nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU()), (3, 8, 8))
    data, refused = file.read_bytes(), 0
    random = np.random.default_rng(2)
    for trial in range(30):
        bad = bytearray(data[: random.integers(8, len(data))] if trial % 3 == 0 else data)
        for _ in range(random.integers(1, 6)):
            bad[random.integers(len(bad))] = random.integers(256)
        (tmp_path / "bad.pt2").write_bytes(bytes(bad))
        try:
            read_onnx(tmp_path / "bad.pt2", shown_as="bad.pt2")
        except SpecError:
            refused += 1
    assert refused > 9  # checksums tell of every byte but the archive's own
