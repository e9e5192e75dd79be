"""The cost model: loops to cycles, edges, PL kernels, pipelines, energy."""
