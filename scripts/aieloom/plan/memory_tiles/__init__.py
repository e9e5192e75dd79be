"""Buffers in memory tiles: where they lie, their buffer descriptors, their rules."""
