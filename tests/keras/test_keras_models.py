"""Models of Keras, written by Keras: what is planned of a .keras or an .h5 file gives Keras' own results, or is refused by layer."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aieloom
from aieloom.cli import main
from aieloom.errors import SpecError
from aieloom.flow.designs import design_of
from aieloom.flow.onnx_project import write_onnx_project
from aieloom.flow.opening import open_any, open_project
from aieloom.network.readers.onnx_import import read_onnx
from tests.heavy import later
from tests.keras.models import FEATURES, IMAGE, STEPS, L, chain, keras, trained

h5py = later("h5py")
pytestmark = pytest.mark.filterwarnings(
    "ignore:__array__ implementation:DeprecationWarning"
)  # Keras' and PyTorch's


def image(*layers: Any) -> Any:
    """Return layers behind a convolution, which gives 8 channels."""
    return chain(IMAGE, L.Conv2D(8, 3, padding="same"), *layers)


def steps(*layers: Any) -> Any:
    """Return layers behind a dense layer of every step, which gives 8 features."""
    return chain(STEPS, L.Dense(8), *layers)


def residual() -> Any:
    """Return blocks of convolutions with a way around, squeeze and excitation, branches of unlike sizes that meet."""
    x = keras.Input(IMAGE)
    y = L.Conv2D(8, 3, padding="same", use_bias=False)(x)
    y = L.ReLU(max_value=6)(L.BatchNormalization()(y))
    z = L.DepthwiseConv2D(3, padding="same", activation="swish")(y)
    gate = L.Dense(8, activation="sigmoid")(L.GlobalAveragePooling2D(keepdims=True)(z))
    y = L.Add()([y, L.Multiply()([z, gate])])
    y = L.Concatenate()([L.MaxPooling2D(2)(y), L.AveragePooling2D(2)(y), L.Conv2D(4, 2, strides=2)(y)])
    y = L.Dropout(0.5)(L.Flatten()(y))
    return keras.Model(x, L.Dense(5, activation="softmax")(y))


def nested() -> Any:
    """Return a model whose layers are models, one of them called twice."""
    inner_x = keras.Input((None, None, 8))
    inner_y = L.Conv2D(8, 3, padding="same", activation="relu", name="same_name")(inner_x)
    inner = keras.Model(inner_x, L.BatchNormalization()(inner_y), name="inner")
    head = keras.Sequential([L.Conv2D(3, 1, name="same_name"), L.ReLU()], name="head")
    x = keras.Input(IMAGE)
    y = L.Conv2D(8, 1, name="first")(x)
    return keras.Model(x, head(L.Add()([inner(inner(y)), y])))


def two_norms() -> Any:
    """Return norms in a model in the model, which an .h5 file lists apart: what is trained first."""
    inner = keras.Sequential(
        [L.Conv2D(8, 1), L.BatchNormalization(), L.Conv2D(8, 1), L.BatchNormalization()], name="inner"
    )
    return chain(IMAGE, inner, L.Conv2D(3, 1))


def activation(name: str) -> Any:
    return image(L.Activation(name))


ACTIVATIONS = """elu exponential gelu hard_sigmoid hard_silu leaky_relu linear relu6 selu sigmoid silu softmax softplus
    tanh"""
TAKEN: dict[str, Callable[[], Any]] = {
    "residual": residual,
    "nested": nested,
    "two norms in a model": two_norms,
    "Conv2D, strides and same": lambda: chain(IMAGE, L.Conv2D(8, (3, 5), strides=(2, 3), padding="same")),
    "Conv2D, even kernel and same": lambda: chain(IMAGE, L.Conv2D(8, 4, strides=1, padding="same")),
    "Conv2D, dilated": lambda: chain(IMAGE, L.Conv2D(8, 3, dilation_rate=2, padding="same")),
    "Conv2D, groups": lambda: chain(IMAGE, L.Conv2D(8, 3, groups=2)),
    "DepthwiseConv2D": lambda: image(L.DepthwiseConv2D(3, strides=2, depth_multiplier=2, padding="same")),
    "SeparableConv2D": lambda: image(L.SeparableConv2D(6, 3, strides=2, padding="same", activation="relu")),
    "Conv2DTranspose, same": lambda: image(L.Conv2DTranspose(5, 3, strides=2, padding="same")),
    "Conv2DTranspose, valid": lambda: image(L.Conv2DTranspose(5, 4, strides=2)),
    "Conv2DTranspose, kernel below stride": lambda: image(L.Conv2DTranspose(5, 2, strides=3)),
    "Conv1D": lambda: chain(
        STEPS,
        L.Conv1D(8, 3, padding="causal", activation="relu"),
        L.MaxPooling1D(2),
        L.Conv1D(6, 3, padding="same"),
        L.Flatten(),
        L.Dense(5),
    ),
    "Conv1D behind rows": lambda: steps(L.Conv1D(5, 3, strides=2), L.GlobalAveragePooling1D()),
    "rows behind Conv1D": lambda: chain(STEPS, L.Conv1D(8, 3), L.LayerNormalization(), L.Dense(3)),
    "SeparableConv1D": lambda: chain(STEPS, L.SeparableConv1D(8, 3), L.GlobalMaxPooling1D(), L.Dense(3)),
    "Dense": lambda: chain(FEATURES, L.Dense(12, activation="gelu"), L.Dense(4, use_bias=False)),
    "Dense of images": lambda: image(L.Dense(5)),
    "LSTM": lambda: chain(STEPS, L.LSTM(5, return_sequences=True), L.LSTM(4), L.Dense(3)),
    "GRU": lambda: chain(STEPS, L.GRU(5, return_sequences=True), L.GRU(4, reset_after=False), L.Dense(3)),
    "LSTM backwards": lambda: chain(STEPS, L.LSTM(5, go_backwards=True, use_bias=False), L.Dense(3)),
    "Bidirectional": lambda: chain(
        STEPS, L.Bidirectional(L.LSTM(5, return_sequences=True)), L.Bidirectional(L.GRU(4)), L.Dense(3)
    ),
    "LSTM behind Conv1D": lambda: chain(STEPS, L.Conv1D(8, 3), L.LSTM(5), L.Dense(3)),
    "TimeDistributed": lambda: steps(L.TimeDistributed(L.Dense(5, activation="tanh"))),
    "pools, same": lambda: image(
        L.MaxPooling2D(3, 2, padding="same"), L.AveragePooling2D(2, 2, padding="same")
    ),
    "BatchNormalization of features": lambda: chain(FEATURES, L.Dense(8), L.BatchNormalization()),
    "BatchNormalization first": lambda: chain(IMAGE, L.BatchNormalization(scale=False), L.Conv2D(8, 3)),
    "LayerNormalization": lambda: steps(L.LayerNormalization(epsilon=1e-5)),
    "LayerNormalization of images": lambda: image(L.LayerNormalization(center=False)),
    "Activation layers": lambda: image(
        L.LeakyReLU(negative_slope=0.1), L.PReLU(shared_axes=[1, 2]), L.ELU(0.7), L.Activation("mish")
    ),
    "Softmax of channels": lambda: image(L.Softmax()),
    "ReLU with a slope": lambda: image(L.ReLU(negative_slope=0.2)),
    "a layer as an activation": lambda: image(L.Conv2D(8, 1, activation=L.LeakyReLU(0.05))),
    "padding and cropping": lambda: image(L.ZeroPadding2D(((1, 2), (0, 1))), L.Cropping2D(((2, 0), (1, 1)))),
    "UpSampling2D, bilinear": lambda: image(L.UpSampling2D(2, interpolation="bilinear")),
    "UpSampling2D": lambda: image(L.UpSampling2D((2, 3))),
    "Reshape": lambda: chain(FEATURES, L.Dense(48), L.Reshape((4, 4, 3)), L.Conv2D(4, 3)),
    "Reshape of an image to rows": lambda: image(L.Reshape((90, 8)), L.Dense(5)),
    "Permute": lambda: image(L.Permute((2, 1, 3)), L.Conv2D(4, 3)),
    "Rescaling": lambda: chain(IMAGE, L.Rescaling(1 / 127.5, offset=-1), L.Conv2D(8, 3)),
    "Normalization": lambda: chain(
        IMAGE, L.Normalization(mean=[1.0, 0.5, 0.2, 0], variance=[1, 2.0, 3, 0.5]), L.Conv2D(8, 3)
    ),
    "Average and Subtract": lambda: joined(lambda a, b: L.Average()([a, L.Subtract()([b, a])])),
    "operators of tensors": lambda: joined(lambda a, b: a * b + a - b),
    **{f"activation {name}": partial(activation, name) for name in ACTIVATIONS.split()},
}


def joined(join: Callable[[Any, Any], Any]) -> Any:
    x = keras.Input(IMAGE)
    return keras.Model(x, join(L.Conv2D(8, 3)(x), L.Conv2D(8, 3, activation="tanh")(x)))


def computed(folder: Path, file: Path, x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return what a project of a file computes, by its reference, for samples as Keras has them, in results of its shape."""
    write_onnx_project(folder, file, "vck190")
    with (folder / "network.yaml").open("a") as text:
        text.write("execution: sequential\n")
    project = open_any(folder, build=folder / "build")
    made = []
    for sample in x:
        given = as_project(sample, project.network.spec.input.shape)
        y = design_of(project).reference(project.taken(given[None]))
        y = y[0, ..., 0].T if project.plan.y.rows else y[0]
        if len(shape) == 4:
            y = y.reshape(shape[3], shape[1], shape[2]).transpose(1, 2, 0)
        made.append(y.reshape(shape[1:]))
    return np.array(made)


def as_project(sample: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return a sample with its channels first; of sequences too where the project takes images of one row."""
    if sample.ndim == 3:
        return np.ascontiguousarray(sample.transpose(2, 0, 1))
    return sample.T[:, None] if sample.ndim == 2 and shape == (sample.shape[1], 1, len(sample)) else sample


@pytest.mark.parametrize("name", TAKEN)
def test_results_are_keras(name: str, tmp_path: Path) -> None:
    model = trained(TAKEN[name]())
    x = np.random.default_rng(1).standard_normal((2, *model.input_shape[1:])).astype(np.float32)
    wanted = keras.ops.convert_to_numpy(model(x))
    assert np.ptp(wanted) > 1e-3
    for suffix in (".keras", ".h5"):
        model.save(tmp_path / f"net{suffix}")
        found = computed(tmp_path / f"net_{suffix[1:]}", tmp_path / f"net{suffix}", x, wanted.shape)
        np.testing.assert_allclose(found, wanted, rtol=3e-5, atol=3e-5, err_msg=suffix)


# What is refused: the layer, its class, why.
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "Lambda": (
        lambda: image(L.Lambda(lambda x: x * 2)),
        r"layer '\w+' \(Lambda\): the layer is not supported\n *fix: these are: Activation, ",
    ),
    "channels first": (
        lambda: chain((4, 10, 9), L.Conv2D(8, 3, data_format="channels_first")),
        r"\(Conv2D\): has data_format 'channels_first'",
    ),
    "Concatenate along height": (
        lambda: joined(lambda a, b: L.Concatenate(axis=1, name="tall")([a, b])),
        r"node 'tall' \(Concat\): concatenates \(1, 8, 8, 7\) along axis 2",
    ),
    "two inputs": (
        lambda: keras.Model(
            [x := keras.Input((4,), name="a"), y := keras.Input((4,), name="b")], L.Dense(2)(L.Add()([x, y]))
        ),
        r"has 2 inputs \(a, b\); one is needed",
    ),
    "an open size": (
        lambda: chain((None, None, 3), L.Conv2D(4, 3)),
        r"its input has the shape \(\?, \?, \?, 3\); all sizes behind the batch have to be known",
    ),
    "LSTM of other functions": (
        lambda: chain(STEPS, L.LSTM(5, activation="relu"), L.Dense(2)),
        r"\(LSTM\): is a LSTM of \('relu', 'sigmoid'\)",
    ),
    "cubic": (
        lambda: image(L.UpSampling2D(2, interpolation="bicubic")),
        r"\(UpSampling2D\): interpolates by 'bicubic'",
    ),
}


@pytest.mark.parametrize("suffix", [".keras", ".h5"])
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_taken_is_refused_by_layer(name: str, suffix: str, tmp_path: Path) -> None:
    make, said = REFUSED[name]
    make().save(tmp_path / f"net{suffix}")
    with pytest.raises(SpecError, match=said):
        read_onnx(tmp_path / f"net{suffix}", shown_as=f"net{suffix}")


def test_all_layers_at_fault_are_named(tmp_path: Path) -> None:
    x = keras.Input(IMAGE)
    y = L.GaussianNoise(0.1)(L.Conv3D(2, 1)(L.Reshape((10, 9, 4, 1))(x)))
    keras.Model(x, L.UnitNormalization()(y)).save(tmp_path / "net.keras")
    with pytest.raises(SpecError) as e:
        read_onnx(tmp_path / "net.keras", shown_as="net.keras")
    assert "(Reshape): gives (10, 9, 4, 1)" in str(e.value)
    assert "(Conv3D): the layer is not supported" in str(e.value)
    assert "(UnitNormalization): the layer is not supported" in str(e.value)


def test_keras_2_is_read_too(tmp_path: Path) -> None:
    """Its configuration says calls as lists, and its own hard_sigmoid: clip(x / 5 + 1 / 2, 0, 1)."""
    model = trained(image(L.Conv2D(3, 1), L.Activation("sigmoid")))
    model.save(tmp_path / "net.h5")
    layers: list[dict[str, Any]] = [
        {
            "class_name": "InputLayer",
            "name": "x",
            "config": {"batch_input_shape": [None, *IMAGE]},
            "inbound_nodes": [],
        }
    ]
    for layer in model.layers:
        calls = [[[layers[-1]["name"], 0, 0, {}]]]
        config = layer.get_config() | ({"activation": "hard_sigmoid"} if not layer.weights else {})
        layers.append(
            {"class_name": type(layer).__name__, "name": layer.name, "config": config, "inbound_nodes": calls}
        )
    ends = {"input_layers": [["x", 0, 0]], "output_layers": [[layers[-1]["name"], 0, 0]]}
    with h5py.File(tmp_path / "net.h5", "r+") as file:
        config = {"class_name": "Functional", "config": {"name": "m", "layers": layers, **ends}}
        file.attrs["model_config"] = json.dumps(config).encode()
        file.attrs["keras_version"] = b"2.11.0"
    x = np.random.default_rng(1).standard_normal((2, *IMAGE)).astype(np.float32)
    before = keras.Model(model.inputs[0], model.layers[-2].output)
    wanted = np.clip(keras.ops.convert_to_numpy(before(x)) / 5 + 0.5, 0, 1)
    found = computed(tmp_path / "net", tmp_path / "net.h5", x, wanted.shape)
    np.testing.assert_allclose(found, wanted, rtol=3e-5, atol=3e-5)


def test_the_doors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trained(residual()).save(tmp_path / "net.keras")
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "model.keras").write_bytes((tmp_path / "net.keras").read_bytes())
    (alone / "network.yaml").write_text("name: alone\ntarget: vck190\nweights: model.keras\n")
    ops = [layer.op for layer in open_project(alone).network.layers]
    assert ops[0] == "conv2d"
    assert ops[-1] == "softmax"
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine", "--model", "net.keras"]) == 0
    assert "op: conv2d" in (tmp_path / "mine/network.yaml").read_text()
    (tmp_path / "bad.keras").write_bytes(b"anything")
    capsys.readouterr()
    assert main(["new", "other", "--model", "bad.keras"]) == 2
    assert "[keras] is a truncated or damaged Keras file" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


def test_what_is_no_graph_of_layers_is_refused(tmp_path: Path) -> None:
    model = image()
    model.save_weights(tmp_path / "net.weights.h5")
    with pytest.raises(SpecError, match="holds weights alone, without the layers"):
        read_onnx(tmp_path / "net.weights.h5", shown_as="net.weights.h5")

    class Own(keras.Model):  # type: ignore[misc]  # Keras has no types
        def __init__(self) -> None:
            super().__init__()
            self.only = L.Dense(3)

        def call(self, x: Any) -> Any:
            return self.only(x)

    own = Own()
    own(np.zeros((1, 4), np.float32))
    own.save(tmp_path / "own.keras")
    with pytest.raises(SpecError, match="is a Own, whose layers are in its program, not in the file"):
        read_onnx(tmp_path / "own.keras", shown_as="own.keras")


@pytest.mark.parametrize("how", ["soft", "external", "virtual", "storage"])
def test_arrays_in_other_files_are_not_read(how: str, tmp_path: Path) -> None:
    """HDF5 may name any file of the machine: none is opened, whatever lies there."""
    image().save(tmp_path / "net.h5")
    secret = tmp_path / "secret.h5"
    with h5py.File(secret, "w") as file:
        file["a"] = np.zeros(8, np.float32)
    with h5py.File(tmp_path / "net.h5", "r+") as file:
        group = next(g for n, g in file["model_weights"].items() if len(g.attrs["weight_names"]))
        name = next(str(n) for n in group.attrs["weight_names"] if "bias" in str(n))
        del group[name]
        if how == "soft":
            group[name] = h5py.SoftLink("/model_weights")
        elif how == "external":
            group[name] = h5py.ExternalLink(str(secret), "a")
        elif how == "virtual":
            layout = h5py.VirtualLayout((8,), "f4")
            layout[:] = h5py.VirtualSource(str(secret), "a", (8,))
            group.create_virtual_dataset(name, layout)
        else:
            group.create_dataset(name, (8,), "f4", external=[(str(secret), 0, 32)])
    said = "is a link to something else" if how in ("soft", "external") else "lies in another file"
    with pytest.raises(SpecError, match=said):
        read_onnx(tmp_path / "net.h5", shown_as="net.h5")


def test_damaged_files_give_one_message(tmp_path: Path) -> None:
    trained(residual()).save(tmp_path / "net.keras")
    with zipfile.ZipFile(tmp_path / "net.keras") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    random, file, refused = np.random.default_rng(11), tmp_path / "bad.keras", 0
    for trial in range(60):
        name = ("config.json", "model.weights.h5")[trial % 2]
        bad = bytearray(members[name])
        for _ in range(random.integers(1, 6)):
            bad[random.integers(len(bad))] = random.integers(256)
        if trial % 5 == 0:
            bad = bad[: random.integers(len(bad))]
        with zipfile.ZipFile(file, "w") as archive:
            for n, data in members.items():
                archive.writestr(n, bytes(bad) if n == name else data)
        try:
            read_onnx(file, shown_as=file.name)
        except SpecError:
            refused += 1
    assert refused > 15  # what changes weights alone, or a name, is a model


def test_without_the_package_the_remedy_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image().save(tmp_path / "net.keras")
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    with pytest.raises(SpecError, match=r"needs the package 'h5py'") as e:
        read_onnx(tmp_path / "net.keras", shown_as="net.keras")
    assert "pip install 'aieloom[keras]'" in str(e.value)


@pytest.mark.slow
def test_the_emulated_design_gives_keras_results(tmp_path: Path) -> None:
    model = trained(residual())
    model.save(tmp_path / "net.keras")
    write_onnx_project(tmp_path / "net", tmp_path / "net.keras", "vck190")
    with (tmp_path / "net/network.yaml").open("a") as text:
        text.write("execution: sequential\n")
    x = np.random.default_rng(1).standard_normal((2, *IMAGE)).astype(np.float32)
    y = aieloom.design(tmp_path / "net").emulate(np.ascontiguousarray(x.transpose(0, 3, 1, 2)))
    np.testing.assert_allclose(y.reshape(2, 5), keras.ops.convert_to_numpy(model(x)), rtol=3e-5, atol=3e-5)
