@@ sha256: 21136e5f0429e5ca914ffa4b3fc0e9dfe4847373c85b573f71d5f1b658eb924b
// session.h: the design from C++ programs on the board.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 138 in session.h.j2
      Tensor part{output.shape, {}};
@@ same: 306 in session.h.j2
