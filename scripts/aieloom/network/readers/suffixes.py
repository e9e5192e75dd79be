"""How the names of models end that say their layers."""

ONNX, LITE, EXPORTED = ".onnx", ".tflite", ".pt2"
KERAS = (".keras", ".h5")
SUFFIXES = (ONNX, LITE, *KERAS, EXPORTED)
