@@ sha256: fde51b76729a446bb0a9d0aa7c0996ccadd2b884e08a7251b9682457909d24d1
// session.h: the design from C++ programs on the board.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
@@ same: 349
