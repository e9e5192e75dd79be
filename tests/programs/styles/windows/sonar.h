// One channel of a sonar: turn, hold, grade and limit its echoes, every window measured in bytes.
#include <adf.h>
#include "stages.h"
#include "stages/grade.h"
#include "stages/ping.h"

using namespace adf;

constexpr int NARROW = PING * sizeof(cint16);
constexpr int WIDE = PING * sizeof(cint32);

class Channel : public adf::graph {
 private:
  kernel turn, hold, grade, limit;

 public:
  input_port echo;
  output_port shown;
  Channel() {
    turn = kernel::create(quarter_turns);
    source(turn) = "stages/turn.cc";
    hold = kernel::create(hold_extremes);
    source(hold) = "stages/hold.cc";
    initialization_function(hold) = "set_floor";
    grade = kernel::create_object<Grade>(std::vector<int>({-150, -20, 0, 60, 175}), PING);
    source(grade) = "stages/grade.cc";
    headers(grade) = {"stages/grade.h"};
    limit = kernel::create(limiter<cint32, 9>);
    source(limit) = "stages/limit.cc";

    connect<window<NARROW> > arriving(echo, turn.in[0]);
    // the same window at both ends, but its reader keeps REACH samples of the ping before
    connect<window<NARROW>, window<NARROW, REACH * sizeof(cint16)> > turned(turn.out[0], hold.in[0]);
    connect<window<WIDE> > held(hold.out[0], grade.in[0]);
    connect<window<WIDE> > graded(grade.out[0], limit.in[0]);
    connect<window<WIDE> > leaving(limit.out[0], shown);

    runtime<ratio>(turn) = 0.15;
    runtime<ratio>(hold) = 0.25;
    runtime<ratio>(grade) = 0.3;
    runtime<ratio>(limit) = 0.15;

    location<kernel>(grade) = tile(17, 3);
    location<stack>(grade) = location<kernel>(grade);
    location<parameter>(grade.param[0]) = address(17, 3, 0x2400);
    location<buffer>(grade.in[0]) = location<kernel>(grade);
    location<buffer>(grade.out[0]) = {bank(17, 3, 1), bank(17, 3, 2)};
  }
};
