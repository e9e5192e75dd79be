"""What a plan computes, in its own order: float32, float64 with bounds, integers; and PyTorch beside it."""
