"""From a float network to one of integers: ranges, scales, integer weights, and the exact arithmetic of both.

`arithmetic` depends on no operator, so that operators use it; `network` walks over operators.
"""
