"""From a network of floats to one of integers: ranges, scales, rounding corrected, the loss layer by layer."""
