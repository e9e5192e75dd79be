@@ sha256: b58c6faa08ca36afb7bb5e5bd283315a5c09416fd4f9a885604a2a6841a1fe35
// session.h: the design from C++ programs on the board.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 138 in session.h
      Tensor part{output.shape, {}};
@@ same: 326 in session.h
