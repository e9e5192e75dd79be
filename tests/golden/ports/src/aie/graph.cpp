@@ sha256: c911df32405dd72246354f4294d574aa6842bfa6451086b0ece511ad58b61692
// graph.cpp: the graph of ports.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
@@ same: 2
PortsDesign ports_graph;
@@ same: 4 in graph.cpp.j2, graph.cpp
  ports_graph.init();
  ports_graph.run(3);
  ports_graph.end();
@@ same: 3 in graph.cpp.j2
