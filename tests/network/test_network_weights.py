"""Weights: read without running code, matched by name, param or order, and refused with both sides listed."""

from __future__ import annotations

import os
import pickle
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from aieloom.errors import SpecError
from aieloom.network.layers import Network
from aieloom.network.weights import layer_parameters, match_weights, read_tensors
from tests.designs import ESPCN, SMALL, edited, line_of, network_of
from tests.heavy import torch

FIRST, SECOND = (8, 2, 3, 3), (4, 8, 3, 3)
STATE: dict[str, tuple[int, ...]] = {
    "first.weight": FIRST,
    "first.bias": (8,),
    "second.weight": SECOND,
    "second.bias": (4,),
}


def tensors(shapes: dict[str, tuple[int, ...]]) -> OrderedDict[str, torch.Tensor]:
    torch.manual_seed(1)
    return OrderedDict((name, torch.randn(shape)) for name, shape in shapes.items())


def refused(path: Path) -> str:
    with pytest.raises(SpecError) as error:
        read_tensors(path, shown_as="weights.pt")
    message = str(error.value)
    assert message.startswith("weights.pt: [weights] ")
    assert "\n  fix: " in message
    return message


@pytest.mark.parametrize("suffix", [".pt", ".pth", ".safetensors"])
def test_tensors_come_back_in_the_files_order(tmp_path: Path, suffix: str) -> None:
    state = tensors({"z.weight": (3, 2), "a.bias": (3,), "m.weight": (1, 1, 2, 2)})
    path = tmp_path / f"w{suffix}"
    if suffix == ".safetensors":
        save_file({k: v.numpy() for k, v in state.items()}, path)
    else:
        torch.save(state, path)
    found = read_tensors(path, shown_as="w")
    assert set(found) == set(state)
    if suffix != ".safetensors":
        assert list(found) == list(state)
    assert {v.dtype for v in found.values()} == {np.dtype(np.float32)}
    assert all(np.array_equal(found[k], v.numpy()) for k, v in state.items())


def test_half_and_double_become_float32_and_a_checkpoint_is_opened(tmp_path: Path) -> None:
    state = {
        "a.weight": torch.ones(2, dtype=torch.float64) / 3,
        "b.weight": torch.ones(2, dtype=torch.bfloat16),
    }
    torch.save({"epoch": 3, "state_dict": state}, tmp_path / "w.pt")
    found = read_tensors(tmp_path / "w.pt", shown_as="w")
    assert np.array_equal(found["a.weight"], np.full(2, 1 / 3, np.float32))
    assert found["b.weight"].dtype == np.float32


class Bomb:
    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, (str(self.file),)


def test_a_pickle_that_would_run_code_does_not_run(tmp_path: Path) -> None:
    proof = tmp_path / "ran"
    torch.save({"first.weight": Bomb(proof)}, tmp_path / "zip.pt")
    for protocol in (2, 4):
        (tmp_path / "plain.pt").write_bytes(pickle.dumps({"first.weight": Bomb(proof)}, protocol))
        refused(tmp_path / "plain.pt")
    assert "would run code" in refused(tmp_path / "zip.pt")
    assert not proof.exists()
    pickle.loads((tmp_path / "plain.pt").read_bytes())
    assert proof.exists()


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_truncated_files_are_refused(tmp_path: Path, share: float) -> None:
    torch.save(tensors(STATE), tmp_path / "w.pt")
    save_file({k: v.numpy() for k, v in tensors(STATE).items()}, tmp_path / "w.safetensors")
    for name in ("w.pt", "w.safetensors"):
        data = (tmp_path / name).read_bytes()
        short = tmp_path / f"short-{name}"
        short.write_bytes(data[: int(len(data) * share)])
        refused(short)


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    torch.save([torch.ones(1)], tmp_path / "list.pt")
    assert "holds a list, not a state_dict" in refused(tmp_path / "list.pt")
    torch.save({"a.weight": torch.ones(2, dtype=torch.int64)}, tmp_path / "int.pt")
    assert "'a.weight' has elements of type int64" in refused(tmp_path / "int.pt")
    (tmp_path / "w.npy").write_bytes(b"x")
    assert "use one of: .pt, .pth, .safetensors" in refused(tmp_path / "w.npy")
    (tmp_path / "w.h5").write_bytes(b"x")
    with pytest.raises(SpecError, match=r"weights\.pt: \[keras\] is a truncated or damaged Keras file"):
        read_tensors(tmp_path / "w.h5", shown_as="weights.pt")
    assert "no such weights file" in refused(tmp_path / "absent.pt")
    (tmp_path / "text.pt").write_text("not a pickle")
    refused(tmp_path / "text.pt")


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_weights_that_are_no_numbers_are_refused(tmp_path: Path, bad: float) -> None:
    state = tensors(STATE)
    state["second.weight"][0, 0, 0, 1] = bad
    state["second.weight"][3, 0, 0, 1] = bad
    torch.save(state, tmp_path / "w.pt")
    assert "'second.weight' has 2 of 288 values that are NaN or infinite" in refused(tmp_path / "w.pt")


def network(text: str = SMALL) -> Network:
    return network_of(text)


def test_names_that_agree_are_matched_in_silence() -> None:
    match = match_weights(network(), dict(reversed(STATE.items())), file="w.pt")
    assert match.by == "name"
    assert match.lines() == ()
    assert match.tensors["second"] == {"weight": "second.weight", "bias": "second.bias"}


def test_other_names_are_matched_by_order_and_shape_and_said() -> None:
    other = {"net.0.weight": FIRST, "net.0.bias": (8,), "net.2.weight": SECOND, "net.2.bias": (4,)}
    match = match_weights(network(), other, file="w.pt")
    assert match.tensors["first"] == {"weight": "net.0.weight", "bias": "net.0.bias"}
    lines = "\n".join(match.lines())
    assert "matched by order and shape" in lines
    assert "second: net.2.weight, net.2.bias" in lines


def test_param_names_a_layers_tensors() -> None:
    text = edited(SMALL, "out_channels: 4,", "out_channels: 4, param: head,")
    shapes = {"head.weight": SECOND, "head.bias": (4,), "first.weight": FIRST, "first.bias": (8,)}
    assert match_weights(network(text), shapes, file="w").by == "name"
    mixed = {"head.weight": SECOND, "head.bias": (4,), "x.weight": FIRST, "x.bias": (8,)}
    match = match_weights(network(text), mixed, file="w")
    assert match.tensors == {
        "first": {"weight": "x.weight", "bias": "x.bias"},
        "second": {"weight": "head.weight", "bias": "head.bias"},
    }


def test_the_tensors_reach_their_layers() -> None:
    state = {k: v.numpy() for k, v in tensors(STATE).items()}
    match = match_weights(network(), {k: v.shape for k, v in state.items()}, file="w")
    found = layer_parameters(state, match)
    assert found["second"]["weight"] is state["second.weight"]
    assert found["first"]["bias"] is state["first.bias"]


def mismatch(shapes: dict[str, tuple[int, ...]], text: str = SMALL) -> str:
    with pytest.raises(SpecError) as error:
        match_weights(network(text), shapes, file="w.pt")
    message = str(error.value)
    assert message.startswith(f"network.yaml:{line_of(text, 'weights:')}: [weights] the tensors of w.pt")
    return message


def test_a_missing_tensor_lists_both_sides() -> None:
    message = mismatch({k: v for k, v in STATE.items() if k != "second.bias"})
    assert "second.bias (4,)                    missing" in message
    assert "first.weight (8, 2, 3, 3)" in message


def test_an_extra_tensor_lists_both_sides() -> None:
    message = mismatch({**STATE, "third.weight": (1, 4, 1, 1)})
    assert "(nothing)" in message
    assert "third.weight (1, 4, 1, 1)   <- extra" in message


def test_a_tensor_of_another_shape_lists_both_sides() -> None:
    message = mismatch({**STATE, "first.weight": (8, 2, 5, 5)})
    row = next(line for line in message.splitlines() if "first.weight" in line)
    assert "(8, 2, 3, 3)" in row
    assert "(8, 2, 5, 5)   <- differs" in row


def test_layers_in_another_order_are_not_matched_by_chance() -> None:
    mismatch({"b.weight": SECOND, "b.bias": (4,), "a.weight": FIRST, "a.bias": (8,)})


def test_a_layer_without_bias_wants_none() -> None:
    text = edited(
        SMALL, "out_channels: 4, kernel: 3, padding: 1", "out_channels: 4, kernel: 3, padding: 1, bias: false"
    )
    shapes = {k: v for k, v in STATE.items() if k != "second.bias"}
    assert match_weights(network(text), shapes, file="w").by == "name"
    assert "second.bias" in mismatch(STATE, text)


def test_espcn_weights_trained_elsewhere_are_found_by_order() -> None:
    """The names of a published training: conv1, conv3, conv4 beside a conv2 that we do not have."""
    shapes = {
        "conv1.weight": (64, 1, 5, 5),
        "conv1.bias": (64,),
        "conv3.weight": (32, 64, 3, 3),
        "conv3.bias": (32,),
        "conv4.weight": (4, 32, 3, 3),
        "conv4.bias": (4,),
    }
    match = match_weights(network(ESPCN), shapes, file="w")
    assert [m["weight"] for m in match.tensors.values()] == ["conv1.weight", "conv3.weight", "conv4.weight"]
