"""Streaming PL kernels: lines of an image in place of the image, from the readers over pools and borders to the writers."""
