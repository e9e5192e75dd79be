"""Strategies: one folder each, a way to put layers on the array: its cut, its cost, what its templates print."""

from pathlib import Path

from aieloom.plan.strategy import cut_of, declare

# A network names few, and each is many modules: what has its key here is imported when somebody asks for it.
KEYS = {
    "array_gemm": "",
    "chained": "chained",
    "im2col_gemm": "im2col_gemm",
    "lanes": "direct",
    "sliding": "direct",
}
for _folder in sorted(Path(__file__).parent.glob("*/__init__.py")):
    declare(f"{__name__}.{_folder.parent.name}", KEYS.get(_folder.parent.name))

__all__ = ["cut_of"]
