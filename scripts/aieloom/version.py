"""The version of aieloom: in generated files, archives of a project, and `aieloom --version`."""

__version__ = "0.1.0"
