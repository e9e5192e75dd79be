"""Types shared by every description: strict numbers, names, enums."""

from __future__ import annotations

import keyword
import re
from enum import Enum
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict, WithJsonSchema


class Frozen(BaseModel):
    """Base of everything that is read from a file: immutable, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


class DataType(Enum):
    """Element types of tensors; the value is how YAML spells them."""

    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"

    @property
    def bytes(self) -> int:
        """Size of one element."""
        return {"float32": 4, "bfloat16": 2, "int8": 1, "int16": 2, "int32": 4}[self.value]

    @property
    def cpp(self) -> str:
        """Name of the type in AIE kernels."""
        return "float" if self is DataType.FLOAT32 else self.value


FLOATS = (DataType.FLOAT32, DataType.BFLOAT16)


class Buffers(Enum):
    """Copies of a kernel's buffer: one, or two that take turns so that transfer and computation overlap."""

    SINGLE = "single"
    PING_PONG = "ping_pong"

    @property
    def copies(self) -> int:
        """Number of buffers."""
        return 2 if self is Buffers.PING_PONG else 1


# Words that a C++ compiler or the vendor's headers already use: a layer's name becomes a class, a file and
# a kernel, so it must not be one of them.
_RESERVED = frozenset(
    """adf aie alignas alignof and asm auto bool break case catch char class compl concept connect
    const constexpr continue decltype default delete do double dynamic_cast else enum explicit
    export extern false float for friend goto graph hls host if inline input int kernel long main
    mm2s mutable namespace new noexcept not nullptr operator or output port private protected public
    register requires return s2mm short signed sizeof source static struct switch template this
    throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while
    xor xrt""".split()  # noqa: SIM905 - 90 lines else
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
MAX_NAME = 64
MAX_ELEMENTS = 1 << 28  # of one tensor: a gigabyte of float32, beyond what any device of the catalogue runs
MAX_TILED_ELEMENTS = 1 << 31  # of images that are cut into tiles: the boards' memory


def check_name(name: str) -> str:
    """Return a name that can be a class, a file and a kernel.

    Raises:
        ValueError: it cannot.
    """
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        raise ValueError(
            f"'{name[:MAX_NAME]}' cannot name a C++ class and a file: use a letter, then letters, digits "
            f"and _, at most {MAX_NAME} in all"
        )
    if name in _RESERVED or keyword.iskeyword(name) or "__" in name:
        raise ValueError(f"'{name}' is a word that C++ or the vendor's tools reserve: choose another")
    return name


_NAME_SCHEMA = {"type": "string", "pattern": f"^{_NAME.pattern}$", "maxLength": MAX_NAME}

Name: TypeAlias = Annotated[str, Strict(), AfterValidator(check_name), WithJsonSchema(_NAME_SCHEMA)]
Integer: TypeAlias = Annotated[int, Strict()]
Positive: TypeAlias = Annotated[int, Strict(), Field(gt=0, le=1 << 24)]
NonNegative: TypeAlias = Annotated[int, Strict(), Field(ge=0, le=1 << 24)]
Number: TypeAlias = Annotated[float, Strict()]
MHz: TypeAlias = Annotated[float, Strict(), Field(gt=0, le=2000)]
Flag: TypeAlias = Annotated[bool, Strict()]
Text: TypeAlias = Annotated[str, Strict()]
Spatial: TypeAlias = Positive | tuple[Positive, Positive]  # one number for both, or [vertical, horizontal]
SpatialPadding: TypeAlias = NonNegative | tuple[NonNegative, NonNegative]
Sides: TypeAlias = tuple[NonNegative, NonNegative, NonNegative, NonNegative]


def pair(value: int | tuple[int, int]) -> tuple[int, int]:
    """Return `[vertical, horizontal]` of a value that may be one number for both."""
    return value if isinstance(value, tuple) else (value, value)


def sides_of(padding: int | tuple[int, int] | tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Return (top, left, bottom, right) of a padding that may be one number or [y, x]."""
    if isinstance(padding, tuple) and len(padding) == 4:
        return padding
    y, x = pair(padding)
    return y, x, y, x
