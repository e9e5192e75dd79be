"""The network with shapes and trained tensors, and the readers of models."""
