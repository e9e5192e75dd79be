// Has layers of rows of chains that own images computed one after another, for one group of kRows images after another.
//
//   program in device memory, or registers --> send --> to, a stream for each unit
//                                     wait <----------- done, a stream for each row
//
// Units that bring weights are one product ahead: while one's last weights are sent they load the next one's. II: a number a cycle to all units. Cost: the
// registers of two layers.
#pragma once

#include "row_layer.h"

namespace aieloom {
namespace pl {
namespace row {

/// Units take layers in this order: kRows loads, those that bring weights, the one that tells all rows what they need beside weights, kRows that make
/// results, kRows that keep tensors. kGroupAt is where a layer says which group of images it is for.
template <class T>
constexpr int tables_of() {
  return T::kUnits - 2 * T::kRows - 1;
}

/// Whether a unit brings weights.
template <class T>
bool brings_weights(int unit) {
  return unit >= T::kRows && unit < tables_of<T>();
}

/// Whether a unit takes layers of an opcode: all take the end; products all, folds loads, tables and stores of tensors, copies the last alone.
template <class T>
bool takes(int unit, int opcode) {
  const bool loads = unit < T::kRows || unit == tables_of<T>();
  const bool keeps = unit >= T::kUnits - T::kRows;
  return opcode == kEnd || opcode == kProduct || opcode == kRest || keeps || (opcode == kFold && loads);
}

/// Sends a layer to the units that take it, those that bring weights or the others, a number a cycle.
template <class T>
void send(const int (&layer)[kNumbers], int opcode, int group, bool weights, hls::stream<Control> to[T::kUnits]) {
  for (int i = 0; i < kNumbers; ++i) {
#pragma HLS pipeline II=1
    const int number = i == T::kGroupAt ? group : i == 0 ? opcode : layer[i];
    for (int unit = 0; unit < T::kUnits; ++unit) {
#pragma HLS unroll
      if (brings_weights<T>(unit) == weights && takes<T>(unit, opcode)) {
        to[unit].write(control_of(number));
      }
    }
  }
}

inline bool is_known(int opcode) { return opcode >= kProduct && opcode <= kGive; }

/// Waits for the tokens of all rows for a layer.
template <class T>
void wait(hls::stream<Control> done[T::kRows]) {
  for (int row = 0; row < T::kRows; ++row) {
#pragma HLS unroll
    done[row].read();
  }
}

/// Sends a layer of one group of images to the units that take it, and waits for the rows' tokens; the end goes to all, and has none. Of the
/// next product's weights nothing is known yet. False where it is no layer.
template <class T>
bool issue(const int (&layer)[kNumbers], hls::stream<Control> to[T::kUnits], hls::stream<Control> done[T::kRows]) {
  const int opcode = layer[0];
  if (opcode != kEnd && !is_known(opcode)) {
    return false;
  }
  if (opcode == kProduct || opcode == kEnd) {
    send<T>(layer, opcode, 0, true, to);
  }
  send<T>(layer, opcode, layer[T::kGroupAt], false, to);
  if (opcode == kProduct) {
    send<T>(layer, kRest, 0, true, to);
  }
  if (opcode != kEnd) {
    wait<T>(done);
  }
  return true;
}

inline void read_layer(const int* program, int at, int (&layer)[kNumbers]) {
  for (int i = 0; i < kNumbers; ++i) {
#pragma HLS pipeline II=1
    layer[i] = program[at * kNumbers + i];
  }
}

/// Sends those that bring weights the first product from layer `at` of `group` on, and moves both behind it; kRest where there is none.
template <class T>
void send_weights(const int* program, int count, int groups, int& group, int& at, hls::stream<Control> to[T::kUnits]) {
  int layer[kNumbers] = {};
  bool found = false;
  while (!found && group < groups) {
    const int opcode = program[at * kNumbers];
    if (!is_known(opcode)) {
      group = groups;  // nothing behind it is computed
      break;
    }
    if (opcode == kProduct) {
      read_layer(program, at, layer);
      send<T>(layer, kProduct, group, true, to);
      found = true;
    }
    if (++at == count) {
      at = 0;
      ++group;
    }
  }
  if (!found) {
    send<T>(layer, kRest, 0, true, to);
  }
}

/// A program is `count` layers of kNumbers words, computed for `groups` groups of images. One that is none is refused: its number and why
/// stand in `status`, and nothing behind it is computed. `last` programs end the units.
template <class T>
void run(const int* program, int* status, int count, int groups, int last, hls::stream<Control> to[T::kUnits], hls::stream<Control> done[T::kRows]) {
#pragma HLS inline
  int result = count < 0 || count > T::kMostLayers ? kTooLong : kDone;
  int at = 0;
  int layer[kNumbers] = {};
  int ahead_group = result == kDone && count > 0 ? 0 : groups;
  int ahead_at = 0;
  if (ahead_group < groups) {
    send_weights<T>(program, count, groups, ahead_group, ahead_at, to);
  }
  bool under_way = false;
  for (int group = 0; result == kDone && group < groups; ++group) {
    for (at = 0; result == kDone && at < count; ++at) {
      read_layer(program, at, layer);
      if (!is_known(layer[0])) {
        result = kUnknown;
        break;
      }
      send<T>(layer, layer[0], group, false, to);
      if (layer[0] == kProduct) {
        send_weights<T>(program, count, groups, ahead_group, ahead_at, to);
      }
      if (under_way) {
        wait<T>(done);
      }
      under_way = true;
    }
  }
  if (under_way) {
    wait<T>(done);
  }
  if (last != 0) {
    send<T>(layer, kEnd, 0, false, to);
    send<T>(layer, kEnd, 0, true, to);
  }
  status[0] = result;
  status[1] = at;
}

}  // namespace row
}  // namespace pl
}  // namespace aieloom
