"""The pages of docs/reference/: written from the code itself, so that they say what is true of it.

tests/test_reference.py compares the files with these texts; AIELOOM_REGEN=1 writes them.
"""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel

import aieloom
from aieloom import api, comparison, module_design
from aieloom.commands import make_parser
from aieloom.emulator import kernel
from aieloom.emulator.program import emulate
from aieloom.errors import SpecError
from aieloom.flow.listing import DOCS as TASK_DOCS
from aieloom.hardware.mmul import no_products
from aieloom.network.tensor import TensorType
from aieloom.ops import REGISTRY
from aieloom.ops.batch_norm import fold_network, fold_parameters
from aieloom.ops.lut import LutSpec
from aieloom.ops.pointwise import FUNCTIONS
from aieloom.pl.steps import PlStep
from aieloom.plan.build import make_plan
from aieloom.plan.processor import PsStep
from aieloom.plan.types import AieLayerDraft
from aieloom.quantize.network import cast_network, quantise_network
from aieloom.runtime.session import Session
from aieloom.spec.device import Device, array_names, load_device
from aieloom.spec.network import (
    BudgetSpec,
    DataSpec,
    EngineSpec,
    InputSpec,
    MoverSpec,
    NetworkFile,
    TilesSpec,
    WeightsSpec,
)
from aieloom.spec.product import PlaceSpec
from aieloom.spec.quality import QualitySpec
from aieloom.spec.quantize import QuantizeSpec
from aieloom.spec.types import DataType
from tests.designs import network_of, weights_of
from tests.ops.networks import MAKERS, PS_MAKERS, network_yaml, row

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "reference"
GENERATED = (
    "<!-- Written from the code by AIELOOM_REGEN=1 pytest tests/test_reference.py. Edit the code. -->\n\n"
)
DTYPES = ("float32", "int8", "int16", "bfloat16")
SHAPE = (12, 4, 4)  # as many channels as a recurrence has gates
PRODUCTS = {
    "conv2d": {"out_channels": 12, "kernel": 1},
    "dense": {"out_features": 4},
    "matmul": {"out_features": 4},
}


def page(name: str) -> str:
    """Return the text of a page, by its file's name."""
    return GENERATED + "\n".join(PAGES[name]()).rstrip("\n") + "\n"


# --- operators ---------------------------------------------------------------------------------------------------


def operators() -> Iterator[str]:
    """Yield the operators with their keys, and what each runs in on which architecture."""
    yield "# Operators\n"
    yield "A cell says where the operator runs: `aie` on AI Engines, `pl` on programmable logic, `fused` into the product before"
    yield "it, `ps` on the processor, `-` nowhere. It is found by planning a small network with the operator between two products, for"
    yield "every type and architecture. By `mapping: {LAYER: {engine: ps}}` any operator but batch_norm runs on the processor.\n"
    boards = [
        load_device(name) for name in array_names()
    ]  # the largest of each architecture that has products
    boards = sorted((d for d in boards if not no_products(d)), key=lambda d: d.array.cores)
    architectures = dict(sorted((d.architecture.value, d.name) for d in boards))
    heads = [f"{dtype}, {arch}" for arch in architectures for dtype in DTYPES]
    yield f"| operator | {' | '.join(heads)} |"
    yield "|---" * (len(heads) + 1) + "|"
    for op in REGISTRY:
        cells = [place(op, dtype, target) for target in architectures.values() for dtype in DTYPES]
        yield f"| [`{op}`](#{op}) | {' | '.join(cells)} |"
    yield "\n## Keys\n"
    yield "Every layer has `name` and `op`, and may have `inputs`; one with tensors also `param`, their name's prefix in the weights"
    yield "file.\n"
    for op in REGISTRY:
        yield f'<a id="{op}"></a>\n**`{op}`** {first_line(REGISTRY[op].layer_model)}\n'
        yield from keys_of(REGISTRY[op].layer_model, {"name", "op", "inputs", "param"}, "layer")
        yield from keys_of(REGISTRY[op].mapping_model, {"engine"}, "mapping")


# --- network.yaml ------------------------------------------------------------------------------------------------


def network_keys() -> Iterator[str]:
    """Yield every key of network.yaml: those of the file and its parts, then those of `mapping:` with their operators."""
    yield "# network.yaml, key by key\n"
    yield "What the keys mean together: [network.yaml](../network-yaml.md). The keys of each layer: [operators](operators.md).\n"
    sections: dict[str, type[BaseModel]] = {
        "": NetworkFile,
        "input": InputSpec,
        "data": DataSpec,
        "quantize": QuantizeSpec,
        "quality": QualitySpec,
    }
    sections |= {
        "tiles": TilesSpec,
        "movers": MoverSpec,
        "objective": WeightsSpec,
        "budget": BudgetSpec,
        "engine": EngineSpec,
    }
    for name, model in sections.items():
        yield f"## {name or 'The file'}\n"
        yield f"{first_line(model)}\n"
        yield from key_table(model)
    yield "## mapping\n"
    yield "`mapping: {LAYER: {...}}`; what is left out, the search chooses. The strategies of an operator are in its"
    yield "[table](operators.md).\n"
    models = {op: REGISTRY[op].mapping_model for op in REGISTRY}
    rows: dict[
        tuple[str, str, str, str], list[str]
    ] = {}  # of each key, type, range and meaning: the operators
    for op, model in models.items():
        schema = model.model_json_schema()
        for key, field in model.model_fields.items():
            said = schema["properties"][key]
            row = key, type_of(said, schema), range_of(said, schema), field.description or ""
            rows.setdefault(row, []).append(op)
    yield "| key | type | range | meaning | operators |\n|---|---|---|---|---|"
    order = list(dict.fromkeys(key for key, *_ in rows))
    for (key, kind, bounds, meaning), takers in sorted(rows.items(), key=lambda r: order.index(r[0][0])):
        rest = [op for op in models if op not in takers]
        few = len(rest) < len(takers)
        names = ", ".join(f"`{op}`" for op in (rest if few else takers))
        who = ("all" + (f" but {names}" if rest else "")) if few else names
        yield f"| `{key}` | {kind} | {bounds} | {meaning} | {who} |"
    for name, model in (("place", PlaceSpec), ("lut", LutSpec)):
        yield f"\n### {name}\n"
        yield from key_table(model)


def key_table(model: type[BaseModel]) -> Iterator[str]:
    """Yield a table of a model's keys with their types, defaults and ranges, as its JSON Schema has them."""
    schema = model.model_json_schema()
    yield "| key | type | default | range | meaning |\n|---|---|---|---|---|"
    for name, field in model.model_fields.items():
        said = schema["properties"][name]
        default = "required" if field.is_required() else shown(field.get_default(call_default_factory=True))
        yield f"| `{name}` | {type_of(said, schema)} | {default} | {range_of(said, schema)} | {field.description or ''} |"
    yield ""


def resolved(said: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return what a JSON Schema refers to."""
    name = said.get("$ref", "").rpartition("/")[2]
    return {**schema["$defs"][name], **{k: v for k, v in said.items() if k != "$ref"}} if name else said


def type_of(said: dict[str, Any], schema: dict[str, Any]) -> str:
    """Return a type in words; what may be left out is told by the default."""
    said = resolved(said, schema)
    some = [s for s in (said.get("anyOf") or said.get("oneOf", ())) if s.get("type") != "null"]
    if some:
        return " or ".join(dict.fromkeys(type_of(s, schema) for s in some))
    if "enum" in said or "const" in said:
        return ", ".join(f"`{v}`" for v in said.get("enum", [said.get("const")]))
    if said.get("type") == "array":
        parts = said.get("prefixItems")
        return f"[{', '.join(type_of(p, schema) for p in parts)}]" if parts else "a list"
    words = {
        "integer": "whole number",
        "number": "number",
        "boolean": "`true` or `false`",
        "string": "text",
        "object": "keys",
    }
    kinds = said["type"] if isinstance(said["type"], list) else [said["type"]]
    return " or ".join(words[kind] for kind in kinds)


def range_of(said: dict[str, Any], schema: dict[str, Any]) -> str:
    """Return what numbers, lists and texts may be."""
    said = resolved(said, schema)
    inner = [*said.get("anyOf", ()), *said.get("prefixItems", ())]
    found = dict.fromkeys(filter(None, (range_of(s, schema) for s in inner)))
    words = {
        "exclusiveMinimum": "above {:,}",
        "minimum": "from {:,}",
        "exclusiveMaximum": "below {:,}",
        "maximum": "to {:,}",
        "minItems": "length from {}",
        "maxItems": "to {}",
        "maxLength": "at most {} characters",
        "pattern": "`{}`",
    }
    own = [text.format(said[key]) for key, text in words.items() if key in said and "prefixItems" not in said]
    return ", ".join(own) or "; ".join(found)


def keys_of(model: type[BaseModel], without: set[str], what: str) -> Iterator[str]:
    """Yield a table of a model's keys."""
    fields = {name: f for name, f in model.model_fields.items() if name not in without}
    if not fields:
        return
    yield f"| {what} | default | meaning |\n|---|---|---|"
    for name, field in fields.items():
        default = "required" if field.is_required() else shown(field.get_default(call_default_factory=True))
        yield f"| `{name}` | {default} | {field.description or ''} |"
    yield ""


def shown(value: Any) -> str:
    """Return a default as YAML people write it."""
    if value is None:
        return "chosen"
    if isinstance(value, BaseModel):
        return "see below"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`{list(value)}`"
    return f"`{getattr(value, 'value', value)}`"


def first_line(thing: Any) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(thing) or "").splitlines()[0]


@cache
def place(op: str, dtype: str, target: str) -> str:
    """Return where an operator of a type runs on a board, between two products."""
    device = load_device(target)
    try:
        written = network_of(sample(op, target))
        folded = fold_network(written)
        weights = weights_of(written)
        for tensors in weights.values():
            if "running_var" in tensors:
                tensors["running_var"] = np.abs(tensors["running_var"]) + np.float32(0.5)
        network, parameters = folded.network, fold_parameters(folded, weights)
        settings = QuantizeSpec.model_validate(
            {"activations": dtype, "weights": dtype} if dtype != "float32" else {}
        )
        if dtype.startswith("int"):
            x = np.random.default_rng(0).normal(size=(16, *network.x.shape)).astype(np.float32)
            network = quantise_network(network, parameters, settings, x).network
        elif dtype == "bfloat16":
            network = cast_network(network, parameters, settings).network
        plan = make_plan(network, device, REGISTRY)
    except SpecError:
        return "-"
    kinds = {AieLayerDraft: "`aie`", PlStep: "`pl`", PsStep: "`ps`"}
    return next((kinds[type(step)] for step in plan.steps if step.name == "probe"), "`fused`")


def sample(op: str, target: str) -> str:
    """Return a network of the operator between two products."""
    random = np.random.default_rng(3)
    keys = PRODUCTS.get(op) or {**MAKERS, **PS_MAKERS}[op](random, TensorType(SHAPE, DataType.FLOAT32)) or {}
    if REGISTRY[op].arity[0] > 1:
        keys = {"inputs": ["before"] * REGISTRY[op].arity[0], **keys}
    first = "matmul" if op == "matmul" else "conv2d"  # which takes rows, no image
    rows = [
        row("before", first, PRODUCTS[first]),
        row("probe", op, keys),
        row("after", "dense", PRODUCTS["dense"]),
    ]
    if op in FUNCTIONS:  # of which some take only what is above 0
        rows[0] = rows[0].replace("before", "conv") + "\n" + row("before", "sigmoid", {})
    return network_yaml(SHAPE[1:] if op == "matmul" else SHAPE, rows).replace(
        "target: vck190", f"target: {target}"
    )


def layers() -> str:
    """Return the layers of network.yaml with their keys, by what they run on in float32."""
    words = {
        "`aie`": "AI Engines",
        "`fused`": "nowhere: folded into the product before it; elsewhere a depthwise convolution of one pixel",
        "`pl`": "programmable logic",
        "`ps`": "the processor",
    }
    found: dict[str, list[str]] = {}
    for op in REGISTRY:
        keys = [k for k in REGISTRY[op].layer_model.model_fields if k not in ("name", "op", "inputs")]
        said = f" ({', '.join(f'`{k}`' for k in keys)})" if keys else ""
        found.setdefault(place(op, "float32", "vck190"), []).append(f"`{op}`{said}")
    rows = [f"| {words[where]} | {', '.join(ops)} |" for where, ops in sorted(found.items())]
    return "\n".join(["| runs on | layers (their keys) |", "|---|---|", *rows])


def with_layers(page: str) -> str:
    """Return docs/network-yaml.md with its table of layers as the code has it."""
    begin, end = "<!-- layers -->\n", "\n<!-- /layers -->"
    head, _, rest = page.partition(begin)
    return head + begin + layers() + "\n" + end + rest.partition(end.lstrip("\n"))[2]


# --- commands ----------------------------------------------------------------------------------------------------


def commands() -> Iterator[str]:
    """Yield the commands of aieloom and the tasks of doit."""
    parser = make_parser()
    yield "# Commands\n"
    yield "`aieloom COMMAND --help` prints the same. `-q`, `--quiet` (before the command) leaves results and errors."
    yield "`--json`, on every command, gives one JSON object on stdout in place of text: `command`, `exit_code`, `result`, and of what fails"
    yield "`errors` with `rule`, `file`, `line`, `column`, `text` and `fix`; `watch` gives one a run.\n"
    yield "Exit codes: 0 done, 1 a tool or a run failed, 2 the input is wrong, 3 doit knows no such task or option, 4 a vendor's tool is not installed.\n"
    found = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    helps = {a.dest: a.help or "" for a in found._choices_actions}
    for name in found.choices:
        sub: argparse.ArgumentParser = found.choices[name]
        yield f"## aieloom {name}\n\n{sentence(helps[name])}\n"
        options = [a for a in sub._actions if not {"--help", "--json"} & set(a.option_strings)]
        if options:
            yield "| | |\n|---|---|"
        for action in options:
            yield f"| `{spelled(action)}` | {(action.help or '').replace('|', 'or')} |"
        yield ""
    yield "## doit\n"
    yield "`doit TASK [project=NAME] [target=BOARD] [weights=FILE] [build=FOLDER] [quiet=1]`; `doit list` prints them.\n"
    yield "| task | what it does |\n|---|---|"
    for name, text in TASK_DOCS.items():
        yield f"| `{name}` | {text.replace('|', ' or ')} |"


def sentence(text: str) -> str:
    """Return a help text as a sentence."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def spelled(action: argparse.Action) -> str:
    """Return an option or argument as it is typed."""
    value = action.metavar or (",".join(map(str, action.choices)) if action.choices else action.dest.upper())
    if not action.option_strings:
        return str(value if action.metavar or action.choices else action.dest.upper())
    takes = "" if action.nargs == 0 else f" {value}{' ...' if action.nargs in {'*', '+'} else ''}"
    return f"{', '.join(action.option_strings)}{takes}"


# --- devices -----------------------------------------------------------------------------------------------------


def devices() -> Iterator[str]:
    """Yield the boards and what the rules take from their files."""
    boards = [load_device(name) for name in array_names()]
    yield "# Devices\n"
    yield "The figures that the design rules use, from `scripts/aieloom/spec/devices/`, where each has its document. `[U]` there marks"
    yield "what no document that was read confirms. A board of yours is one more such file.\n"
    yield f"| | {' | '.join(d.name for d in boards)} |"
    yield "|---" * (len(boards) + 1) + "|"
    for what, value in FACTS.items():
        yield f"| {what} | {' | '.join(value(d) for d in boards)} |"


FACTS: dict[str, Callable[[Device], str]] = {
    "board": lambda d: d.description,
    "part": lambda d: f"`{d.part}`",
    "architecture": lambda d: f"`{d.architecture.value}`",
    "cores": lambda d: f"{d.array.columns} x {d.array.core_rows} = {d.array.columns * d.array.core_rows}",
    "memory tiles": lambda d: str(d.array.columns * d.array.memory_tile_rows),
    "data memory of a tile": lambda d: f"{d.tile.memory_bytes // 1024} KB",
    "program memory of a core": lambda d: f"{d.tile.program_bytes // 1024} KB",
    "DMA channels of a tile, in and out": lambda d: f"{d.tile.s2mm_channels} and {d.tile.mm2s_channels}",
    "buffer descriptors of a tile": lambda d: str(d.tile.buffer_descriptors),
    "columns with PLIO": lambda d: f"{d.array.plio_columns[0]} to {d.array.plio_columns[1]}",
    "64-bit streams of a column, in and out": lambda d: (
        f"{d.interface.in_channels} and {d.interface.out_channels}"
    ),
    "clock of the array": lambda d: f"{d.clocks.aie_mhz:g} MHz",
    "PL interface at most": lambda d: f"{d.clocks.pl_interface_max_mhz:g} MHz",
}


# --- Python ------------------------------------------------------------------------------------------------------


def python_api() -> Iterator[str]:
    """Yield what a Python program may call."""
    yield "# Python\n"
    yield "```python\nimport aieloom\n```\n"
    things = {
        "design": api.design,
        "from_torch": module_design.from_torch,
        "emulate": emulate,
        "kernel": kernel.kernel,
        "compare": comparison.compare,
        "Session": Session,
    }
    for name, thing in things.items():
        assert name in aieloom.__all__
        yield from described(f"aieloom.{name}", thing)
    returned = {
        "design": api.DesignHandle,
        "design.layer": api.LayerHandle,
        "from_torch": module_design.ModuleDesign,
        "kernel": kernel.KernelHandle,
        "Session": Session,
    }
    for maker, kind in returned.items():
        yield f"## What {maker}() returns\n"
        for name, member in vars(kind).items():
            if not name.startswith("_"):
                call = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
                own = f"{maker.rpartition('.')[2]}.{name}"
                yield from described(own, call, is_property=isinstance(member, property), level=3)


def described(name: str, thing: Any, *, is_property: bool = False, level: int = 2) -> Iterator[str]:
    """Yield a function's signature and docstring."""
    text = inspect.getdoc(thing) or ""
    yield f"{'#' * level} {name}\n"
    if not is_property:
        signature = inspect.signature(thing)
        kept = [p for p in signature.parameters.values() if p.name != "self"]
        said = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(signature.replace(parameters=kept)))
        yield f"```python\n{name}{said}\n```\n"
    head, _, raised = text.partition("\nRaises:\n")
    yield f"{head.strip()}\n"
    if raised:
        yield "Raises:\n"
        yield from (f"- {' '.join(line.split())}" for line in raised.splitlines() if line.strip())
        yield ""


def top_keys() -> tuple[str, ...]:
    """Return the keys of network.yaml."""
    return tuple(NetworkFile.model_fields)


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "network-keys.md": network_keys,
    "operators.md": operators,
    "commands.md": commands,
    "devices.md": devices,
    "api.md": python_api,
}
