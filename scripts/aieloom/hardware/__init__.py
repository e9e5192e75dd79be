"""Facts of the architectures that several stages ask for: what aie::mmul multiplies, which registers a core has."""
