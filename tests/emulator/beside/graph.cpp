#include "graph.h"

Poked g;
