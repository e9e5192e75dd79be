"""What a timed run takes from a board's file: the figures of memory and processor that the plan's model uses too."""

from __future__ import annotations

from aieloom.spec.architecture import Architecture
from aieloom.spec.board import Board
from aieloom.spec.device import load_device


def board_facts(architecture: Architecture) -> str:
    """Return $AIELOOM_BOARD for the architecture's usual board: include/aieloom/logic.h names its words."""
    return facts_of(load_device(architecture.facts.board))


def facts_of(board: Board) -> str:
    """Return $AIELOOM_BOARD of a board."""
    memory, processor = board.memory, board.processor
    facts = {
        "read_mb_s": memory.read_mb_s,
        "write_mb_s": memory.write_mb_s,
        "bank_mb_s": memory.bank_mb_s,
        "kernel_start_us": processor.kernel_start_us,
        "sync_us": processor.sync_us,
        "graph_start_us": processor.graph_start_us,
    }
    return ";".join(f"{name}={value:g}" for name, value in facts.items())
