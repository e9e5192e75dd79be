"""Windows, borders and scales of ONNX nodes as the keys of layers: kernel, stride, padding, scale."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.onnx_graph import Node
from aieloom.network.readers.refused import Refused

Sides = tuple[int, int, int, int]  # top, left, bottom, right: ONNX's order of pads


PAD_MODES = {"constant": "", "reflect": "reflect", "edge": "replicate"}


def short(values: Sequence[int]) -> int | list[int]:
    """Return [vertical, horizontal] as network.yaml says it: one number when they are equal."""
    y, x = (int(v) for v in values)
    return y if y == x else [y, x]


def _check_rank(node: Node) -> None:
    if len(node.x_shape) != 4:
        raise Refused(
            f"takes an input of shape {node.x_shape}; (1, channels, height, width) is needed", "use images"
        )


def _window(node: Node, kernel: Sequence[int]) -> tuple[tuple[int, int], Sides]:
    """Return stride and padding; `auto_pad` and `ceil_mode` follow from the output's shape.

    `kernel` is what the window spans, its gaps included.

    Raises:
        Refused: a side is negative.
    """
    _check_rank(node)
    strides = tuple(int(s) for s in node.get("strides", [1, 1]))
    begin, end = [0, 0], [0, 0]
    auto = node.get("auto_pad", b"NOTSET").decode()
    pads = list(node.get("pads", [0, 0, 0, 0]))
    for i in (0, 1):
        # what the last window reaches, whether by auto_pad: SAME or by ceil_mode
        reach = (node.y_shape[2 + i] - 1) * strides[i] + int(kernel[i])
        if auto in ("SAME_UPPER", "SAME_LOWER"):
            total = max(0, reach - node.x_shape[2 + i])
            begin[i] = total // 2 if auto == "SAME_UPPER" else total - total // 2
            end[i] = total - begin[i]
        elif auto != "VALID":
            begin[i], end[i] = pads[i], pads[i + 2]
            end[i] += (
                max(0, reach - (node.x_shape[2 + i] + begin[i] + end[i])) if node.get("ceil_mode", 0) else 0
            )
    if min(*begin, *end) < 0:
        raise Refused(f"has negative pads {pads}", "pad by 0 or more")
    return (strides[0], strides[1]), (begin[0], begin[1], end[0], end[1])


def check_kernel(node: Node, weight: Values) -> None:
    """Refuse a kernel_shape that is not the weight's.

    Raises:
        Refused: it is another.
    """
    said = node.integers("kernel_shape")
    if said is not None and said != list(weight.shape[2:]):
        text = f"says kernel_shape {said}, its weight has {list(weight.shape[2:])}"
        raise Refused(text, "correct one of both")


def dilations_of(node: Node) -> tuple[int, int]:
    """Return the steps between the places that a window sees."""
    y, x = (int(d) for d in node.get("dilations", [1, 1]))
    return y, x


def convolution_window(node: Node, kernel: Sequence[int]) -> tuple[dict[str, object], list[int]]:
    """Return the keys of a conv2d, and the border of the pad layer before it where the sides differ."""
    stride, sides = _window(node, kernel)
    keys: dict[str, object] = {"kernel": short(kernel)}
    if stride != (1, 1):
        keys["stride"] = short(stride)
    padding, border = padding_of(sides)
    return {**keys, **padding}, border


def padding_of(sides: Sequence[int]) -> tuple[dict[str, object], list[int]]:
    """Return a conv2d's key for [top, left, bottom, right], and the border of the pad layer before it where they differ."""
    if list(sides[:2]) != list(sides[2:]):
        return {}, list(sides)
    return ({"padding": short(sides[:2])} if any(sides) else {}), []


def transposed_window(node: Node, kernel: Sequence[int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the stride of a ConvTranspose, and what it cuts off at the top and at the left [ONNX ConvTranspose].

    `kernel` is what the window spans. `output_shape` and `auto_pad` share out what the output's shape leaves.
    """
    _check_rank(node)
    strides = tuple(int(s) for s in node.get("strides", [1, 1]))
    auto = node.get("auto_pad", b"NOTSET").decode()
    begin = [int(p) for p in node.get("pads", [0, 0, 0, 0])[:2]]
    if auto.startswith("SAME") or node.integers("output_shape"):
        extra = [int(e) for e in node.get("output_padding", [0, 0])]
        for i in (0, 1):
            total = strides[i] * (node.x_shape[2 + i] - 1) + extra[i] + int(kernel[i]) - node.y_shape[2 + i]
            begin[i] = total // 2 if auto == "SAME_UPPER" else total - total // 2
    elif auto == "VALID":
        begin = [0, 0]
    if min(begin) < 0:
        raise Refused(f"has negative pads {begin}", "cut off 0 or more")
    return (strides[0], strides[1]), (begin[0], begin[1])


def _pool(node: Node) -> dict[str, object]:
    kernel = [int(k) for k in node.integers("kernel_shape") or []]
    if dilations_of(node) != (1, 1):
        raise Refused(
            f"has the dilations {list(dilations_of(node))}; [1, 1] is supported", "use a pool without gaps"
        )
    stride, sides = _window(node, kernel)
    keys: dict[str, object] = {"kernel": short(kernel)}
    if list(stride) != kernel:
        keys["stride"] = short(stride)
    if any(sides):
        keys["padding"] = short(sides[:2]) if sides[:2] == sides[2:] else list(sides)
    return keys


def max_pool(node: Node) -> dict[str, object]:
    """Return the keys of a max_pool."""
    return _pool(node)


def average_pool(node: Node) -> dict[str, object]:
    """Return the keys of an avg_pool.

    Raises:
        Refused: places beyond the padding would count.
    """
    keys = _pool(node)
    if not node.get("count_include_pad", 0):
        return {**keys, "count_include_pad": False} if "padding" in keys else keys
    if mode := node.get("ceil_mode", 0):
        raise Refused(f"has both ceil_mode ({mode}) and count_include_pad", "use one of the two")
    return keys


def pad_mode(node: Node) -> str:
    """Return how a Pad repeats what is there, as layers call it; nothing where it pads by a constant.

    Raises:
        Refused: it pads in another way.
    """
    mode = node.get("mode", b"constant").decode()
    if mode not in PAD_MODES:
        known = ", ".join(PAD_MODES)
        raise Refused(f"pads by mode '{mode}'; these are supported: {known}", "pad by one of these")
    return PAD_MODES[mode]


def pad_of(node: Node) -> tuple[list[int], float]:
    """Return a Pad's [top, left, bottom, right] and value: 0 where it repeats what is there.

    Raises:
        Refused: it pads other axes, or takes something away.
    """
    rank = len(node.x_shape)
    given = node.optional(1)
    pads = list(node.get("pads", [])) if given is None else [int(p) for p in given]
    axes = node.optional(3)
    which = list(range(rank)) if axes is None else [int(a) % rank for a in axes]
    if len(pads) != 2 * len(which) or not pads:
        raise Refused(f"its pads are no constants for each side of {rank} axes: {pads}", "pad by constants")
    sides = {a: (pads[i], pads[i + len(which)]) for i, a in enumerate(which)}
    others = [sides.pop(a) for a in list(sides) if a not in (2, 3)]
    top, left = sides.get(2, (0, 0)), sides.get(3, (0, 0))
    if any(any(p) for p in others) or min(*top, *left) < 0:
        raise Refused(f"pads {pads} of axes {which}", "pad height and width by 0 or more")
    value = None if pad_mode(node) else node.optional(2)
    constant = node.get("value", 0.0) if value is None else float(value.reshape(-1)[0])
    return [top[0], left[0], top[1], left[1]], constant


def resize_scale(node: Node) -> int | list[int]:
    """Return the scale of an enlargement that shows every pixel a whole number of times.

    Raises:
        Refused: it interpolates, or reads other pixels than `place // scale`.
    """
    _check_rank(node)
    mode = node.get("mode", b"nearest").decode()
    if mode != "nearest":
        raise Refused(f"interpolates ({mode}); 'nearest' is supported", "use mode 'nearest'")
    (_, channels, height, width), y = node.x_shape, node.y_shape
    if y[1] != channels or y[2] % height or y[3] % width:
        raise Refused(f"resizes {node.x_shape} to {y}", "enlarge height and width by whole numbers")
    scales = [y[2] // height, y[3] // width]
    for size, scale in zip((height, width), scales, strict=True):
        shown = [_source(node, i, scale, size) for i in range(size * scale)]
        if shown != [i // scale for i in range(size * scale)]:
            how = node.get("coordinate_transformation_mode", b"half_pixel").decode()
            raise Refused(
                f"its '{how}' reads other pixels than place / {scale}", "use 'asymmetric' with 'floor'"
            )
    return short(scales)


def _source(node: Node, place: int, scale: int, size: int) -> int:
    """Return the pixel that a place of the output shows [ONNX Resize: coordinate_transformation_mode, nearest_mode]."""
    if node.op == "Upsample" or node.opset < 11:  # Resize of opset 10 and Upsample: asymmetric, floor
        return min(place // scale, size - 1)
    how = node.get("coordinate_transformation_mode", b"half_pixel").decode()
    length = size * scale
    if how == "asymmetric":
        at = place / scale
    elif how == "align_corners":
        at = place * (size - 1) / (length - 1) if length > 1 else 0.0
    elif how in ("half_pixel", "half_pixel_symmetric") or (how == "pytorch_half_pixel" and length > 1):
        at = (place + 0.5) / scale - 0.5
    elif how == "pytorch_half_pixel":
        at = 0.0
    else:
        raise Refused(f"uses the coordinates '{how}'", "use 'asymmetric' with 'floor'")
    rounding = {
        "floor": floor,
        "ceil": ceil,
        "round_prefer_floor": lambda v: ceil(v - 0.5),
        "round_prefer_ceil": lambda v: floor(v + 0.5),
    }[node.get("nearest_mode", b"round_prefer_floor").decode()]
    return int(np.clip(rounding(at), 0, size - 1))
