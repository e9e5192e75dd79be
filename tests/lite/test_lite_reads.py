"""Options of .tflite operators: each is read, or settled, or refused by name when it is not at its default."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from aieloom.network.readers.refused import Refused
from aieloom.network.readers.tflite_file import LiteOperator
from aieloom.network.readers.tflite_reads import SETTLED, numbers_of, recorded, refuse_unread
from tests.heavy import later

flatbuffers = later("flatbuffers")
TABLES = {
    "ADD": "AddOptions",
    "CONV_2D": "Conv2DOptions",
    "DEPTHWISE_CONV_2D": "DepthwiseConv2DOptions",
    "FULLY_CONNECTED": "FullyConnectedOptions",
    "MAX_POOL_2D": "Pool2DOptions",
    "MUL": "MulOptions",
    "RESHAPE": "ReshapeOptions",
    "RESIZE_NEAREST_NEIGHBOR": "ResizeNearestNeighborOptions",
    "SOFTMAX": "SoftmaxOptions",
    "SUB": "SubOptions",
}


def operator(kind: str, **said: Any) -> LiteOperator:
    """Return an operator whose table says some options."""
    name, b = TABLES[kind], flatbuffers.Builder(64)
    made = import_module(f"tflite.{name}")
    getattr(made, f"{name}Start")(b)
    for key, value in said.items():
        getattr(made, f"{name}Add{key}")(b, value)
    b.Finish(getattr(made, f"{name}End")(b))
    options = getattr(made, name).GetRootAs(bytes(b.Output()), 0)
    return LiteOperator(number=0, kind=kind, inputs=(), outputs=(0,), options=options)


@pytest.mark.parametrize("kind", TABLES)
def test_each_option_is_refused_when_nobody_reads_it_and_not_at_its_default(kind: str) -> None:
    names = numbers_of(type(operator(kind).options))
    refuse_unread(recorded(operator(kind)))  # at their defaults
    for name in names:
        default = getattr(operator(kind).options, name)()
        other = not default if isinstance(default, bool) else 3 - default
        op = recorded(operator(kind, **{name: other}))
        if name in SETTLED.get(kind, ()):
            refuse_unread(op)
            continue
        with pytest.raises(Refused, match=rf"has the options {name} = "):
            refuse_unread(op)
        getattr(op.options, name)()
        refuse_unread(op)
    assert names or kind == "RESHAPE", "its list of sizes is what the result's shape says"


def test_an_operator_without_options_has_none_to_read() -> None:
    refuse_unread(recorded(replace(operator("ADD"), options=None)))
