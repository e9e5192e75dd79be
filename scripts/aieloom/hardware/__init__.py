"""Facts of the architectures: what aie::mmul multiplies, which registers a core has."""
