"""array_gemm: a product of any size over the whole array, C = A x B, both matrices streamed.

It cuts no layer of a spatial plan: `aieloom gemm` and the engine on the array of sequential execution ask its planner by name.
"""
