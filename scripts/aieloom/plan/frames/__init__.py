"""Images larger than the design's input: cut into tiles with halos, put together exactly."""
