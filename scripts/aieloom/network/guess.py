"""Layers guessed from the names and shapes of trained tensors: what a state_dict says of its network, and what it cannot say.

A file of tensors has the layers with weights, in order. It does not have activations, pools, strides and paddings, nor
the size of the input. Those are guessed, and every guess says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import TypeAdapter, ValidationError

from aieloom.errors import Problem, SpecError
from aieloom.spec.types import Name

Shape = tuple[int, ...]
Keys = dict[str, object]
ACTIVATIONS = ("relu", "tanh", "sigmoid", "leaky_relu", "none")
GUESSED_SIZE = 32  # height and width of a picture, when nothing tells
_NORM = {"running_mean", "running_var"}
_KNOWN = {"weight", "bias"} | _NORM
_WHAT_ELSE = "export the model as ONNX, which has the whole network: torch.onnx.export(...)"


@dataclass(frozen=True, kw_only=True)
class Row:
    """A line of `layers:`. `note` stands behind it as a comment; one that is only `proposed` is a comment itself."""

    keys: Keys
    note: str = ""
    proposed: bool = False


@dataclass(frozen=True, kw_only=True)
class Guess:
    """A network as far as its tensors tell."""

    input_shape: tuple[int, int, int]
    input_note: str
    rows: tuple[Row, ...]
    order_is_guessed: bool = False


@dataclass
class _Chain:
    """The network as it grows: channels, and height and width while they are known."""

    file: str
    shape: tuple[int, int, int] | None
    activation: str | None
    rows: list[Row] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    channels: int = 0
    before: str = ""


def guess_layers(
    shapes: Mapping[str, Shape],
    *,
    file: str,
    input_shape: tuple[int, int, int] | None = None,
    activation: str | None = None,
    is_ordered: bool = True,
) -> Guess:
    """Return the layers of a file of tensors. `activation` stands between layers; None leaves it open.

    The file's order is that of the layers, or (`is_ordered` false: .safetensors files sort by name) numbers in names tell,
    then that convolutions come before dense layers.

    Raises:
        SpecError: the tensors are not those of a chain of convolutions, dense layers and batch norms.
    """
    groups = _groups(shapes, file)
    if is_ordered:
        return _chained(groups, file, input_shape, activation)
    problem: SpecError | None = None
    for order in (_by_number(groups), _by_kind(_by_number(groups))):
        try:
            return replace(_chained(order, file, input_shape, activation), order_is_guessed=len(groups) > 1)
        except SpecError as e:
            problem = problem or e
    assert problem
    raise problem


def _by_number(groups: Mapping[str, dict[str, Shape]]) -> dict[str, dict[str, Shape]]:
    """Return the layers sorted by name, numbers in it by value: conv2 before conv10."""

    def key(prefix: str) -> list[tuple[bool, int, str]]:
        return [(p.isdecimal(), int(p) if p.isdecimal() else 0, p) for p in re.split(r"(\d+)", prefix) if p]

    return {prefix: groups[prefix] for prefix in sorted(groups, key=key)}


def _by_kind(groups: Mapping[str, dict[str, Shape]]) -> dict[str, dict[str, Shape]]:
    """Return convolutions first, then dense layers, each followed by the first batch norm left that has its channels."""
    norms = [prefix for prefix, group in groups.items() if _is_norm(group)]
    found: dict[str, dict[str, Shape]] = {}
    for rank in (4, 2):
        for prefix, group in groups.items():
            if prefix in norms or len(group["weight"]) != rank:
                continue
            found[prefix] = group
            mine = next(
                (n for n in norms if n not in found and groups[n]["running_mean"] == group["weight"][:1]),
                None,
            )
            if mine:
                found[mine] = groups[mine]
    return found | {prefix: groups[prefix] for prefix in norms}


def _chained(
    groups: Mapping[str, Mapping[str, Shape]],
    file: str,
    input_shape: tuple[int, int, int] | None,
    activation: str | None,
) -> Guess:
    """Return the layers in the order of the groups."""
    first, note = _input(groups, input_shape, file)
    chain = _Chain(file=file, shape=first, activation=activation, channels=first[0])
    weighted = [prefix for prefix, group in groups.items() if not _is_norm(group)]
    if not weighted:
        raise _refused(file, "the file has no weights of a convolution or dense layer")
    for prefix, group in groups.items():
        if _is_norm(group):
            _add_norm(chain, prefix, group)
            continue
        if chain.before:
            _add_activation(chain)
        (_add_conv if len(group["weight"]) == 4 else _add_dense)(chain, prefix, group)
    return Guess(input_shape=first, input_note=note, rows=tuple(chain.rows))


def _groups(shapes: Mapping[str, Shape], file: str) -> dict[str, dict[str, Shape]]:
    """Return the tensors of each layer by their short names, in the file's order."""
    groups: dict[str, dict[str, Shape]] = {}
    for name, shape in shapes.items():
        prefix, _, short = name.rpartition(".")
        if short not in _KNOWN:
            raise _refused(
                file, f"'{name}' {list(shape)} is no tensor of a conv2d, dense or batch_norm layer"
            )
        groups.setdefault(prefix, {})[short] = shape
    for prefix, group in groups.items():
        rank = len(group.get("weight", ()))
        if not (_is_norm(group) or rank in {2, 4}):
            said = f"has {rank} dimensions" if rank else "is missing"
            raise _refused(file, f"the weight of '{prefix}' {said}: no conv2d (4) or dense layer (2)")
    return groups


def _is_norm(group: Mapping[str, Shape]) -> bool:
    return group.keys() >= _NORM


def _refused(file: str, text: str) -> SpecError:
    return SpecError(rule="new", file=file, text=text, remedy=_WHAT_ELSE)


def _input(
    groups: Mapping[str, Mapping[str, Shape]], given: tuple[int, int, int] | None, file: str
) -> tuple[tuple[int, int, int], str]:
    """Return the input's shape, and how it is known."""
    weights = [g["weight"] for g in groups.values() if not _is_norm(g)]
    if not weights:
        return given or (1, 1, 1), ""
    first = weights[0]
    if given:
        if (len(first) == 4 and given[0] % first[1]) or (len(first) == 2 and math.prod(given) != first[1]):
            wanted = f"{first[1]} channels" if len(first) == 4 else f"{first[1]} features"
            raise _refused(
                file, f"the input {list(given)} does not fit the first layer, which takes {wanted}"
            )
        return given, ""
    if len(first) == 2:
        return (first[1], 1, 1), "features; write [channels, height, width] if they are a picture"
    size, why = _picture_size(weights)
    return (first[1], size, size), f"guess: {why}"


def _picture_size(weights: Sequence[Shape]) -> tuple[int, str]:
    """Return the height of the input that makes the first dense layer fit when every layer keeps the size."""
    last = None
    for weight in weights:
        if len(weight) == 2 and last:
            side = math.isqrt(weight[1] // last[0])
            if side > 1 and last[0] * side * side == weight[1]:
                return (
                    side,
                    f"the first dense layer takes {last[0]} x {side} x {side}; pools before it make it larger",
                )
            break
        last = weight if len(weight) == 4 else None
    return GUESSED_SIZE, "the file does not say how large the input is"


def _named(chain: _Chain, wanted: str) -> str:
    """Return a legal name that nothing has yet, as near to `wanted` as can be."""
    name = re.sub(r"__+", "_", re.sub(r"\W", "_", wanted, flags=re.ASCII)).strip("_") or "layer"
    name = (name if name[0].isalpha() else f"layer_{name}")[:56]
    try:
        TypeAdapter(Name).validate_python(name)
    except ValidationError:
        name = f"{name}_layer"
    number, free = 1, name
    while free.lower() in chain.names:
        number += 1
        free = f"{name}_{number}"
    chain.names.add(free.lower())
    return free


def _layer(chain: _Chain, prefix: str, op: str) -> Keys:
    """Return the keys that every layer with tensors has."""
    name = _named(chain, prefix or op)
    return {"name": name, "op": op, **({"param": prefix} if prefix and prefix != name else {})}


def _add(chain: _Chain, keys: Keys, note: str = "", *, proposed: bool = False) -> None:
    chain.rows.append(Row(keys=keys, note=note, proposed=proposed))


def _add_activation(chain: _Chain) -> None:
    if chain.activation == "none":
        return
    op = chain.activation or "relu"
    keys: Keys = {"name": _named(chain, f"{op}_{chain.before}"), "op": op}
    note = "" if chain.activation else f"guess: relu, tanh, sigmoid, nothing behind {chain.before}?"
    _add(chain, keys, note, proposed=not chain.activation)


def _add_norm(chain: _Chain, prefix: str, group: Mapping[str, Shape]) -> None:
    length = group["running_mean"][0] if group["running_mean"] else 0
    if length != chain.channels or not chain.before:
        raise _refused(
            chain.file,
            f"the batch norm '{prefix}' has {length} channels, what stands before it gives {chain.channels}",
        )
    _add(chain, _layer(chain, prefix, "batch_norm"), "guess: eps 1e-05")


def _add_conv(chain: _Chain, prefix: str, group: Mapping[str, Shape]) -> None:
    out, per_group, height, width = group["weight"]
    groups, rest = divmod(chain.channels, per_group) if per_group else (0, 1)
    if rest or not groups or out % groups:
        raise _between(chain, prefix, f"{per_group} channels")
    padding = [height // 2 if height % 2 else 0, width // 2 if width % 2 else 0]
    keys = _layer(chain, prefix, "conv2d")
    keys |= {"out_channels": out, "kernel": height if height == width else [height, width]}
    if any(padding):
        keys["padding"] = padding[0] if padding[0] == padding[1] else padding
    keys |= {"groups": groups} if groups > 1 else {}
    keys |= {} if "bias" in group else {"bias": False}
    _add(
        chain,
        keys,
        f"{list(group['weight'])}; guess: stride 1, padding {padding[0] if padding[0] == padding[1] else padding}",
    )
    if chain.shape:
        _, h, w = chain.shape
        chain.shape = out, h + 2 * padding[0] - height + 1, w + 2 * padding[1] - width + 1
    chain.channels, chain.before = out, str(keys["name"])


def _add_dense(chain: _Chain, prefix: str, group: Mapping[str, Shape]) -> None:
    out, features = group["weight"]
    if chain.shape and math.prod(chain.shape) != features:
        _fit(chain, prefix, features)
    if chain.shape and chain.shape[1:] != (1, 1):
        _add(chain, {"name": _named(chain, "flatten"), "op": "flatten"})
    keys = (
        _layer(chain, prefix, "dense") | {"out_features": out} | ({} if "bias" in group else {"bias": False})
    )
    _add(chain, keys, f"{list(group['weight'])}")
    chain.shape, chain.channels, chain.before = (out, 1, 1), out, str(keys["name"])


def _fit(chain: _Chain, prefix: str, features: int) -> None:
    """Put pools before a dense layer until it fits: a global one, or one that divides height and width."""
    assert chain.shape
    channels, height, width = chain.shape
    if features == channels:
        _add(
            chain,
            {"name": _named(chain, "pool"), "op": "global_avg_pool"},
            "guess: to have the features of the dense layer",
        )
        chain.shape = channels, 1, 1
        return
    shrink = math.isqrt(channels * height * width // features) if features else 0
    fits = shrink > 1 and not height % shrink and not width % shrink
    if not fits or channels * (height // shrink) * (width // shrink) != features:
        raise _between(chain, prefix, f"{features} features")
    keys: Keys = {"name": _named(chain, "pool"), "op": "max_pool", "kernel": shrink}
    _add(chain, keys, f"guess: one pool of {shrink} where the network may have several; move and split it")
    chain.shape = channels, height // shrink, width // shrink


def _between(chain: _Chain, prefix: str, takes: str) -> SpecError:
    shape = f"{list(chain.shape)}" if chain.shape else f"{chain.channels} channels"
    before = f"'{chain.before}' gives" if chain.before else "the input has"
    text = (
        f"'{prefix}' takes {takes}, but {before} {shape}: what lies between (a branch, a reshape, a pool, another input "
        "size) is not in the file"
    )
    problem = Problem(
        rule="new",
        file=chain.file,
        text=text,
        remedy=f"give the input's shape (--input 1,28,28), or {_WHAT_ELSE}",
    )
    return SpecError(problem)
