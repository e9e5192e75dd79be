"""The JSON Schema of network.yaml: what `aieloom schema` prints, so that editors complete and check the file.

The schema says what pydantic's models say. What relates two places of a file (a mapping's layer, a tile that
fits) is not in it: `aieloom plan` checks that.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from aieloom.spec.device import device_names
from aieloom.spec.network import LayerCatalog, NetworkFile

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]  # of JSON Schema: pydantic's own type for it
OF_THE_MODEL = ("input", "layers")  # an ONNX model says these itself


def network_schema(catalog: LayerCatalog) -> Schema:
    """Return the JSON Schema of network.yaml with every operator of `catalog`."""
    schema = NetworkFile.model_json_schema()
    definitions: Schema = schema.setdefault("$defs", {})
    layers, mappings = [], []
    for op, operator in catalog.items():
        layers.append(_define(definitions, operator.layer_model))
        mappings.append(_define(definitions, operator.mapping_model))
        _discriminate(definitions[operator.layer_model.__name__], op)
    properties = schema["properties"]
    properties["target"]["anyOf"] = [{"enum": list(device_names())}, {"pattern": r"\.ya?ml$"}]
    properties["layers"]["items"] = {"oneOf": layers}
    properties["mapping"]["additionalProperties"] = {"anyOf": mappings}
    schema["required"] = [key for key in schema["required"] if key not in OF_THE_MODEL]
    schema["if"] = {"properties": {"weights": {"pattern": r"\.(onnx|tflite|keras|h5|pt2)$"}}}
    schema["else"] = {"required": list(OF_THE_MODEL)}
    return {"$schema": DIALECT, **schema}


def _define(definitions: Schema, model: type[BaseModel]) -> Schema:
    """Add a model and all it refers to; return the reference to it."""
    own = model.model_json_schema(ref_template="#/$defs/{model}")
    definitions.update(own.pop("$defs", {}))
    definitions[model.__name__] = own
    return {"$ref": f"#/$defs/{model.__name__}"}


def _discriminate(layer: Schema, op: str) -> None:
    """Give the layer's `op` its one value with the operator's meaning: what an editor shows beside it."""
    layer["properties"]["op"] = {"const": op, "description": layer.get("description", op)}
