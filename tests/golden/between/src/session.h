@@ sha256: e8730538f2c7333a88612e5aaa6c3adc0296c04e64f63d490b0b29c0b3f804ca
// session.h: the design from C++ programs on the board.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 409 in session.h.j2
