"""network.yaml: what is read, and every wrong file refused with line, value and remedy."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from aieloom.errors import SpecError
from aieloom.ops import REGISTRY
from aieloom.ops.conv2d import Conv2dSpec
from aieloom.ops.product import Conv2dMapping
from aieloom.spec.lines import parse_yaml
from aieloom.spec.load import load_network, parse_network
from aieloom.spec.network import NetworkSpec
from aieloom.spec.types import Buffers, DataType
from tests.designs import ESPCN, FILE, ROOT, edited, line_of, refusal


def spec_of(text: str, target: str | None = None) -> NetworkSpec:
    return parse_network(parse_yaml(text, FILE), REGISTRY, target=target)


def test_espcn_is_read_as_it_stands() -> None:
    spec = spec_of(ESPCN)
    assert (spec.name, spec.target, spec.input.shape, spec.input.dtype) == (
        "espcn",
        "vck190",
        (1, 16, 16),
        DataType.FLOAT32,
    )
    assert [layer.op for layer in spec.layers] == [
        "conv2d",
        "tanh",
        "conv2d",
        "tanh",
        "conv2d",
        "pixel_shuffle",
    ]
    conv, mapping = spec.layers[0], spec.mapping["conv1"]
    assert isinstance(conv, Conv2dSpec)
    assert (conv.out_channels, conv.kernel, conv.padding, conv.stride, conv.bias) == (64, 5, 2, 1, True)
    assert isinstance(mapping, Conv2dMapping)
    assert (mapping.tile, mapping.mmul, mapping.buffers, mapping.plio) == (
        (16, 16, 64),
        (4, 2, 4),
        Buffers.SINGLE,
        128,
    )


def test_what_a_file_leaves_out_has_its_default() -> None:
    text = ESPCN[: ESPCN.index("mapping:")]
    spec = spec_of(text)
    assert set(spec.mapping) == {layer.name for layer in spec.layers}
    assert spec.mapping["conv1"] == Conv2dMapping()
    assert spec.data is None


def test_a_spec_cannot_be_changed() -> None:
    spec = spec_of(ESPCN)
    with pytest.raises(ValidationError):
        setattr(spec, "name", "other")  # noqa: B010 - mypy sees that it is read-only


def test_target_can_be_overridden_and_is_checked() -> None:
    assert spec_of(ESPCN, "vek280").target == "vek280"
    with pytest.raises(SpecError, match="there is no device 'vek281'"):
        spec_of(ESPCN, "vek281")


def test_a_folder_or_a_file_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "network.yaml").write_text(
        edited(ESPCN, "op: tanh}\n  - {name: conv2", "op: tan}\n  - {name: conv2")
    )
    for place in (tmp_path, tmp_path / "network.yaml"):
        with pytest.raises(SpecError, match=r"network.yaml:10: \[op\]"):
            load_network(place, REGISTRY)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecError) as error:
        load_network(tmp_path, REGISTRY)
    assert str(error.value).startswith("network.yaml:10:"), "below the current folder names are relative"
    assert load_network(ROOT / "projects" / "espcn", REGISTRY).name == "espcn"
    with pytest.raises(SpecError, match="no such file"):
        load_network(tmp_path / "absent", REGISTRY)


CONV1 = "{name: conv1, op: conv2d, out_channels: 64, kernel: 5, padding: 2}"
MAP1 = "tile: [16, 16, 64], mmul: [4, 2, 4], buffers: single, plio: 128}"
WRONG = {
    "unknown key at the top": (
        "weights: weights.pt",
        "wights: weights.pt",
        "key",
        "unknown key 'wights' (did you mean 'weights'?)",
    ),
    "unknown key of a layer": (
        CONV1,
        CONV1.replace("padding", "paddin"),
        "key",
        "unknown key 'paddin' (did you mean 'padding'?)",
    ),
    "unknown key of a mapping": (
        MAP1,
        MAP1.replace("mmul", "mmull"),
        "key",
        "unknown key 'mmull' (did you mean 'mmul'?)",
    ),
    "unknown key deep inside": (
        "tanh1: {engine: pl, lut: {entries",
        "tanh1: {engine: pl, lut: {entry",
        "key",
        "did you mean 'entries'?",
    ),
    "missing key": (CONV1, "{name: conv1, op: conv2d, out_channels: 64}", "key", "'kernel' is missing"),
    "text for a number": (CONV1, CONV1.replace("64", "many"), "value", "layers.0.out_channels is 'many'"),
    "fraction for a whole number": (
        CONV1,
        CONV1.replace("64", "64.0"),
        "value",
        "layers.0.out_channels is 64.0",
    ),
    "truth for a number": (CONV1, CONV1.replace("64", "yes"), "value", "layers.0.out_channels is True"),
    "zero channels": (CONV1, CONV1.replace("64", "0"), "value", "greater than 0"),
    "negative padding": (
        CONV1,
        CONV1.replace("padding: 2", "padding: -2"),
        "value",
        "layers.0.padding is -2",
    ),
    "unknown operator": (
        CONV1,
        CONV1.replace("conv2d", "conv3d"),
        "op",
        "there is no operator 'conv3d' (did you mean 'conv2d'?)",
    ),
    "no operator": (CONV1, "{name: conv1, kernel: 5}", "op", "'op' is missing"),
    "tile of two": (MAP1, MAP1.replace("[16, 16, 64]", "[16, 16]"), "value", "mapping.conv1.tile"),
    "tile of words": (
        MAP1,
        MAP1.replace("[16, 16, 64]", "[a, b, c]"),
        "value",
        "mapping.conv1.tile.0 is 'a'",
    ),
    "unknown buffers": (MAP1, MAP1.replace("single", "double"), "value", "mapping.conv1.buffers is 'double'"),
    "unknown width": (MAP1, MAP1.replace("128", "256"), "value", "mapping.conv1.plio is 256"),
    "unknown device": (
        "target: vck190",
        "target: vck191",
        "target",
        "there is no device 'vck191' (did you mean 'vck190'?)",
    ),
    "unknown dtype": ("float32}", "float64}", "value", "input.dtype is 'float64'"),
    "shape of none": ("[1, 16, 16]", "[]", "value", "input.shape"),
    "shape of four": ("[1, 16, 16]", "[1, 1, 16, 16]", "value", "input.shape"),
    "shape with zero": ("[1, 16, 16]", "[1, 0, 16]", "value", "input.shape.1 is 0"),
    "mapping of no layer": (
        "  shuffle: {engine",
        "  shufle: {engine",
        "key",
        "there is no layer 'shufle' to map (did you mean 'shuffle'?)",
    ),
    "name twice": (
        "{name: tanh2, op: tanh}",
        "{name: TANH1, op: tanh}",
        "name",
        "is taken by the layer on line 10",
    ),
    "name of C++": (CONV1, CONV1.replace("conv1", "while"), "value", "'while' is a word that C++"),
    "name of the vendor": (CONV1, CONV1.replace("conv1", "mm2s"), "value", "reserve"),
    "name with a blank": ("name: espcn", "name: my net", "value", "cannot name a C++ class"),
    "name with a path": ("name: espcn", "name: ../x", "value", "cannot name a C++ class"),
    "name too long": ("name: espcn", "name: " + "x" * 65, "value", "at most 64"),
    "no engine": (
        "conv3: {engine: aie",
        "conv3: {engine: gpu",
        "value",
        "mapping.conv3.engine is 'gpu'",
    ),
    "keys of the array in the logic": (
        "conv3: {engine: aie",
        "conv3: {engine: pl",
        "value",
        "leave buffers, mmul, plio, tile out",
    ),
    "range off zero": (
        "tanh1: {engine: pl, lut: {entries: 1024, range: [-4, 4]}",
        "tanh1: {engine: pl, lut: {entries: 1024, range: [1, 4]}",
        "value",
        "from below 0 to above 0",
    ),
    "infinite range": (
        "tanh1: {engine: pl, lut: {entries: 1024, range: [-4, 4]}",
        "tanh1: {engine: pl, lut: {entries: 1024, range: [-4, .inf]}",
        "value",
        "mapping.tanh1.lut.range.1 is inf",
    ),
    "zero between entries": (
        "tanh1: {engine: pl, lut: {entries: 1024, range: [-4, 4]}",
        "tanh1: {engine: pl, lut: {entries: 1023, range: [-4, 4]}",
        "value",
        "0 falls between two entries",
    ),
    "layer that is a word": ("  - {name: tanh2, op: tanh}", "  - tanh", "value", "layers.3 is 'tanh'"),
    "shape of no such operator": (
        "upscale: 2",
        "upscale: 3",
        "shape",
        "4 channels cannot be shuffled by 3 x 3 = 9",
    ),
    "kernel too large": (
        CONV1,
        CONV1.replace("kernel: 5", "kernel: 21"),
        "shape",
        "a kernel of 21x21 does not fit into 20x20",
    ),
    "dtype without kernels": ("float32}", "int8}", "dtype", "the input is int8"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_is_refused_with_its_line(case: str) -> None:
    old, new, rule, words = WRONG[case]
    text = edited(ESPCN, old, new)
    message = refusal(text)
    changed = next(
        i for i, (a, b) in enumerate(zip(ESPCN.splitlines(), text.splitlines(), strict=True), 1) if a != b
    )
    assert any(
        line.startswith(f"{FILE}:{changed}: [{rule}] ") and words in line for line in message.splitlines()
    ), message
    assert "  fix: " in message


def test_remedies_name_what_would_be_right() -> None:
    assert f"use one of: {', '.join(REGISTRY)}" in refusal(
        edited(ESPCN, CONV1, CONV1.replace("conv2d", "conv"))
    )
    assert "use one of: vck190, ve2302, vek280, vek385, vp2802" in refusal(
        edited(ESPCN, "target: vck190", "target: zcu102")
    )
    assert "known keys here: images" in refusal(edited(ESPCN, "data: {images", "data: {pictures"))
    assert "give it 9 channels, or change upscale" in refusal(edited(ESPCN, "upscale: 2", "upscale: 3"))


def test_all_problems_are_reported_at_once_in_file_order() -> None:
    text = edited(
        edited(ESPCN, "conv2d, out_channels: 32", "convolve, out_channels: 32"), "upscale: 2", "upscale: two"
    )
    text = edited(text, MAP1, MAP1.replace("single", "double"))
    found = [line for line in refusal(text).splitlines() if line.startswith(FILE)]
    lines = [int(line.split(":")[1]) for line in found]
    assert lines == sorted(lines)
    assert lines == [line_of(text, "convolve"), line_of(text, "two"), line_of(text, "double")]
