@@ sha256: 2db43051b3c8ac170f8ff3654bb614c8cfdeaf908797bcf30431b6849c4a135f
// graph.h: the graph of between.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 9 in graph.h.j2, graph.h
/// between: 2 kernels, 2 tiles in use.
class BetweenDesign : public adf::graph {
 public:
  adf::input_plio first_in[1];
  adf::output_plio first_out[1];
  adf::input_plio second_in[1];
  adf::output_plio second_out[1];

  BetweenDesign() {
    for (unsigned i = 0; i < 1; ++i) {
@@ same: 27 in graph.h, graph.h.j2
  static constexpr int kFirst_inColumns[1] = {
      6,
  };
  static constexpr int kFirst_outColumns[1] = {
@@ same: 2
  static constexpr int kSecond_inColumns[1] = {
@@ same: 2
  static constexpr int kSecond_outColumns[1] = {
@@ same: 6 in graph.h
