"""What a search asks for again and again, computed once: the last results of a function."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
ResultT = TypeVar("ResultT")
MOST = 4096  # results of a function that are kept


def remembered(by: Callable[P, Hashable]) -> Callable[[Callable[P, ResultT]], Callable[P, ResultT]]:
    """Return what makes a function keep its last results, by what `by` says that they follow from.

    That may be objects' identities: arguments live as long as a result is kept of them. Where it has no hash, as what plug-ins
    say may have none, the function computes anew.
    """

    def keeping(function: Callable[P, ResultT]) -> Callable[P, ResultT]:
        kept = OrderedDict[Hashable, tuple[object, ResultT]]()

        @wraps(function)
        def call(*given: P.args, **named: P.kwargs) -> ResultT:
            key = by(*given, **named)
            try:
                found = kept.get(key)
            except TypeError:
                return function(*given, **named)
            if found is None:
                found = kept[key] = (given, named), function(*given, **named)
                if len(kept) > MOST:
                    kept.popitem(last=False)
            return found[1]

        return call

    return keeping
