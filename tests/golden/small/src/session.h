@@ sha256: ce8d25efaabe7cbc578ee24bd53c067f9b8f88c7c08c3d82ddf99dde495bfee1
// session.h: the design from C++ programs on the board.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
@@ same: 409 in session.h.j2
