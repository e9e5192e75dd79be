"""A whole network as one circuit in the logic: every layer has multipliers of its own, its weights are constants in it."""
