// The design's graphs, which a host drives.
#include "graph.h"

Scaling g;
Counting c;
Turning t;
