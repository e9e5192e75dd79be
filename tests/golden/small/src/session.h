@@ sha256: a3bb530b92e0d9671d0dfccf9435bf7837c0f810fce9632bba392824c23a19b2
// session.h: the design from C++ programs on the board.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
@@ same: 349 in session.h.j2
