"""What a session says of itself: its inputs and outputs, and who runs which part."""

from __future__ import annotations

from dataclasses import dataclass

_WORDS = {"float32": "float", "float64": "double"}  # onnxruntime's for NumPy's, where they differ
_NAMES = {word: name for name, word in _WORDS.items()}


def type_of(elements: str) -> str:
    """Return the type of arrays as onnxruntime says it, of elements as NumPy calls them: tensor(float) of float32."""
    return f"tensor({_WORDS.get(elements, elements)})"


@dataclass(frozen=True, kw_only=True)
class End:
    """An input or output of a session, as onnxruntime's NodeArg: its name, and shape and type as the model says them.

    A size that may be any is None. Of a type "tensor(float)" is float32, others are called as by onnxruntime.
    """

    name: str
    shape: tuple[int | None, ...]
    type: str = "tensor(float)"

    @property
    def elements(self) -> str:
        """The elements of its arrays as NumPy calls them; of texts and the like a word that NumPy does not know."""
        word = self.type.removeprefix("tensor(").removesuffix(")")
        return _NAMES.get(word, word)


@dataclass(frozen=True, kw_only=True)
class Place:
    """A part of the model and who runs it."""

    engine: str  # the board, or onnxruntime
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[str, ...]  # operators, in order
