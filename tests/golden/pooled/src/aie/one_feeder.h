@@ sha256: c6084f4c9e962394ab98856c329b157a19c577f8998544d53a80fbc21750c46c
// one_feeder.h: one, 2x8x9 bfloat16 to 8x8x9 bfloat16 by chained.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
@@ same: 5 in feeder.h.j2
class OneFeeder {
@@ same: 3 in feeder.h.j2
  static void registerKernelClass() { REGISTER_FUNCTION(OneFeeder::run); }
@@ same: 4 in feeder.h.j2
