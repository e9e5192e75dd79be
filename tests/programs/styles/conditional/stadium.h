// Members that a template argument takes away: a member that is not a port, kernel or graph is none to the compiler.
#include <cstdio>

#include "adf.h"
#include "runners.h"

using namespace adf;

template <typename MEMBER, bool PRESENT, typename NONE = int>
using only_if = typename std::conditional<PRESENT, MEMBER, NONE>::type;

enum class Place { alone, first, between, last };

template <Place PLACE>
struct Runner : public graph {
  static constexpr bool takes = PLACE == Place::between || PLACE == Place::last;
  static constexpr bool hands_over = PLACE == Place::first || PLACE == Place::between;
  kernel legs;
  only_if<input_port, takes> taken;
  only_if<output_port, hands_over> baton;
  only_if<output_port, !hands_over> finish;
  input_port start;

  Runner() {
    if constexpr (PLACE == Place::alone) legs = kernel::create(run_alone);
    if constexpr (PLACE == Place::first) legs = kernel::create(run_first);
    if constexpr (PLACE == Place::between) legs = kernel::create(run_between);
    if constexpr (PLACE == Place::last) legs = kernel::create(run_last);
    source(legs) = "runners.cpp";
    runtime<ratio>(legs) = 0.45;
    connect(start, legs.in[0]);
    if constexpr (takes) connect(taken, legs.in[1]);
    if constexpr (hands_over) {
      connect(legs.out[0], baton);
    } else {
      connect(legs.out[0], finish);
    }
  }
};

struct Relay : public graph {
  input_plio lane[4];
  output_plio tape[2];
  Runner<Place::alone> training;
  Runner<Place::first> one;
  Runner<Place::between> two;
  Runner<Place::last> three;

  Relay() {
    for (int i = 0; i < 4; i++) {
      const std::string name = "lane" + std::to_string(i);
      lane[i] = input_plio::create(name, plio_32_bits, "data/" + name + ".txt", 150, true);  // hexadecimal
    }
    for (int i = 0; i < 2; i++) {
      const std::string name = "tape" + std::to_string(i);
      tape[i] = output_plio::create(name, plio_64_bits, "data/" + name + ".txt", 187.5);
    }
    connect(one.baton, two.taken);
    connect(two.baton, three.taken);
    connect(lane[0].out[0], training.start);
    connect(lane[1].out[0], one.start);
    connect second(lane[2].out[0], two.start);
    connect third(lane[3].out[0], three.start);
    fifo_depth(second) = 24;
    fifo_depth(third) = 96;
    connect(training.finish, tape[0].in[0]);
    connect(three.finish, tape[1].in[0]);
  }
};

/// A shirt with a number. Both ends are declared as inputs: which way a graph's own port leads binds nobody.
template <int NUMBER>
struct Shirt : public graph {
  input_port on, off;
  Shirt() {
    tailor = kernel::create(wear<NUMBER>);
    source(tailor) = "runners.cpp";
    runtime<ratio>(tailor) = 0.35;
    connect(on, tailor.in[0]);
    connect(tailor.out[0], off);
  }

 private:
  kernel tailor;
};

/// A team of 2 or 3 in shirts of its own number; in the larger the middle one wears shirt 9 over it.
template <int TEAM>
struct Team : public graph {
  static constexpr int size(int team) { return team + 1; }
  static constexpr bool substitute = size(TEAM) > 2;
  typename std::conditional<TEAM == 1, std::array<Shirt<1>, 2>, std::array<Shirt<2>, 3>>::type members;
  only_if<Shirt<9>, substitute> bib;
  std::array<input_plio, size(TEAM)> bench;
  std::array<output_plio, size(TEAM)> field;

  Team() {
    for (int i = 0; i < size(TEAM); ++i) {
      char from[32], to[32];
      snprintf(from, sizeof from, "data/bench%d%d.txt", TEAM, i);
      snprintf(to, sizeof to, "data/field%d%d.txt", TEAM, i);
      bench[i] = input_plio::create(plio_32_bits, from);  // no name
      field[i] = output_plio::create(plio_32_bits, to);
      connect(bench[i].out[0], members[i].on);
      if constexpr (substitute) {
        if (i == 1) {
          connect(members[i].off, bib.on);
          connect(bib.off, field[i].in[0]);
          continue;
        }
      }
      connect(members[i].off, field[i].in[0]);
    }
  }
};

/// "data/judge0.txt", then "data/judge1.txt": each judge that is made notes in a file of his own.
std::string next_notebook() {
  static int made = 0;
  return "data/judge" + std::to_string(made++) + ".txt";
}

template <bool TALKS>
struct Judge : public graph {
  only_if<inout_port, TALKS, std::tuple<>> report;
  only_if<input_port, TALKS, std::tuple<>> factor;
  std::array<input_port, TALKS ? 1 : 0> spare;
  output_port noted;
  input_port seen;
  kernel head;
  Judge() {
    if constexpr (TALKS) {
      head = kernel::create(judge_by_factor);
      connect(head.inout[0], report);
      connect(factor, head.in[1]);
    } else {
      head = kernel::create(judge_silently);
    }
    source(head) = "runners.cpp";
    runtime<ratio>(head) = 0.55;
    connect(seen, head.in[0]);
    connect(head.out[0], noted);
  }
};

template <bool TALKS>
struct Stand : public graph {
  Judge<TALKS> judge;
  input_plio view = input_plio::create(adf::plio_32_bits, "data/view.txt");
  output_plio notebook = output_plio::create(adf::plio_32_bits, next_notebook().c_str());

  Stand() {
    connect(view.out[0], judge.seen);
    connect(judge.noted, notebook.in[0]);
  }
};
