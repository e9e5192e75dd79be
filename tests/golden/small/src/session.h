@@ sha256: 03afa85ac79b2a2bd5672c6542fe7021828f17d43f5c6f69638aa85264eca093
// session.h: the design from C++ programs on the board.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
@@ same: 138 in session.h
      Tensor part{output.shape, {}};
@@ same: 326 in session.h
