"""The cost model: loops to cycles, edges, PL kernels, pipelines; and how well it meets what was measured."""
