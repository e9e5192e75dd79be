@@ sha256: d58e7998c298d12641130a6718f4769e0274dd1940641f0ac1b46649d200420c
// session.h: the design from C++ programs on the board.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
@@ same: 139 in session.h
      Tensor part{output.shape, {}};
@@ same: 328 in session.h
