@@ sha256: 2fd082a4119d681a3488104e88a160424a07434ecc181eea67ead44cac856f3b
// graph.cpp: the graph of pooled.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
@@ same: 2
PooledDesign pooled_graph;
@@ same: 4 in graph.cpp.j2, graph.cpp
  pooled_graph.init();
  pooled_graph.run(3);
  pooled_graph.end();
@@ same: 3 in graph.cpp.j2
