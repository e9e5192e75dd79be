"""Other people's projects: which of a folder's files are graph, PL kernels, configuration and host."""
