"""Natural loops of a function, by its text's blocks."""

from __future__ import annotations

from dataclasses import dataclass, field

from aieloom.emulator.timed.ir import Function


@dataclass(slots=True)
class Loop:
    """A loop: its first block, all its blocks in order, the loops in it, and the block that jumps back."""

    header: str
    latches: tuple[str, ...]
    blocks: tuple[str, ...]
    inner: list[Loop] = field(default_factory=list)
    node: str = ""  # metadata


def order(function: Function) -> list[str]:
    """Return the labels in reverse postorder."""
    first = next(iter(function.blocks))
    seen, found = {first}, list[str]()
    stack = [(first, iter(function.blocks[first].successors))]
    while stack:
        label, successors = stack[-1]
        for s in successors:
            if s not in seen:
                seen.add(s)
                stack.append((s, iter(function.blocks[s].successors)))
                break
        else:
            found.append(label)
            stack.pop()
    return found[::-1]


def dominators(function: Function, labels: list[str]) -> dict[str, str]:
    """Return each block's immediate dominator (Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm)."""
    place = {label: i for i, label in enumerate(labels)}
    found = {labels[0]: labels[0]}
    changed = True
    while changed:
        changed = False
        for label in labels[1:]:
            known = [p for p in function.blocks[label].predecessors if p in found]
            best = known[0]
            for p in known[1:]:
                a, b = best, p
                while a != b:
                    while place[a] > place[b]:
                        a = found[a]
                    while place[b] > place[a]:
                        b = found[b]
                best = a
            if found.get(label) != best:
                found[label], changed = best, True
    return found


def find_loops(function: Function) -> list[Loop]:
    """Return the outermost loops, each with those in it."""
    labels = order(function)
    above = dominators(function, labels)
    place = {label: i for i, label in enumerate(labels)}
    latches: dict[str, list[str]] = {}
    for label in labels:
        for s in function.blocks[label].successors:
            if _dominates(above, s, label):
                latches.setdefault(s, []).append(label)
    loops = []
    for header, ends in latches.items():
        blocks = _body(function, header, ends)
        node = next((function.blocks[e].loop for e in ends if function.blocks[e].loop), "")
        loops.append(Loop(header, tuple(ends), tuple(sorted(blocks, key=lambda b: place[b])), node=node))
    return _nested(loops)


def _dominates(above: dict[str, str], upper: str, label: str) -> bool:
    while label != upper and above[label] != label:
        label = above[label]
    return label == upper


def _body(function: Function, header: str, ends: list[str]) -> set[str]:
    found, todo = {header}, [e for e in ends if e != header]
    while todo:
        label = todo.pop()
        if label not in found:
            found.add(label)
            todo += function.blocks[label].predecessors
    return found


def _nested(loops: list[Loop]) -> list[Loop]:
    loops.sort(key=lambda loop: len(loop.blocks))
    outer: list[Loop] = []
    for i, loop in enumerate(loops):
        around = next((o for o in loops[i + 1 :] if loop.header in o.blocks), None)
        (around.inner if around else outer).append(loop)
    return outer
