"""Random networks: for every operator a maker of legal layers, strung into chains that the planner accepts."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, cast

import numpy as np

from aieloom.errors import CannotFit
from aieloom.flow.onnx_project import yaml_value
from aieloom.network.layers import infer_shapes
from aieloom.network.tensor import TensorType, tensor_of
from aieloom.ops import REGISTRY
from aieloom.ops.batch_norm import fold_network, fold_parameters
from aieloom.ops.pointwise import FUNCTIONS
from aieloom.plan.build import make_plan
from aieloom.spec.device import load_device
from aieloom.spec.lines import parse_yaml
from aieloom.spec.load import parse_network
from aieloom.spec.types import DataType
from tests.designs import Design, weights_of

Random = np.random.Generator
Keys = dict[str, Any]
PRODUCTS = ("conv2d", "dense", "matmul")
MAX_VALUES = 1500  # of an activation: small enough for many networks in one program


def _int(random: Random, low: int, high: int) -> int:
    return int(random.integers(low, high + 1))


def _window(random: Random, x: TensorType) -> Keys:
    _, height, width = x.shape
    kernel = [_int(random, 1, min(4, height)), _int(random, 1, min(4, width))]
    padding = [_int(random, 0, (k - 1) // 2) for k in kernel]
    return {"kernel": kernel, "stride": [_int(random, 1, 3), _int(random, 1, 3)], "padding": padding}


def _pool(random: Random, x: TensorType) -> Keys:
    keys = _window(random, x)
    if random.random() < 0.4:
        keys["padding"] = [_int(random, 0, k - 1) for k in (*keys["kernel"], *keys["kernel"])]
    if random.random() < 0.3:
        del keys["stride"]
    return keys


def _clip(random: Random, _x: TensorType) -> Keys:
    low, high = sorted(round(float(v), 3) for v in random.uniform(-1, 1, 2))
    pick = _int(random, 0, 2)
    return {**({"min": low} if pick != 1 else {}), **({"max": high} if pick != 2 else {})}


def _reshape(random: Random, x: TensorType) -> Keys:
    shape, left = [], x.elements
    for _ in range(2):
        shape.append(int(random.choice([d for d in range(1, left + 1) if left % d == 0])))
        left //= shape[-1]
    return {"shape": [*shape, left]}


def _shuffle(random: Random, x: TensorType) -> Keys | None:
    fits = [r for r in (1, 2, 3) if x.shape[0] % (r * r) == 0]
    return {"upscale": int(random.choice(fits)), "order": str(random.choice(["crd", "dcr"]))}


def _conv(random: Random, x: TensorType) -> Keys:
    fits = [g for g in range(1, x.shape[0] + 1) if x.shape[0] % g == 0]
    groups = int(random.choice(fits)) if random.random() < 0.3 else 1
    outputs = groups * _int(random, 1, max(1, 9 // groups))
    return {
        "out_channels": outputs,
        "groups": groups,
        "bias": bool(random.random() < 0.7),
        **_window(random, x),
    }


def _plain(_random: Random, _x: TensorType) -> Keys:
    return {}


def _nothing(_random: Random, _x: TensorType) -> None:
    """A batch_norm stands behind a product: random_yaml puts it there. Joins are random_graph_yaml's."""


MAKERS: dict[str, Callable[[Random, TensorType], Keys | None]] = {
    "add": _nothing,
    "avg_pool": lambda r, x: {**_pool(r, x), "count_include_pad": bool(r.random() < 0.5)},
    "batch_norm": _nothing,
    "clip": _clip,
    "concat": _nothing,
    "conv2d": _conv,
    "div": _nothing,
    "dense": lambda r, _x: {"out_features": _int(r, 1, 11), "bias": bool(r.random() < 0.7)},
    "flatten": _plain,
    "global_avg_pool": _plain,
    "identity": _plain,
    "leaky_relu": lambda r, _x: {"alpha": round(float(r.uniform(-0.5, 1.5)), 3)},
    "matmul": lambda r, x: (
        {"out_features": _int(r, 1, 11), "bias": bool(r.random() < 0.5)} if x.rows or x.pixels == 1 else None
    ),
    "max_pool": _pool,
    "mul": _nothing,
    "pad": lambda r, _x: {"padding": [_int(r, 0, 2) for _ in range(4)], "value": round(float(r.normal()), 2)},
    "pixel_shuffle": _shuffle,
    "relu": _plain,
    "reshape": _reshape,
    "sigmoid": _plain,
    "softmax": _plain,
    "sub": _nothing,
    "tanh": _plain,
    "transpose": lambda r, _x: {"axes": [str(a) for a in r.permutation(["channels", "height", "width"])]},
    "edge_pad": lambda r, x: {
        "padding": [_int(r, 0, x.shape[1] - 1), _int(r, 0, x.shape[2] - 1), 0, _int(r, 0, x.shape[2] - 1)],
        "mode": ["reflect", "replicate"][_int(r, 0, 1)],
    },
    "upsample": lambda r, _x: {"scale": [_int(r, 1, 3), _int(r, 1, 3)]},
}


def _function(op: str) -> Callable[[Random, TensorType], Keys]:
    keys = FUNCTIONS[op].keys
    return lambda r, _x: {key: round(float(r.uniform(0.1, 1.5)), 3) for key in keys if r.random() < 0.7}


@cache
def own_tests(op: str) -> ModuleType | None:
    """Return an operator's test file, which imports this one; none where it has none."""
    name = f"tests.ops.test_op_{op}"
    return import_module(name) if find_spec(name) else None


def _of_model(op: str) -> Callable[[Random, TensorType], Keys | None]:
    """Return the maker of an operator's test file, `layer(random, x)`, else one of random values for its numeric keys."""

    def make(random: Random, x: TensorType) -> Keys | None:
        own = own_tests(op)
        if own is not None and hasattr(own, "layer"):
            keys: Keys | None = own.layer(random, x)
            return keys
        numbers = [
            k for k, f in REGISTRY[op].layer_model.model_fields.items() if isinstance(f.default, float)
        ]
        return {k: round(float(random.uniform(0.1, 1.5)), 3) for k in numbers if random.random() < 0.7}

    return make


# Operators that float networks have on the processor alone.
PS_MAKERS: dict[str, Callable[[Random, TensorType], Keys]] = {
    **{op: _function(op) for op in FUNCTIONS},
    "argmax": _plain,
    "layer_norm": lambda r, _x: {
        "over": str(r.choice(["all", "channels", "width"])),
        "eps": float(r.choice([1e-5, 1e-3])),
        "bias": bool(r.random() < 0.7),
    },
    "reduce_mean": lambda r, _x: {
        "axes": [str(a) for a in r.permutation(["channels", "height", "width"])[: _int(r, 1, 3)]]
    },
}
# Every other operator, by what it says of itself.
for _op in set(REGISTRY) - {*MAKERS, *PS_MAKERS}:
    _alone = REGISTRY[_op].processor_reason(DataType.FLOAT32) != ""
    cast(dict[str, Any], PS_MAKERS if _alone else MAKERS)[_op] = _of_model(_op)
MAKERS = dict(sorted(MAKERS.items()))
# What programmable logic has of floats and of integers: random networks are of these, so that they can be quantised.
OPS = tuple(
    op
    for op in MAKERS
    if not REGISTRY[op].processor_reason(DataType.INT8) and op != "rearrange"  # has its own tests
)


def row(name: str, op: str, keys: Keys) -> str:
    """Return a layer's line in network.yaml."""
    rest = "".join(f", {k}: {yaml_value(v)}" for k, v in keys.items())
    return f"  - {{name: {name}, op: {op}{rest}}}"


def network_yaml(shape: tuple[int, ...], rows: list[str]) -> str:
    """Return a network.yaml of these layers."""
    head = f"name: random\ntarget: vck190\nweights: w.safetensors\ninput: {{name: x, shape: {list(shape)}}}\nlayers:\n"
    return head + "\n".join(rows) + "\n"


def random_yaml(seed: int, ops: tuple[str, ...] = OPS) -> str:
    """Return a network of `ops` in random order, with at least one layer on AI Engines."""
    random = np.random.default_rng(seed)
    shape: tuple[int, ...] = (_int(random, 1, 4), _int(random, 1, 9), _int(random, 1, 9))
    if seed % 5 == 4:  # a matrix
        shape = shape[1:]
    x, rows = tensor_of(shape, DataType.FLOAT32), list[str]()
    wanted = [str(op) for op in random.permutation([*ops, "conv2d", "dense"])][: _int(random, 4, 9)]
    if not {"conv2d", "dense"} & set(wanted):
        wanted[_int(random, 0, len(wanted) - 1)] = str(random.choice(["conv2d", "dense"]))
    for op in wanted:
        keys = MAKERS[op](random, x)
        if keys is None:
            continue
        spec = REGISTRY[op].layer_model.model_validate({"name": "probe", "op": op, **keys})
        y = REGISTRY[op].infer(spec, x)
        if y.elements > MAX_VALUES:
            continue
        x = y
        rows.append(row(f"l{len(rows)}", op, keys))
        if op in PRODUCTS and random.random() < 0.3:
            rows.append(row(f"l{len(rows)}", "batch_norm", {}))
    if not any(f"op: {op}" in r for r in rows for op in PRODUCTS):
        rows.append(row(f"l{len(rows)}", "dense", {"out_features": 3}))
    return network_yaml(shape, rows)


JOINS = ("add", "concat", "div", "mul", "sub")
GRAPH_OPS = tuple(op for op in OPS if op not in (*JOINS, "batch_norm", "softmax"))


def random_graph_yaml(seed: int, ops: tuple[str, ...] = GRAPH_OPS, joins: tuple[str, ...] = ("add",)) -> str:
    """Return a network with branches: forks, `joins`, concatenations, also of the input, all joined at the end."""
    random = np.random.default_rng(seed)
    made = {"x": TensorType((_int(random, 1, 4), _int(random, 2, 8), _int(random, 2, 8)), DataType.FLOAT32)}
    shape, open_ends, rows = made["x"].shape, ["x"], list[str]()

    def add(op: str, keys: Keys, inputs: list[str]) -> str:
        name = f"l{len(rows)}"
        spec = REGISTRY[op].layer_model.model_validate({"name": name, "op": op, **keys})
        xs = tuple(made[i] for i in inputs)
        operator: Any = REGISTRY[op]
        made[name] = operator.infer_join(spec, xs) if len(xs) > 1 else operator.infer(spec, xs[0])
        rows.append(row(name, op, {"inputs": inputs, **keys}))
        open_ends[:] = [e for e in open_ends if e not in inputs] + [name]
        return name

    add("conv2d", {"out_channels": _int(random, 1, 6), "kernel": 1}, ["x"])
    for _ in range(_int(random, 3, 8)):
        first = str(random.choice(open_ends if random.random() < 0.5 else list(made)))
        alike = [n for n, t in made.items() if t == made[first]]
        beside = [n for n, t in made.items() if t.shape[1:] == made[first].shape[1:]]
        pick = random.random()
        if pick < 0.3:
            join = joins[0] if len(joins) == 1 else str(random.choice(joins))
            add(join, {}, [first, str(random.choice(alike))])
        elif pick < 0.45:
            add("concat", {}, [first, *(str(random.choice(beside)) for _ in range(_int(random, 1, 2)))])
        else:
            op = str(random.choice(["conv2d", "conv2d", *ops]))
            keys = MAKERS[op](random, made[first])
            if keys is not None:
                add(op, keys, [first])
        if made[f"l{len(rows) - 1}"].elements > MAX_VALUES:
            break
    flat = [add("flatten", {}, [end]) for end in list(open_ends)]
    if len(flat) > 1:
        add("concat", {}, flat)
    add("dense", {"out_features": 5}, [f"l{len(rows) - 1}"])
    return network_yaml(shape, rows)


def on_processor(text: str, seed: int, share: float = 0.3) -> str:
    """Return a network without `mapping:` of which some layers, wherever they lie, run on the processor."""
    random = np.random.default_rng(seed)
    names = re.findall(r"name: (\w+), op: (?!batch_norm)", text)
    chosen = [n for n in names if random.random() < share]
    lines = "".join(f"  {n}: {{engine: ps}}\n" for n in chosen)
    return f"{text}mapping:\n{lines}" if chosen else text


def design_of_yaml(text: str, seed: int = 1, target: str = "vck190") -> Design | None:
    """Plan a network, folded, with seeded weights; None when the device has no room for it."""
    written = infer_shapes(parse_network(parse_yaml(text, "network.yaml"), REGISTRY), REGISTRY)
    folded = fold_network(written)
    try:
        plan = make_plan(folded.network, load_device(target), REGISTRY)
    except CannotFit as e:
        if {p.rule for p in e.problems} <= {"mem-1", "plio-1", "route-1", "place-1"}:
            return None
        raise
    weights = weights_of(written, seed)
    for tensors in weights.values():
        if "running_var" in tensors:
            tensors["running_var"] = np.abs(tensors["running_var"]) + np.float32(0.5)
    return Design(folded.network, plan, fold_parameters(folded, weights))
