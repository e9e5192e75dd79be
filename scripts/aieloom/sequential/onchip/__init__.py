"""Networks whose tensors never leave the chip: each row of chains owns a whole image, in UltraRAM beside its movers."""
