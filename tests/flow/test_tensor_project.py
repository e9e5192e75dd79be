"""`aieloom new --model FILE.pt|.safetensors`: what the tensors tell is written, what they do not is marked, or refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from aieloom.cli import main
from aieloom.flow.opening import open_project
from aieloom.reference.results import torch_reference
from tests.designs import ROOT
from tests.heavy import Module, nn, torch


class LeNet(Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 6, 5, padding=2, bias=False),
            nn.BatchNorm2d(6),
            nn.ReLU(),
            nn.Conv2d(6, 8, 3, padding=1),
        )
        self.classifier = nn.Sequential(nn.Linear(8 * 7 * 7, 16), nn.ReLU(), nn.Linear(16, 10))


def made(tmp_path: Path, model: nn.Module | dict[str, torch.Tensor], *words: str) -> str:
    file = tmp_path / "model.pt"
    torch.save(model.state_dict() if isinstance(model, nn.Module) else model, file)
    assert main(["new", str(tmp_path / "mynet"), "--model", str(file), *words]) == 0
    return (tmp_path / "mynet" / "network.yaml").read_text()


def rows(text: str) -> list[str]:
    return text[text.index("layers:\n") + 8 :].splitlines()


def test_a_chain_is_guessed_and_every_guess_is_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = made(tmp_path, LeNet(), "--input", "1,28,28")
    said = capsys.readouterr().out
    assert "its layers are guesses" in said
    assert "model.pt holds tensors alone (a state_dict), not the module" in said
    assert "nothing stands between the layers, where 3 commented lines wait" in said
    assert "input: {name: x, shape: [1, 28, 28], dtype: float32}\n" in text
    assert rows(text) == [
        '  - {name: features_0, op: conv2d, param: "features.0", out_channels: 6, kernel: 5, padding: 2, bias: false}  # [6, 1, 5, 5]; guess: stride 1, padding 2',
        '  - {name: features_1, op: batch_norm, param: "features.1"}  # guess: eps 1e-05',
        "  # - {name: relu_features_0, op: relu}  # guess: relu, tanh, sigmoid, nothing behind features_0?",
        '  - {name: features_3, op: conv2d, param: "features.3", out_channels: 8, kernel: 3, padding: 1}  # [8, 6, 3, 3]; guess: stride 1, padding 1',
        "  # - {name: relu_features_3, op: relu}  # guess: relu, tanh, sigmoid, nothing behind features_3?",
        "  - {name: pool, op: max_pool, kernel: 4}  # guess: one pool of 4 where the network may have several; move and split it",
        "  - {name: flatten, op: flatten}",
        '  - {name: classifier_0, op: dense, param: "classifier.0", out_features: 16}  # [16, 392]',
        "  # - {name: relu_classifier_0, op: relu}  # guess: relu, tanh, sigmoid, nothing behind classifier_0?",
        '  - {name: classifier_2, op: dense, param: "classifier.2", out_features: 10}  # [10, 16]',
    ]
    project = open_project(tmp_path / "mynet")
    assert project.parameters and project.plan.y.shape == (10, 1, 1)


def test_with_its_activation_an_mlp_is_the_network(tmp_path: Path) -> None:
    torch.manual_seed(3)
    model = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 6), nn.Tanh(), nn.Linear(6, 2))
    made(tmp_path, model, "--activation", "tanh", "--target", "vek280")
    project = open_project(tmp_path / "mynet")
    x = np.random.default_rng(0).normal(size=(7, 5, 1, 1)).astype(np.float32)
    y = torch_reference(project.network, project.float_parameters, x)
    want = model(torch.from_numpy(x[:, :, 0, 0])).detach().numpy()
    np.testing.assert_allclose(y[:, :, 0, 0], want, atol=1e-6)


@pytest.mark.slow
def test_the_picture_s_size_follows_from_the_first_dense_layer(tmp_path: Path) -> None:
    text = made(tmp_path, LeNet(), "--activation", "relu")
    assert "shape: [1, 7, 7], dtype: float32}  # guess: the first dense layer takes 8 x 7 x 7" in text
    assert "# - {" not in text and open_project(tmp_path / "mynet").plan


def test_a_file_sorted_by_name_is_put_in_order(tmp_path: Path) -> None:
    shapes = {
        **{
            "fc.weight": (5, 8 * 4 * 4),
            "conv2.weight": (6, 4, 3, 3),
            "conv10.weight": (8, 6, 3, 3),
            "conv1.weight": (4, 2, 3, 3),
        },
        **{f"bn10.{n}": (8,) for n in ("weight", "bias", "running_mean", "running_var")},
    }
    save_file(
        {name: np.ones(shape, np.float32) for name, shape in shapes.items()}, tmp_path / "m.safetensors"
    )
    assert main(["new", str(tmp_path / "mynet"), "--model", str(tmp_path / "m.safetensors")]) == 0
    text = (tmp_path / "mynet" / "network.yaml").read_text()
    assert "# guess: the order of the layers" in text
    layers = [line.split("name: ")[1].split(",")[0] for line in rows(text) if line.startswith("  - ")]
    assert layers == ["conv1", "conv2", "conv10", "bn10", "flatten", "fc"]


@pytest.mark.slow
def test_groups_and_global_pools_are_found(tmp_path: Path) -> None:
    model = nn.ModuleDict(
        {
            "stem": nn.Conv2d(3, 8, 3),
            "depth": nn.Conv2d(8, 8, 3, groups=8),
            "point": nn.Conv2d(8, 12, 1),
            "int": nn.Linear(12, 4),
        }
    )
    text = made(tmp_path, model, "--activation", "none")
    assert "name: depth, op: conv2d, out_channels: 8, kernel: 3, padding: 1, groups: 8}" in text
    assert "op: global_avg_pool}  # guess" in text
    assert "name: int_layer, op: dense, param: int," in text, "int is no name of a class"
    assert "shape: [3, 32, 32], dtype: float32}  # guess: the file does not say how large" in text
    assert open_project(tmp_path / "mynet").plan.y.shape == (4, 1, 1)


@pytest.mark.slow
def test_espcn_from_its_own_weights(tmp_path: Path) -> None:
    words = [
        "--model",
        str(ROOT / "projects" / "espcn" / "weights.pt"),
        "--input",
        "1,16,16",
        "--activation",
        "tanh",
    ]
    assert main(["new", str(tmp_path / "mine"), *words]) == 0
    plan = open_project(tmp_path / "mine").array
    assert [la.name for la in plan.aie] == ["conv1", "conv2", "conv3"] and plan.y.shape == (4, 16, 16)


REFUSED: dict[str, tuple[dict[str, tuple[int, ...]], str]] = {
    "a branch": (
        {"a.weight": (8, 3, 3, 3), "b.weight": (8, 16, 3, 3)},
        "'b' takes 16 channels, but 'a' gives [8, 32, 32]",
    ),
    "a dense layer that does not fit": (
        {"a.weight": (4, 1, 3, 3), "b.weight": (2, 10)},
        "'b' takes 10 features",
    ),
    "one dimension": ({"a.weight": (4, 1, 3)}, "the weight of 'a' has 3 dimensions"),
    "a recurrent layer": ({"lstm.weight_ih_l0": (16, 4)}, "'lstm.weight_ih_l0' [16, 4] is no tensor of"),
    "no weights": (
        {"n.running_mean": (4,), "n.running_var": (4,)},
        "no weights of a convolution or dense layer",
    ),
    "a bias alone": ({"a.bias": (4,)}, "the weight of 'a' is missing"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_chain_is_refused_and_nothing_is_written(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shapes, words = REFUSED[case]
    file = tmp_path / "model.safetensors"
    save_file({name: np.ones(shape, np.float32) for name, shape in shapes.items()}, file)
    assert main(["new", str(tmp_path / "mynet"), "--model", str(file)]) == 2
    said = capsys.readouterr().err
    assert "[new]" in said and words in said and "export the model as ONNX" in said
    assert not (tmp_path / "mynet").exists()


def test_an_input_that_does_not_fit_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "model.safetensors"
    save_file({"a.weight": np.ones((4, 3, 3, 3), np.float32)}, file)
    assert main(["new", str(tmp_path / "mynet"), "--model", str(file), "--input", "2,8,8"]) == 2
    assert (
        "the input [2, 8, 8] does not fit the first layer, which takes 3 channels" in capsys.readouterr().err
    )
    with pytest.raises(SystemExit):
        main(["new", str(tmp_path / "mynet"), "--model", str(file), "--input", "2,8"])
    assert "'2,8' is no shape" in capsys.readouterr().err


def test_names_of_any_kind_become_names_of_layers(tmp_path: Path) -> None:
    save_file(
        {'é"\n.0.weight': np.ones((3, 2), np.float32), "on.weight": np.ones((2, 3), np.float32)},
        tmp_path / "m.safetensors",
    )
    assert main(["new", str(tmp_path / "mynet"), "--model", str(tmp_path / "m.safetensors")]) == 0
    project = open_project(tmp_path / "mynet")
    assert len(project.parameters) == 2 and project.array.cores
