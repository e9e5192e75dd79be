// Known faults: at the end of a line stand the rules that the lint must name there; rules on loops stand at their pragma. Not a kernel.
#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>
#include <hls_task.h>

namespace {
using Word = ap_axiu<32, 0, 0, 0>;
int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }  // ast-construct
struct Shape {
  virtual int area() { return 1; }  // ast-construct
};
struct Pair {
  int a, b;
};
union Both {  // ast-union
  Pair pair;
  int number[2];
};

void producer(hls::stream<int>& in, hls::stream<int>& out) { out.write(in.read()); }
void consumer(hls::stream<int>& in, hls::stream<int>& out) { out.write(in.read() + 1); }
void of_array(hls::stream<int>& in, hls::stream<int> (&out)[2]) { out[0].write(in.read()); }

void picks(hls::stream<int> (&in)[4], int n, hls::stream<int>& out) {
  for (int i = 0; i < n; ++i) {
#pragma HLS pipeline II=1
    out.write(in[n - i].read());  // ast-stream-array
  }
}

void varies(hls::stream<int>& in, int n, hls::stream<int>& out) {
  for (int i = 0; i < 64; ++i) {
#pragma HLS pipeline II=1  // ir-left
    int sum = 0;
    for (int j = 0; j < n; ++j) {  // ast-loop
      sum += in.read();
    }
    out.write(sum);
  }
}

void endless(hls::stream<int>& in, hls::stream<int>& out) {
  int x = 1;
  for (;;) {
#pragma HLS pipeline II=1  // ir-divider, ir-depth
    const int v = in.read();
    out.write(v / 7 % x);
    x = v % 100 + 1;
  }
}

void recurs(hls::stream<float>& in, hls::stream<float>& out) {
  float sum = 0.0F;
  for (int i = 0; i < 64; ++i) {
#pragma HLS pipeline II=1  // ir-recurrence
    sum = (sum + in.read()) * 0.5F;
  }
  out.write(sum);
}

void leaves_late(hls::stream<int>& in, int by, hls::stream<int>& out) {
  int v = 0;
  do {
#pragma HLS pipeline II=1  // ir-exit
    v = in.read() / by;
    out.write(v);
  } while (v > 3);
}

void ports(hls::stream<int>& in, hls::stream<int>& out) {
  int memory[256];
  for (int i = 0; i < 256; ++i) {
#pragma HLS pipeline II=1
    memory[i] = in.read();
  }
  for (int i = 0; i < 64; ++i) {
#pragma HLS pipeline II=1  // ir-ports
    out.write(memory[i] + memory[i + 64] + memory[i + 128] + memory[255 - i]);
  }
}

void histogram(hls::stream<ap_uint<8>>& in, hls::stream<int>& out) {
  int count[256];
  for (int i = 0; i < 256; ++i) {
#pragma HLS pipeline II=1
    count[i] = 0;
  }
  for (int i = 0; i < 1024; ++i) {
#pragma HLS pipeline II=1  // ir-memory
    const int at = in.read();
    count[at] = count[at] + 1;
  }
  out.write(count[3]);
}

void drains(const int* from, int rows, int words, hls::stream<int>& out) {
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < words; ++i) {
#pragma HLS pipeline II=1  // ir-nest
      out.write(from[r * words + i] % 11);
    }
  }
}

void region(hls::stream<int>& in, hls::stream<int>& out) {
#pragma HLS dataflow
  hls::stream<int> a;
  for (int i = 0; i < 3; ++i) {  // ast-dataflow
    producer(in, a);
  }
  consumer(a, out);
}

void frames(hls::stream<int>& in, hls::stream<int>& out, int count) {
  const int most = count;  // ast-dataflow
  for (int frame = 0; frame < most; ++frame) {
#pragma HLS dataflow
    hls::stream<int> a;
    producer(in, a);
    consumer(a, out);
  }
}

template <int kSize>
void passes(hls::stream<int>& in, int (&kept)[kSize], hls::stream<int>& out) {
  kept[0] = in.read();
  out.write(kept[0] + kSize);
}

template <int kSize>
void twice(hls::stream<int>& in, hls::stream<int>& out) {  // ast-channel, ast-dataflow
#pragma HLS dataflow
  hls::stream<int> a;
  int kept[kSize];
  passes<kSize>(in, kept, a);
  passes<kSize>(in, kept, out);
}
}  // namespace

extern "C" void bad(hls::stream<Word>& in, hls::stream<Word>& out, int size) {  // ast-interface, ast-channel
#pragma HLS interface axis port=in
#pragma HLS interface axis port=out
#pragma HLS interface ap_ctrl_none port=return
#pragma HLS dataflow
#pragma HLS arry_partition variable=in complete  // ast-pragma
  int kept[16];  // ast-free
  if constexpr (sizeof(int) == 4) {  // ast-cxx17, ast-dataflow
    kept[0] = 1;
  }
  hls::stream<Word, 4> queue;  // ast-side-channel
  Word word;  // ast-side-channel
  word.data = in.read().data + kept[0];
  word.last = 1;
  out.write(word);
  hls::stream<int> s[2][2];  // ast-stream-array
  hls::stream<int> a, b, c;
  hls_thread_local hls::task t0(producer, a, b);
  hls_thread_local hls::task t1(producer, c, b);
  hls_thread_local hls::task t2(consumer, b, s[0][0]);
  hls_thread_local hls::task t3(endless, s[0][0], s[0][1]);
  hls_thread_local hls::task t4(of_array, s[0][1], s[1]);  // ast-task-array
}

void all(hls::stream<int> (&many)[4], const int* m, hls::stream<int>& i, hls::stream<int>& o, hls::stream<float>& f,
         hls::stream<float>& g, hls::stream<ap_uint<8>>& e) {
  picks(many, 3 + m[0], o);
  varies(i, m[1], o);
  recurs(f, g);
  leaves_late(i, m[5], o);
  ports(i, o);
  histogram(e, o);
  drains(m, m[2], m[3], o);
  region(i, o);
  twice<4>(i, o);
  Both both;
  both.number[m[4] & 1] = factorial(m[3]);
  o.write(both.pair.a + Shape().area());
}
