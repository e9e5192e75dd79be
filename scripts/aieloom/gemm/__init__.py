"""Matrix products of any size over the whole array: C = A x B, both streamed (`aieloom gemm M K N`)."""
