"""aieloom weaves a trained network into a Versal device: see docs/architecture.md for the one diagram."""

__version__ = "0.1.0"
