// When each round of a line buffer may be sent, and what may come meanwhile: computed at compile time from the two
// orders.
//
//   comes   |  band 0  |  band 1  |  band 2  |    kBands, kBeats, beats_by(band), high(band), reached(band)
//   leaves  |round 0|round 1| ...                 kRounds, high(round), low(round)
//
// A round is sent when all bands up to its last row have come (`needs`); meanwhile beats come that replace no place of
// the ring that it or a later round reads (`room`). high() is the last row that is whole then, or that is read,
// reached() the last one of which something comes; low() and touched(row) are places of the ring: rows, or those that a
// writer with rows of its own gives them, kPlaces an image.
// Constants: no logic.
#pragma once

namespace aieloom {
namespace pl {

template <int kRounds>
struct Schedule {
  int needs[kRounds];  // beats of an image that must have come before each round
  int room[kRounds];   // and that may come meanwhile, where no later round reads what they replace
};

template <class T, class Input, class Order>
constexpr Schedule<Order::kRounds> schedule() {
  Schedule<Order::kRounds> found{};
  int low[Order::kRounds] = {};  // the lowest that a round or a later one reads
  for (int round = Order::kRounds - 1; round >= 0; --round) {
    const bool keeps = round < Order::kRounds - 1 && low[round + 1] < Order::low(round);
    low[round] = keeps ? low[round + 1] : Order::low(round);
  }
  int whole = 0;  // the band up to which a round's rows lie
  int image = 0;
  int band = 0;  // the first that replaces what is read yet: no earlier one than the round's before, as low only rises
  for (int round = 0; round < Order::kRounds; ++round) {
    whole = round > 0 && Order::high(round) < Order::high(round - 1) ? 0 : whole;
    while (whole < Input::kBands - 1 && Input::high(whole) < Order::high(round)) {
      ++whole;
    }
    const bool last = round == Order::kRounds - 1;
    found.needs[round] = last ? Input::kBeats : Input::beats_by(whole);
    while (Order::touched(Input::reached(band)) + image * Order::kPlaces < low[round] + T::kRows) {
      image += band == Input::kBands - 1 ? 1 : 0;
      band = band == Input::kBands - 1 ? 0 : band + 1;
    }
    found.room[round] = image * Input::kBeats + (band > 0 ? Input::beats_by(band - 1) : 0);
  }
  return found;
}

template <int kRounds>
constexpr int most_room(const Schedule<kRounds>& schedule) {
  int most = 0;
  for (int round = 0; round < kRounds; ++round) {
    most = schedule.room[round] > most ? schedule.room[round] : most;
  }
  return most;
}

/// Whether no round needs more beats than have room before it: else it waits for ever.
template <int kRounds>
constexpr bool fits(const Schedule<kRounds>& schedule) {
  for (int round = 0; round < kRounds; ++round) {
    if (schedule.room[round] < schedule.needs[round]) {
      return false;
    }
  }
  return true;
}

}  // namespace pl
}  // namespace aieloom
