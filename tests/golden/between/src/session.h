@@ sha256: 51b34e14ee1314e8047cb1ab802b440d44006243b5a25048fb281ac9d8743223
// session.h: the design from C++ programs on the board.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 139 in session.h
      Tensor part{output.shape, {}};
@@ same: 328 in session.h
