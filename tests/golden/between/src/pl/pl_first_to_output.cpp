@@ sha256: 9f7f8cfdb008e66e34134a6075d28f46f4c4c2514ce6d03eec808b8d3a650b4a
// pl_first_to_output.cpp: no layer on programmable logic, 4x4x4 float32 to 4x4x4 float32.
@@ same: 71 in pl_act.cpp, row_sequencer.cpp.j2, circuit.cpp.j2, vector_unit.cpp.j2, elements.j2, frames.j2, pl_shuffle.cpp, pl_last_to_output.cpp, frame_source.j2
          word = in.read();
@@ same: 8 in pl_act.cpp, frame_source.j2
void untile(hls::stream<float>& results, float map_out[4][kInSize]) {
@@ same: 12 in frame_source.j2, pl_act.cpp
                  for (int lane = 0; lane < 4; ++lane) {
@@ same: 17 in pl_act.cpp, frame_source.j2
    float value = values.read();
@@ same: 6 in frames.j2, pl_act.cpp
/// What s2mm reads.
@@ same: 41 in pl_act.cpp, pl_shuffle.cpp, frames.j2, vector_unit.cpp.j2, frame_sink.j2, frame_writers.j2
}  // namespace to0
@@ same: 3 in vector_unit.cpp.j2
/// Takes `frames` images through: each is a run of the region, which begins while those before it are in its later processes.
extern "C" void pl_first_to_output(
    int frames, hls::stream<ap_axiu<64, 0, 0, 0>> &in, hls::stream<ap_axiu<128, 0, 0, 0>> &out) {
@@ same: 12 in pl_act.cpp, kernel.cpp.j2, processes.j2, pl_shuffle.cpp
    float map_out[4][64];  // one image for s2mm; a copy for each value of an output word
@@ same: 10 in pl_act.cpp
