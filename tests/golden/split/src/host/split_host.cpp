@@ sha256: cf8a991fe1e0a48be6c18003ff5a9a7f937d4af0cd5557ae0174167da6474347
// split_host.cpp: split on the processor.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
// Runs split on the board: loads the xclbin, sends images through, compares and times.
@@ same: 7 in small_host.cpp, host.cpp.j2
/// What the array computes from input to last.
@@ same: 2
  using Order = host::Raster;
@@ same: 3 in small_host.cpp
  static constexpr int kInValues = 35;  // of an input image: 1x5x7 float32
  static constexpr int kOutValues = 63;  // of an output image: 3x3x7 float32
  static constexpr int kInWords = 9;  // stream words of an image on each of mm2s's streams
  static constexpr int kOutWords = 16;  // stream words of an image on s2mm's stream
  static constexpr int kInBytes = 144;  // 9 words x 1 streams
  static constexpr int kOutBytes = 256;  // 16 words
@@ same: 4 in array.j2
  static constexpr const char* kGraph = "split_graph";
  static std::vector<const char*> frames() { return {"pl_start", "pl_wide_to_last", "pl_last_to_output"}; }
@@ same: 9 in host.cpp.j2, small_host.cpp
    net.program = "split_host";
    net.image = "1 x 5 x 7";
    net.result = "3 x 3 x 7";
    net.image_values = 35;
    net.result_values = 63;
    net.batch = 16384;  // of at most 4 MiB each way, so that starting one is little beside it
@@ same: 2
        {"input", {1, 5, 7}},
@@ same: 2
        {"output", {3, 3, 7}},
@@ same: 8 in host.cpp.j2
