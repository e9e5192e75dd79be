"""A plan as processes on one event queue: what waits for what, and how long an image takes."""
