// Rooms whose kernels have rates that are no whole multiples: how often each runs follows from the sizes alone.
#include "cadence.h"

/// Sets what every kernel of the studio needs, and the words that it takes and gives.
inline void staff(adf::kernel& one, unsigned takes, unsigned gives) {
  adf::source(one) = "cadence.cpp";
  adf::runtime<adf::ratio>(one) = 0.6;
  adf::dimensions(one.in[0]) = {takes};
  adf::dimensions(one.out[0]) = {gives};
}

template <bool TO_VIDEO_FIRST>
class Transfer : public adf::graph {
 public:
  adf::kernel longer, shorter;
  adf::port<input> reel;
  adf::port<output> back;

  Transfer() {
    longer = adf::kernel::create(subgraph);
    shorter = adf::kernel::create(squeeze);
    staff(longer, REEL, REEL * 5 / 4);
    staff(shorter, REEL, REEL * 4 / 5);
    if constexpr (TO_VIDEO_FIRST) {
      adf::connect taken(reel, longer.in[0]);
      adf::connect between(longer.out[0], shorter.in[0]);
      adf::connect given(shorter.out[0], back);
    } else {
      adf::connect taken(reel, shorter.in[0]);
      adf::connect between(shorter.out[0], longer.in[0]);
      adf::connect given(longer.out[0], back);
    }
  };
};

/// The same reel by both ways: one is behind the other by up to a whole period, which FIFOs must hold.
class Critics : public adf::graph {
  Transfer<true> optimist;
  Transfer<false> pessimist;
  adf::kernel judge;

 public:
  adf::port<input> reel;
  adf::port<output> verdict;

  Critics() {
    judge = adf::kernel::create(compare);
    staff(judge, REEL, REEL);
    adf::dimensions(judge.in[1]) = {REEL};
    adf::connect one(reel, optimist.reel);
    adf::connect other(reel, pessimist.reel);
    fifo_depth(one) = 12000;
    fifo_depth(other) = 12000;
    adf::connect(optimist.back, judge.in[0]);
    adf::connect(pessimist.back, judge.in[1]);
    adf::connect(judge.out[0], verdict);
    adf::location<adf::kernel>(judge) = adf::tile(14, 2);
    adf::location<adf::kernel>(optimist.longer) = adf::tile(11, 1);
    adf::location<adf::kernel>(optimist.shorter) = adf::tile(12, 1);
    adf::location<adf::kernel>(pessimist.longer) = adf::tile(11, 3);
    adf::location<adf::kernel>(pessimist.shorter) = adf::tile(12, 3);
  };
};

/// Streams say nothing of sizes: here the graph says how often each kernel runs, if more than once.
template <int LONGER = 1, int SHORTER = 1>
class Live : public adf::graph {
  adf::kernel longer, shorter;

 public:
  adf::port<input> camera;
  adf::port<output> screen;
  Live() {
    longer = adf::kernel::create(subgraph_words<REEL>);
    shorter = adf::kernel::create(squeeze_words<REEL>);
    for (adf::kernel* one : {&longer, &shorter}) {
      adf::source(*one) = "cadence.cpp";
      adf::runtime<adf::ratio>(*one) = 0.8;
    }
    if (LONGER > 1) repetition_count(longer) = LONGER;
    if (SHORTER > 1) repetition_count(shorter) = SHORTER;
    adf::connect(camera, longer.in[0]);
    adf::connect(longer.out[0], shorter.in[0]);
    adf::connect(shorter.out[0], screen);
  };
};

/// One lab sends the same parts of three pictures to two shops, which cut them into parts of two and of five.
class Lab : public adf::graph {
  adf::kernel lab, shop[2];

 public:
  adf::port<input> negative;
  adf::port<output> print[2];
  Lab() {
    lab = adf::kernel::create(label);
    staff(lab, 3 * PICTURE, 3 * PICTURE);
    adf::connect(negative, lab.in[0]);
    for (unsigned i = 0; i < 2; i++) {
      shop[i] = adf::kernel::create(label);
      staff(shop[i], (2 + 3 * i) * PICTURE, (2 + 3 * i) * PICTURE);
      adf::connect(lab.out[0], shop[i].in[0]);
      adf::connect(shop[i].out[0], print[i]);
    }
  };
};

template <bool OPEN>
class Studio : public adf::graph {
 public:
  std::array<adf::input_plio, 4> from;
  std::array<adf::output_plio, 5> to;
  typename std::conditional<OPEN, Transfer<true>, int>::type transfer;
  typename std::conditional<!OPEN, Transfer<false>, int>::type closed;
  Critics critics;
  Live<4, 5> live;
  Lab lab;

  Studio() {
    const std::string name[] = {"film", "reel", "camera", "negative", "copy", "verdict", "screen", "pairs", "fives"};
    for (int i = 0; i < 4; i++)
      from[i] = adf::input_plio::create(name[i], adf::plio_64_bits, "data/" + name[i] + ".txt", 312.5);
    for (int i = 0; i < 5; i++)
      to[i] = adf::output_plio::create(name[4 + i], adf::plio_64_bits, "data/" + name[4 + i] + ".txt", 312.5);
    adf::connect(from[0].out[0], transfer.reel);
    adf::connect(transfer.back, to[0].in[0]);
    adf::connect(from[1].out[0], critics.reel);
    adf::connect(critics.verdict, to[1].in[0]);
    adf::connect(from[2].out[0], live.camera);
    adf::connect(live.screen, to[2].in[0]);
    adf::connect(from[3].out[0], lab.negative);
    for (int i = 0; i < 2; i++) adf::connect<>(lab.print[i], to[3 + i].in[0]);
  };
};
