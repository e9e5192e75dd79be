"""How files are spoilt: words and lines of texts, bytes and fields of archives."""

from __future__ import annotations

import json
import re
import struct
from typing import Any

from hypothesis import strategies as st

WORD = re.compile(r"[\w.*/-]+|[{}\[\]:,]")
SCALARS = (
    *(
        "",
        "null",
        "~",
        "yes",
        "-1",
        "0",
        "1",
        "2",
        "7",
        "1e9",
        "1048576",
        "16777216",
        "99999999999999999999",
        "-9e999",
        ".inf",
        ".nan",
        "0.5",
        "1.5",
    ),
    *(
        "'x'",
        "''",
        '""',
        "[]",
        "{}",
        "[1, 2]",
        "[0, 0, 0]",
        "[1, 1, 1]",
        "{a: 1}",
        "conv2d",
        "dense",
        "matmul",
        "first",
        "tanh",
        "flatten",
    ),
    *(
        "2001-01-01",
        "0x10",
        "0b1",
        "1_000",
        "!!binary aGk=",
        "!!python/object/apply:os.system [id]",
        "&a b",
        "*a",
        "<<",
        "\t",
    ),
    *(
        "é",
        "日本",
        "\U0001d4b3",
        "\u202e",
        "? a",
        "|",
        ">",
        "- x",
        "# c",
        "../../etc/passwd",
        "/etc/passwd",
        "/abs/*.png",
        "a**b",
        "string",
        "stdint",
        "~/x",
        "a/b",
        "..",
        ".",
    ),
    *(
        "$(id)",
        "`id`",
        "; rm -rf x",
        "'; id #",
        "%s%n",
        "{{ 7*7 }}",
        "{% for x in y %}",
        "${HOME}",
        "a\\nb",
        "CON",
        "nul",
        "int",
    ),
    *(
        "*.png",
        "**/*",
        "[",
        "int8",
        "bfloat16",
        "float32",
        "mse",
        "single",
        "ping_pong",
        "true",
        "false",
        "1000000",
        "4096",
        "65536",
    ),
)
LINE_CHANGES = ("drop", "double", "indent", "outdent", "swap", "join", "crlf", "upper")


@st.composite
def texts(draw: st.DrawFn, bases: tuple[str, ...]) -> str:
    """Return one of the texts with words replaced and lines moved, or any text at all."""
    if draw(st.integers(0, 19)) == 0:
        return draw(st.text(alphabet="ab:-[]{}#&*!|>'\"%@`,? \n\r\t0\x00\x1b\u00e9\u2028\ufeff", max_size=80))
    text = draw(st.sampled_from(bases))
    for _ in range(draw(st.sampled_from((0, 1, 1, 1, 2, 3)))):
        words = [*WORD.finditer(text)]
        if words:
            word = words[draw(st.integers(0, len(words) - 1))]
            new = draw(
                st.one_of(
                    st.sampled_from(SCALARS),
                    st.integers(-3, 70).map(str),
                    st.sampled_from(words).map(lambda m: m[0]),
                )
            )
            text = text[: word.start()] + new + text[word.end() :]
    lines = text.split("\n")
    for _ in range(draw(st.sampled_from((0, 0, 1, 2)))):
        _change_line(lines, draw(st.integers(0, len(lines) - 1)), draw(st.sampled_from(LINE_CHANGES)))
        lines = lines or [""]
    return "\n".join(lines)


def _change_line(lines: list[str], i: int, change: str) -> None:
    if change == "drop":
        del lines[i]
    elif change == "double":
        lines.insert(i, lines[i])
    elif change == "indent":
        lines[i] = f"  {lines[i]}"
    elif change == "outdent":
        lines[i] = lines[i].lstrip()
    elif change == "swap":
        lines[0], lines[i] = lines[i], lines[0]
    elif change == "join":
        lines[i : i + 2] = ["".join(lines[i : i + 2])]
    elif change == "crlf":
        lines[:] = [f"{line}\r" for line in lines]
    else:
        lines[i] = lines[i].upper()


@st.composite
def spoilt(draw: st.DrawFn, bases: tuple[bytes, ...]) -> bytes:
    """Return one of the files with bytes changed, cut out, put in or cut off."""
    data = bytearray(draw(st.sampled_from(bases)))
    for _ in range(draw(st.sampled_from((1, 1, 2, 4)))):
        at = draw(
            st.one_of(st.integers(0, max(0, len(data) - 1)), st.integers(0, min(300, max(0, len(data) - 1))))
        )
        change = draw(st.sampled_from(("set", "flip", "insert", "delete", "cut", "word", "double")))
        if change == "set":
            data[at : at + 1] = bytes([draw(st.sampled_from((0, 1, 0x7F, 0x80, 0xFF, 0x2E, 0x63, 0x52)))])
        elif change == "flip" and data:
            data[at] ^= 1 << draw(st.integers(0, 7))
        elif change == "insert":
            data[at:at] = draw(st.binary(min_size=1, max_size=12))
        elif change == "delete":
            del data[at : at + draw(st.integers(1, 64))]
        elif change == "cut":
            del data[at:]
        elif change == "word":
            data[at : at + 8] = struct.pack(
                "<q", draw(st.sampled_from((0, -1, 1, 2**31, 2**62, 255, 1 << 40)))
            )
        else:
            data[at:at] = data[at : at + draw(st.integers(1, 200))]
    return bytes(data)


VALUES: tuple[Any, ...] = (
    0,
    -1,
    1,
    2**31,
    2**63,
    2**70,
    1.5,
    "",
    "F32",
    "I64",
    "F8_E4M3",
    "BF16",
    None,
    [],
    {},
    [0],
    [-1],
    [2**40],
    [[1]],
    True,
)


@st.composite
def spoilt_safetensors(draw: st.DrawFn, bases: tuple[bytes, ...]) -> bytes:
    """Return a .safetensors file whose header says something else."""
    data = draw(st.sampled_from(bases))
    length = int.from_bytes(data[:8], "little")
    header: dict[str, Any] = json.loads(data[8 : 8 + length])
    for _ in range(draw(st.integers(1, 2))):
        name = draw(st.sampled_from(sorted(header)))
        if draw(st.booleans()) and isinstance(header[name], dict):
            header[name][draw(st.sampled_from(("dtype", "shape", "data_offsets", "more")))] = draw(
                st.sampled_from(VALUES)
            )
        else:
            header[
                draw(
                    st.sampled_from(
                        ("../x", "", "a" * 300, "first.weight", "__metadata__", "\u0000", "é.weight")
                    )
                )
            ] = header.pop(name)
            header = header or {"x": {}}
    text = json.dumps(header).encode()
    size = draw(st.sampled_from((len(text), len(text), len(text), 0, 2**63 - 1, len(text) + 1)))
    return size.to_bytes(8, "little") + text + data[8 + length :]
