"""What was read of each layer of a Keras file: a key that no reader looked at may change what the layer computes.

So a key that was not read is refused by name, unless it says what Keras does without it, or cannot change what a trained
network gives.
Facts: keras.io, "Keras 3 API documentation", and what Keras 3.15 and 2.15 write into files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aieloom.network.readers.recorded import Recorded
from aieloom.network.readers.refused import Refused

# What begins or steers training, names a layer, or says how and not what it computes.
TRAINING = ("initializer", "regularizer", "constraint")  # ends of keys
SETTLED = frozenset(
    {
        *("name", "trainable", "module", "registered_name", "build_config"),
        *("batch_shape", "batch_input_shape", "input_dtype"),  # of the model's input, which says it itself
        "dtype",  # a policy: here it is float32, the nearer to what half precision stands for
        *("momentum", "synchronized", "fused", "renorm_momentum"),  # of batches in training
        *("dropout", "recurrent_dropout", "seed", "unit_forget_bias"),  # of training
        "shared_axes",  # PReLU's, which the shape of its slopes says
        *("implementation", "unroll", "use_cudnn"),  # how steps are computed, not what
        *("zero_output_for_mask", "supports_masking"),  # of masks, which no layer taken makes
    }
)
# What keys say that change nothing; a key that is None is as if it was not there.
DEFAULTS: Mapping[str, Any] = {
    "data_format": "channels_last",
    "depth_multiplier": 1,
    "dilation_rate": 1,
    "groups": 1,
    "keepdims": False,
    "renorm": False,
    "rms_scaling": False,
    "return_state": False,
    "stateful": False,
    "time_major": False,
}
REMEDY = "leave it at its default, or export the model to ONNX: model.export('net.onnx', format='onnx')"


class ReadConfig(Recorded):
    """A layer's configuration that remembers what was asked for, also of the configurations in it."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__({k: ReadConfig(v) if isinstance(v, dict) else v for k, v in values.items()})


def says_something(key: str, said: Any) -> bool:
    """Tell whether a key may change what a trained network gives."""
    return said is not None and key not in SETTLED and not key.endswith(TRAINING)


def refuse_unread(config: Mapping[str, Any]) -> None:
    """Refuse a layer of whose configuration a key was not read that may change what it computes.

    Raises:
        Refused: there is one.
    """
    found = [f"{key} = {said!r}" for key, said in _unread(config)] if isinstance(config, ReadConfig) else []
    if found:
        raise Refused(f"says {', '.join(found)}, which is not supported", REMEDY)


def _unread(config: ReadConfig) -> Iterator[tuple[str, Any]]:
    for key, said in config.items():
        if key in config.read:
            if (
                isinstance(said, ReadConfig) and said.read and key != "backward_layer"
            ):  # is compared with the other
                yield from ((f"{key}.{inner}", v) for inner, v in _unread(said))
        elif says_something(key, said) and (key not in DEFAULTS or _one(said) != DEFAULTS[key]):
            yield key, said


def _one(said: Any) -> Any:
    """Return one size for sizes that are alike."""
    alike = isinstance(said, list | tuple) and said and all(v == said[0] for v in said)
    return said[0] if alike else said
