"""`aieloom serve`: one process owns the device, many clients use it through a socket."""
