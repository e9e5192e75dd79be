@@ sha256: 06b6d5dcebceb3932bc0c60b19605a2ac1b584901219eb83dc3aa0c511becddf
// session.h: the design from C++ programs on the board.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
@@ same: 349
