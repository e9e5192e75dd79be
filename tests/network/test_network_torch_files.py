"""PyTorch files of every kind of tensor and dictionary: what can be taken exactly is taken, the rest is refused by name."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.errors import SpecError
from aieloom.network.readers.torch_file import load_torch
from aieloom.network.weights import read_tensor_file, read_tensors
from tests.heavy import later

torch = later("torch")

pytestmark = pytest.mark.filterwarnings(
    "ignore::UserWarning"
)  # sparse CSR and nested tensors are PyTorch prototypes


def saved(value: Any, **keys: Any) -> bytes:
    out = io.BytesIO()
    torch.save(value, out, **keys)
    return out.getvalue()


def dense(random: np.random.Generator) -> Any:
    values = random.normal(size=(4, 6)).astype(np.float32)
    return torch.from_numpy(np.where(random.random((4, 6)) < 0.5, 0, values))


# Each kind: a tensor made of a dense one of float32, and the words of its refusal, empty where its values are taken.
KINDS: dict[str, tuple[Any, str]] = {
    "plain": (lambda t: t, ""),
    "parameter": (later("torch.nn", "Parameter"), ""),
    "transposed": (lambda t: t.T.contiguous().T, ""),
    "coo": (lambda t: t.to_sparse(), ""),
    "csr": (lambda t: t.to_sparse_csr(), ""),
    "csc": (lambda t: t.to_sparse_csc(), ""),
    "bsr": (lambda t: t.to_sparse_bsr((2, 3)), ""),
    "negated view": (lambda t: torch.complex(t, -t).conj().imag, ""),
    "float64": (lambda t: t.double(), ""),
    "float16": (lambda t: t.half(), ""),
    "bfloat16": (lambda t: t.bfloat16(), ""),
    "float8": (lambda t: t.to(torch.float8_e4m3fn), ""),
    "meta": (lambda t: t.to("meta"), "on the device 'meta'"),
    "quantised": (lambda t: torch.quantize_per_tensor(t, 0.1, 0, torch.qint8), r"quantised \(torch.qint8\)"),
    "complex": (lambda t: torch.complex(t, t), r"complex \(torch.complex64\)"),
    "conjugated": (lambda t: torch.complex(t, t).conj(), r"complex \(torch.complex64\)"),
    "nested": (lambda t: torch.nested.nested_tensor([t, t[:2]]), "nested tensor"),
    "expanded": (lambda t: t[:1, :1].expand(1 << 15, 1 << 14), "of 536870912 values, more than 268435456"),
    "sparse and huge": (
        lambda _: torch.sparse_coo_tensor([[0], [0]], [1.0], (1 << 20, 1 << 20)),
        "of 1099511627776 values",
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_tensor(kind: str) -> None:
    make, words = KINDS[kind]
    plain = dense(np.random.default_rng(3))
    made = make(plain)
    data = saved({"a.weight": made, "b.weight": plain})
    if words:
        with pytest.raises(SpecError, match=f"'a.weight' is.* {words}"):
            load_torch(data, "w.pt")
        return
    found = load_torch(data, "w.pt").tensors
    wanted = made.detach().to_dense() if made.layout is not torch.strided else made.detach()
    np.testing.assert_array_equal(found["a.weight"].astype(np.float32), wanted.float().resolve_neg().numpy())
    np.testing.assert_array_equal(found["b.weight"], plain.numpy())


def test_the_checkpoint_of_pytorchs_tutorial(tmp_path: Path) -> None:
    """Saving & Loading a General Checkpoint for Inference and/or Resuming Training."""
    net = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.ones(1, 6)).sum().backward()
    optimizer.step()
    checkpoint = {
        "epoch": 5,
        "model_state_dict": net.state_dict(),
        "optimizer_state_dict": optimizer.state_dict(),
        "loss": torch.tensor(0.4),
    }
    torch.save(checkpoint, tmp_path / "w.pt")
    for _ in range(2):  # read, and kept
        file = read_tensor_file(tmp_path / "w.pt", shown_as="w.pt")
        assert list(file.tensors) == ["0.weight", "0.bias", "2.weight", "2.bias"]
        assert (
            file.note
            == "w.pt: the tensors of ['model_state_dict']; left out: epoch, optimizer_state_dict, loss"
        )


def tensors(*names: str) -> dict[str, Any]:
    return {name: torch.ones(2) for name in names}


@pytest.mark.parametrize(
    ("value", "way", "names"),
    [
        (lambda: tensors("a.weight"), "", ["a.weight"]),
        (lambda: {"state_dict": tensors("a")}, "['state_dict']", ["a"]),
        (lambda: {"model": {"state_dict": tensors("a")}, "epoch": 1}, "['model']['state_dict']", ["a"]),
        (lambda: {"generator": tensors("a"), "epoch": 1}, "['generator']", ["a"]),
        (lambda: {"generator": tensors("a"), "model": tensors("b")}, "['model']", ["b"]),
        (lambda: {"scale": torch.ones(1), "state_dict": tensors("a")}, "['state_dict']", ["a"]),
        (lambda: {**tensors("a"), "notes": {"lr": 0.1}}, "", ["a"]),
    ],
)
def test_where_the_tensors_are(value: Callable[[], Any], way: str, names: list[str]) -> None:
    found = load_torch(saved(value()), "w")
    assert list(found.tensors) == names
    assert way in found.note if way else found.note == ""


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (lambda: {"epoch": 3, "lr": 0.1}, "holds no tensors, only epoch, lr"),
        (dict, "holds no tensors, only an empty dictionary"),
        (
            lambda: {"generator": tensors("a"), "critic": tensors("a")},
            "several dictionaries of tensors: generator, critic",
        ),
        (lambda: [torch.ones(1)], "holds a list"),
        (lambda: torch.ones(1), "holds a Tensor"),
    ],
)
def test_what_holds_no_single_state_dict_is_refused(value: Callable[[], Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        load_torch(saved(value()), "w")


@settings(max_examples=60, deadline=None)
@given(st.booleans(), st.floats(0, 1, exclude_max=True))
def test_a_truncated_file_is_called_so(zipped: bool, share: float) -> None:
    data = saved(tensors("a.weight"), _use_new_zipfile_serialization=zipped)
    short = data[: int(len(data) * share)]
    with pytest.raises(SpecError) as caught:
        load_torch(short, "w.pt")
    text = str(caught.value)
    assert "truncated" in text or "is damaged" in text
    assert "seek" not in text and "EOF" not in text and "miniz" not in text


def test_a_torchscript_archive_is_a_program(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch calls it the past
        torch.jit.script(torch.nn.Linear(2, 2)).save(tmp_path / "w.pt")
    with pytest.raises(SpecError, match=r"TorchScript archive(.|\n)*torch.jit.load\(FILE\).state_dict\(\)"):
        read_tensors(tmp_path / "w.pt", shown_as="w.pt")


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float64", "float8_e4m3fn", "complex64", "int8"])
def test_safetensors_of_every_type(tmp_path: Path, dtype: str) -> None:
    from safetensors.torch import save_file  # noqa: PLC0415 - beside PyTorch

    values = torch.tensor([[1.0, -2.5], [0.0, 3.0]]).to(getattr(torch, dtype))
    save_file({"b.weight": values, "a.weight": torch.ones(3)}, tmp_path / "w.safetensors")
    if dtype in ("float8_e4m3fn", "complex64", "int8"):
        with pytest.raises(SpecError, match=r"'b.weight' has elements of type"):
            read_tensors(tmp_path / "w.safetensors", shown_as="w")
        return
    found = read_tensors(tmp_path / "w.safetensors", shown_as="w")
    np.testing.assert_array_equal(found["b.weight"], [[1.0, -2.5], [0.0, 3.0]])
    assert found["a.weight"].shape == (3,)


def test_float64_beyond_float32_is_refused_without_a_warning(tmp_path: Path) -> None:
    torch.save({"a.weight": torch.full((3,), 1e300, dtype=torch.float64)}, tmp_path / "w.pt")
    with pytest.raises(SpecError, match=r"'a.weight' has 3 of 3 values beyond float32"):
        read_tensors(tmp_path / "w.pt", shown_as="w")
