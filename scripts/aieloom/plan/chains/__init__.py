"""Chains of layers on the AIE-ML array: core to core through memory tiles."""
