"""One kernel of the programmable logic: inputs, stages, outputs; between them frame buffers, or line buffers."""
