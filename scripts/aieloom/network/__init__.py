"""The network: layers with shapes, tensor types and trained tensors; what a model of any format becomes."""
