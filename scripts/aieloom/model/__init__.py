"""The network with shapes and trained tensors, and its references."""
