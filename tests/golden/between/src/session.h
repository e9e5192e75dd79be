@@ sha256: e869fc574ce1151f7079b5113706048ba3ee7834784310f0009d919b610b9ca3
// session.h: the design from C++ programs on the board.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 349 in session.h.j2
