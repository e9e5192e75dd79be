"""Models as layers of network.yaml and their trained tensors: ONNX, PyTorch, TensorFlow Lite; how their files are named."""

ONNX, LITE, EXPORTED = ".onnx", ".tflite", ".pt2"
KERAS = (".keras", ".h5")
SUFFIXES = (ONNX, LITE, *KERAS, EXPORTED)
