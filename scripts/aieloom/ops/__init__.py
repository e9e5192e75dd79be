"""Operators: one folder each. Importing this package registers all that ship with aieloom."""

from aieloom.ops import conv2d, pixel_shuffle, tanh
from aieloom.ops.registry import REGISTRY, Operator, Registry, operator

__all__ = ["REGISTRY", "Operator", "Registry", "conv2d", "operator", "pixel_shuffle", "tanh"]
