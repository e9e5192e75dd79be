"""Models as layers of network.yaml and their trained tensors: ONNX, PyTorch, TensorFlow Lite."""
