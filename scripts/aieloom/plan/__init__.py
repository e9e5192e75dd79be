"""Every decision about a design: tiling, placement, memory, streams, clocks; checked and costed."""
