// Where an array lies: block RAM, LUTs as memory, UltraRAM. A pragma takes no type: each has a function that has it.
//
// Wires only: a memory with a port that is written and one that is read.
#pragma once

namespace aieloom {
namespace pl {

struct Bram {};
struct Lutram {};
struct Uram {};

template <class Array>
void bind_storage(Array& array, Bram) {
#pragma HLS inline
#pragma HLS bind_storage variable=array type=ram_s2p impl=bram
  static_cast<void>(array);  // only the pragma names it
}
template <class Array>
void bind_storage(Array& array, Lutram) {
#pragma HLS inline
#pragma HLS bind_storage variable=array type=ram_s2p impl=lutram
  static_cast<void>(array);  // only the pragma names it
}
template <class Array>
void bind_storage(Array& array, Uram) {
#pragma HLS inline
#pragma HLS bind_storage variable=array type=ram_s2p impl=uram
  static_cast<void>(array);  // only the pragma names it
}

}  // namespace pl
}  // namespace aieloom
