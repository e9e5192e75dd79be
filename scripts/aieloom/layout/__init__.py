"""Orders of elements: a nest of loops and each iteration's place in an array; as NumPy gathers, C++ loops and DMA steps."""
