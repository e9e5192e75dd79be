"""The cost model: loops to cycles, edges, PL kernels, pipelines; its calibration; the event simulation."""
