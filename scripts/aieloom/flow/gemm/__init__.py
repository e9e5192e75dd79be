"""`aieloom gemm M K N`: a project of one product, C = A x B, over the array or on the matrix engine in the logic."""
