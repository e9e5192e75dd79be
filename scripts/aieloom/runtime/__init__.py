"""Running models on a device and the processor together: `aieloom.Session`."""
