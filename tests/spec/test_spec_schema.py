"""The JSON Schema accepts what the reader accepts and refuses what it refuses; every key is explained."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from aieloom.ops import REGISTRY
from aieloom.spec.schema import network_schema
from tests.designs import ESPCN, SMALL, edited

SCHEMA = network_schema(REGISTRY)
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def errors(value: Any, schema: dict[str, Any], where: str = "") -> list[str]:
    """Check `value` by the part of JSON Schema that pydantic writes."""
    if "$ref" in schema:
        return errors(value, SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[-1]], where)
    found = []
    for word in ("anyOf", "oneOf"):
        if word in schema:
            fits = sum(not errors(value, s, where) for s in schema[word])
            found += [] if fits == 1 or (fits and word == "anyOf") else [f"{where}: {word}"]
    kind = schema.get("type")
    if kind and (
        not isinstance(value, TYPES[kind]) or (isinstance(value, bool) and kind in ("integer", "number"))
    ):
        return [*found, f"{where}: type"]
    found += [f"{where}: const"] if "const" in schema and value != schema["const"] else []
    found += [f"{where}: enum"] if "enum" in schema and value not in schema["enum"] else []
    return [*found, *_parts(value, schema, where), *_bounds(value, schema, where)]


def _parts(value: Any, schema: dict[str, Any], where: str) -> list[str]:
    found: list[str] = []
    if isinstance(value, dict):
        known, other = schema.get("properties", {}), schema.get("additionalProperties", True)
        found += [f"{where}: {k} missing" for k in schema.get("required", []) if k not in value]
        for key, item in value.items():
            if key in known:
                found += errors(item, known[key], f"{where}.{key}")
            elif isinstance(other, dict):
                found += errors(item, other, f"{where}.{key}")
            elif not other:
                found.append(f"{where}: unknown {key}")
    if isinstance(value, list):
        prefix = schema.get("prefixItems", [])
        for i, item in enumerate(value):
            found += errors(item, prefix[i] if i < len(prefix) else schema.get("items", {}), f"{where}[{i}]")
    return found


def _bounds(value: Any, schema: dict[str, Any], where: str) -> list[str]:
    checks: dict[str, Callable[[Any, Any], bool]] = {
        "exclusiveMinimum": lambda v, b: v > b,
        "minimum": lambda v, b: v >= b,
        "maximum": lambda v, b: v <= b,
        "minItems": lambda v, b: len(v) >= b,
        "maxItems": lambda v, b: len(v) <= b,
        "maxLength": lambda v, b: len(v) <= b,
        "pattern": lambda v, b: re.search(b, v) is not None,
    }
    return [
        f"{where}: {word}"
        for word, fits in checks.items()
        if word in schema and not fits(value, schema[word])
    ]


@pytest.mark.parametrize("text", [ESPCN, SMALL], ids=["espcn", "small"])
def test_good_files_pass(text: str) -> None:
    assert errors(yaml.safe_load(text), SCHEMA) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("target: vck190", "target: vck191"),
        ("weights: weights.pt\n", ""),
        ("op: pixel_shuffle", "op: pixelshuffle"),
        ("upscale: 2", "scale: 2"),
        ("upscale: 2", "upscale: 0"),
        ("kernel: 5", "kernel: five"),
        ("tile: [16, 16, 64]", "tile: [16, 16]"),
        ("plio: 128", "plio: 96"),
        ("name: espcn", "name: my net"),
        ("[1, 16, 16]", "[1, 16, 16, 1]"),
        ("dtype: float32", "dtype: double"),
        ("data: {images", "data: {image"),
    ],
)
def test_wrong_files_fail(old: str, new: str) -> None:
    assert errors(yaml.safe_load(edited(ESPCN, old, new)), SCHEMA)


def test_jsonschema_agrees() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(yaml.safe_load(ESPCN), SCHEMA)


def test_every_key_has_a_description() -> None:
    silent = [
        f"{owner}.{key}"
        for owner, model in {"network": SCHEMA, **SCHEMA["$defs"]}.items()
        for key, value in model.get("properties", {}).items()
        if "description" not in value
    ]
    assert silent == []


def test_every_operator_and_device_is_in_it() -> None:
    layers = [
        SCHEMA["$defs"][s["$ref"].rsplit("/", 1)[-1]]
        for s in SCHEMA["properties"]["layers"]["items"]["oneOf"]
    ]
    assert [layer["properties"]["op"]["const"] for layer in layers] == list(REGISTRY)
    boards, file = SCHEMA["properties"]["target"]["anyOf"]
    assert boards["enum"] == [
        "vck190",
        "ve2302",
        "vek280",
        "vek385",
        "vp2802",
        "zcu104",
        "zcu106",
        "zynq-7020",
    ]
    assert re.search(file["pattern"], "./my.yaml")


def test_a_file_of_an_onnx_model_may_leave_out_what_the_model_says() -> None:
    schema = network_schema(REGISTRY)
    assert schema["required"] == ["name", "target", "weights"]
    assert schema["else"]["required"] == ["input", "layers"]
    pattern = schema["if"]["properties"]["weights"]["pattern"]
    assert [bool(re.search(pattern, n)) for n in ("m.onnx", "w.pt", "onnx.pt")] == [True, False, False]
