@@ sha256: da5661ccd883275d880efa8606840ed4a3875b46ce637f8ca5fc91f955692db9
// session.h: the design from C++ programs on the board.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
@@ same: 138 in session.h.j2
      Tensor part{output.shape, {}};
@@ same: 306 in session.h.j2
