// graph.cpp: the graph of ports.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
#include "graph.h"

PortsDesign ports_graph;

#if defined(__AIESIM__) || defined(__X86SIM__)
// The array alone, on 3 images: reads and writes the text files in data/.
int main() {
  ports_graph.init();
  ports_graph.run(3);
  ports_graph.end();
  return 0;
}
#endif
