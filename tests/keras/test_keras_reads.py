"""Layers of Keras with random settings: what is read gives Keras' own results, and a setting that no reader looks at is refused."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aieloom.errors import SpecError
from aieloom.network.readers.keras_onnx import read_keras
from aieloom.network.readers.keras_reads import ReadConfig, refuse_unread
from aieloom.network.readers.refused import Refused
from tests.keras.models import IMAGE, STEPS, L, chain, keras, trained
from tests.onnx_session import session

pytestmark = [
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:You passed `rms_scaling:UserWarning"),
]
BOTH = (True, False)
FUNCTIONS = ("relu", "tanh", "gelu", "leaky_relu", "softsign", "relu6", None)
WINDOW = {"strides": (1, 2), "padding": ("same", "valid"), "activation": FUNCTIONS, "use_bias": BOTH}
NORM = {"center": BOTH, "scale": BOTH, "epsilon": (1e-3, 0.1)}
STEP = {
    "return_sequences": BOTH,
    "go_backwards": BOTH,
    "use_bias": BOTH,
    "unroll": BOTH,
    "dropout": (0, 0.3),
}
# What a layer is made with, then values of its settings.
LAYERS: dict[str, tuple[tuple[int, ...], tuple[Any, ...], dict[str, tuple[Any, ...]]]] = {
    "Conv2D": (IMAGE, (6, 3), WINDOW | {"groups": (1, 2), "kernel_regularizer": ("l2", None)}),
    "Conv2DTranspose": (IMAGE, (6, 3), WINDOW | {"output_padding": (None, 0), "dilation_rate": (1, 2)}),
    "DepthwiseConv2D": (IMAGE, (3,), WINDOW | {"depth_multiplier": (1, 2), "dilation_rate": (1, 2)}),
    "SeparableConv2D": (IMAGE, (6, 3), WINDOW | {"depth_multiplier": (1, 2)}),
    "MaxPooling2D": (IMAGE, (), {"pool_size": (2, 3), "strides": (None, 1, 2), "padding": ("same", "valid")}),
    "AveragePooling2D": (
        IMAGE,
        (2,),
        {"strides": (None, 2), "padding": ("same", "valid")},
    ),
    "GlobalMaxPooling2D": (IMAGE, (), {"keepdims": BOTH}),
    "BatchNormalization": (IMAGE, (), NORM | {"momentum": (0.9, 0.5), "axis": (-1, 2)}),
    "LayerNormalization": (STEPS, (), NORM | {"rms_scaling": BOTH}),
    "UpSampling2D": (IMAGE, (), {"size": (2, 3), "interpolation": ("nearest", "bilinear", "bicubic")}),
    "ReLU": (IMAGE, (), {"max_value": (None, 0.5), "negative_slope": (0, 0.1), "threshold": (0, 0.2)}),
    "Softmax": (STEPS, (), {"axis": (-1, 1)}),
    "Flatten": (IMAGE, (), {"data_format": ("channels_last", "channels_first")}),
    "Rescaling": (IMAGE, (0.5,), {"offset": (0.0, 0.3)}),
    "Dense": (
        STEPS,
        (5,),
        {"activation": FUNCTIONS, "use_bias": BOTH, "bias_initializer": ("ones", "zeros")},
    ),
    "LSTM": (STEPS, (5,), STEP | {"activation": ("tanh", "relu"), "unit_forget_bias": BOTH}),
    "GRU": (STEPS, (5,), STEP | {"reset_after": BOTH, "recurrent_activation": ("sigmoid", "hard_sigmoid")}),
}
CASES = 4  # of each layer


def drawn() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield layers with settings, each other than the default in half of the cases."""
    draw = random.Random(7)
    for name, (_, _, settings) in LAYERS.items():
        for _ in range(CASES):
            yield name, {key: draw.choice(values) for key, values in settings.items() if draw.random() < 0.6}


@pytest.mark.parametrize(("name", "settings"), [*drawn()], ids=lambda v: v if isinstance(v, str) else None)
def test_a_layer_of_random_settings_is_keras_or_is_refused(
    name: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    shape, given, _ = LAYERS[name]
    model = trained(chain(shape, getattr(L, name)(*given, **settings), L.Activation("tanh")))
    x = np.random.default_rng(1).standard_normal((1, *shape)).astype(np.float32)
    wanted = keras.ops.convert_to_numpy(model(x, training=False))
    model.save(tmp_path / "net.keras")
    try:
        read = read_keras(tmp_path / "net.keras", "net.keras")
    except SpecError as e:
        assert any(
            word in str(e)
            for word in (*settings, "works along axis", "is a ", "activation", "interpolates", "has arrays")
        ), e
        return
    for node in read.graph.node:  # names of layers, which several nodes may have
        node.name = ""
    (found,) = session(read).run(None, {"x": x.transpose(0, 3, 1, 2) if x.ndim == 4 else x})
    found = found.transpose(0, 2, 3, 1) if found.ndim == 4 else found
    np.testing.assert_allclose(found.reshape(wanted.shape), wanted, rtol=1e-4, atol=1e-4)


def refused(*layers: Any, tmp_path: Path) -> str:
    chain(STEPS, *layers).save(tmp_path / "net.keras")
    with pytest.raises(SpecError) as e:
        read_keras(tmp_path / "net.keras", "net.keras")
    return str(e.value)


def test_a_setting_that_nobody_reads_is_named(tmp_path: Path) -> None:
    said = refused(L.LayerNormalization(rms_scaling=True, center=False), tmp_path=tmp_path)
    assert "(LayerNormalization): says rms_scaling = True, which is not supported" in said
    both = L.Bidirectional(L.LSTM(4), backward_layer=L.LSTM(4, go_backwards=True, use_bias=False))
    assert "has use_bias True forwards and False backwards" in refused(both, tmp_path=tmp_path)


def test_a_key_of_a_newer_keras_is_refused_until_somebody_reads_it() -> None:
    config = ReadConfig(
        {"units": 4, "name": "a", "kernel_regularizer": "l2", "tied": True, "inner": {"axis": 2, "at": 1}}
    )
    assert config["units"] == 4
    with pytest.raises(Refused, match=r"says tied = True, inner = \{'axis': 2, 'at': 1\}"):
        refuse_unread(config)
    assert config.get("tied") and config["inner"]["at"]
    with pytest.raises(Refused, match=r"says inner\.axis = 2"):
        refuse_unread(config)
