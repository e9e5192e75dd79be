"""Queues of dataflow regions and tasks are as long as in hardware, however the source says how long that is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from aieloom.emulator.compiler import Unit, compile_unit, link
from aieloom.emulator.pl_dataflow import queues_source, stream_names, waiting_regions, write_queues
from aieloom.emulator.pl_text import scan
from aieloom.paths import package_folder

REFUSED = 97

PROCESSES = """\
#include "depths.h"

/// Every word goes both ways; the sum of one way comes before the words of the other.
void both(int n, hls::stream<int>& a, hls::stream<int>& b) {
  for (int i = 0; i < n; ++i) {
    a.write(i);
    b.write(i);
  }
}

void sum(int n, hls::stream<int>& a, hls::stream<int>& t) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    s += a.read();
  }
  t.write(s);
}

void join(int n, hls::stream<int>& b, hls::stream<int>& t, int* out) {
  const int s = t.read();
  for (int i = 0; i < n; ++i) {
    out[i] = s + b.read();
  }
}
"""
MAIN = """
int main(int, char** argv) {
  static int out[64];
  variants[std::atoi(argv[1])](64, out);
  for (int i = 0; i < 64; ++i) {
    if (out[i] != 2016 + i) {
      return 1;
    }
  }
  return 0;
}
"""
CALLS = "both(n, a, b);\n  sum(n, a, t);\n  join(n, b, t, out);\n"
PLAIN = "hls::stream<int> a, b, t;\n"
ENOUGH = 63  # words of b: the last one is on its way when the sum is known
# How a source says that b holds WORDS.
SAID = {
    "a number": PLAIN + "#pragma HLS stream variable=b depth=WORDS\n",
    "a macro": PLAIN + "#pragma HLS STREAM depth=MACRO_WORDS variable=b\n",
    "a constant of a header": PLAIN + "#pragma HLS stream variable=b depth=kWords // comment\n",
    "an expression": PLAIN
    + "#pragma HLS stream variable = b type=fifo depth = 2 * (WORDS / 2) + WORDS % 2\n",
    "a template's argument": "hls::stream<int, WORDS> b;\n  hls::stream<int> a, t;\n",
    "a name for the type": 'typedef hls::stream<int> Q;\n  Q a, b("b");\n  Q t;\n#pragma HLS stream variable=b depth=WORDS\n',
    "behind its pragma": "#pragma HLS stream variable=b depth=WORDS\n" + PLAIN,
    "an array": "hls::stream<int> q[3];\n#pragma HLS stream variable=q depth=WORDS\n  auto &a = q[0], &b = q[1], &t = q[2];\n",
    "an operator": PLAIN + '  _Pragma("HLS stream variable=b depth=WORDS")\n',
    "nothing": PLAIN,
}
FORMS = {
    "function": "void top(int n, int* out) {\n#pragma HLS dataflow\n  QUEUES  CALLS}\n",
    "loop": "void top(int n, int* out) {\n  for (int again = 0; again < 2; ++again) {\n#pragma HLS DATAFLOW\n  QUEUES  CALLS  }\n}\n",
    "template": "template <int>\nvoid region(int n, int* out) {\n#pragma HLS dataflow\n  QUEUES  CALLS}\nvoid top(int n, int* out) { region<64>(n, out); }\n",
}
VARIANTS = [(form, said, words) for form in FORMS for said in SAID for words in (ENOUGH, ENOUGH - 1)]


def built(folder: Path, text: str, words: int, *, dataflow: bool = True) -> Path:
    """Build a program."""
    header = f"constexpr int kWords{ENOUGH} = {ENOUGH}, kWords{ENOUGH - 1} = {ENOUGH - 1}, kLong = {words};"
    (folder / "depths.h").write_text(f"#pragma once\n#include <cstdlib>\n#include <hls_stream.h>\n{header}\n")
    source = folder / "top.cpp"
    source.write_text(text)
    own = package_folder()
    includes = (own / "include", own / "src", folder)
    made = write_queues(source, includes, folder / "made", dataflow=dataflow)
    objects = []
    for file in (made, own / "src" / "units" / "csim.cpp"):
        unit = Unit(source=file, includes=includes, defines=("__HLS_CSIM__",), options=("-O1",))
        compile_unit(unit, folder / f"{file.stem}.o")
        objects.append(folder / f"{file.stem}.o")
    link(objects, folder / "program")
    return folder / "program"


def run(program: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=60, check=False)


def ran(
    folder: Path, text: str, words: int = 0, *, dataflow: bool = True
) -> subprocess.CompletedProcess[str]:
    """Build and run a program."""
    return run(built(folder, text, words, dataflow=dataflow), "0")


@pytest.fixture(scope="module")
def variants(tmp_path_factory: pytest.TempPathFactory) -> Path:
    text = PROCESSES
    for number, (form, said, words) in enumerate(VARIANTS):
        queues = SAID[said].replace("MACRO_WORDS", f"LONG_{number}").replace("kWords", f"kWords{words}")
        top = FORMS[form].replace("QUEUES", queues.replace("WORDS", str(words))).replace("CALLS", CALLS)
        text += f"#define LONG_{number} {words}\nnamespace n{number} {{\n{top}}}\n"
    names = ", ".join(f"n{i}::top" for i in range(len(VARIANTS)))
    text += f"void (*variants[])(int, int*) = {{{names}}};\n{MAIN}"
    return built(tmp_path_factory.mktemp("variants"), text, 0)


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("form", FORMS)
def test_a_queue_is_as_long_as_its_source_says(variants: Path, said: str, form: str) -> None:
    long = run(variants, str(VARIANTS.index((form, said, ENOUGH))))
    assert long.returncode == (0 if said != "nothing" else REFUSED), long.stderr
    short = run(variants, str(VARIANTS.index((form, said, ENOUGH - 1))))
    assert short.returncode == REFUSED
    assert "[deadlock]" in short.stderr
    assert f"is full ({ENOUGH - 1 if said != 'nothing' else 2} words)" in short.stderr
    assert "#pragma HLS stream variable=... depth=..." in short.stderr


def test_c_simulation_has_queues_of_any_length(tmp_path: Path) -> None:
    top = FORMS["function"].replace("QUEUES", PLAIN).replace("CALLS", CALLS)
    text = f"{PROCESSES}{top}void (*variants[])(int, int*) = {{top}};\n{MAIN}"
    assert ran(tmp_path, text, dataflow=False).returncode == 0


TASKS = """\
#include <hls_task.h>
#include "depths.h"

void both(hls::stream<int>& in, hls::stream<int>& a, hls::stream<int>& b) {
  for (int i = 0; i < 8; ++i) {
    const int word = in.read();
    a.write(word);
    b.write(word);
  }
}
void sum(hls::stream<int>& a, hls::stream<int>& t) {
  int s = 0;
  for (int i = 0; i < 8; ++i) {
    s += a.read();
  }
  t.write(s);
}
void join(hls::stream<int>& b, hls::stream<int>& t, hls::stream<int>& out) {
  const int s = t.read();
  for (int i = 0; i < 8; ++i) {
    out.write(s + b.read());
  }
}
void top(hls::stream<int>& in, hls::stream<int>& out) {
  hls_thread_local hls::stream<int> a, t;
  hls_thread_local hls::stream<int> b("b");
#pragma HLS stream variable=b depth=kLong
  hls_thread_local hls::task t0(both, in, a, b);
  hls_thread_local hls::task t1(sum, a, t);
  hls_thread_local hls::task t2(join, b, t, out);
}
int main() {
  hls::stream<int> in, out;
  for (int i = 0; i < 80; ++i) {
    in.write(1);
  }
  top(in, out);
  int s = 0;
  for (int i = 0; i < 80; ++i) {
    s += out.read();
  }
  return s != 80 * 9;
}
"""


@pytest.mark.parametrize(("words", "code"), [(7, 0), (6, REFUSED)])
def test_queues_between_tasks_are_as_long_in_c_simulation_too(words: int, code: int, tmp_path: Path) -> None:
    done = ran(tmp_path, TASKS, words, dataflow=False)
    assert done.returncode == code, done.stderr
    assert code == 0 or "stream 'b' is full (6 words)" in done.stderr


BESIDE = """\
#include <hls_task.h>
#include "depths.h"

void copy(hls::stream<int>& in, hls::stream<int>& out) {
  for (int i = 0; i < 16; ++i) {
    out.write(in.read());
  }
}
void increment(hls::stream<int>& in, hls::stream<int>& out) { out.write(in.read() + 1); }
void top(hls::stream<int>& in, hls::stream<int>& out) {
#pragma HLS dataflow
  hls_thread_local hls::stream<int> a, b;
  hls_thread_local hls::task t(increment, a, b);
  copy(in, a);
  copy(b, out);
}
int main() {
  hls::stream<int> in, out;
  int sum = 0;
  for (int i = 0; i < 16; ++i) {
    in.write(i);
  }
  top(in, out);
  for (int i = 0; i < 16; ++i) {
    sum += out.read();
  }
  return sum != 120 + 16;
}
"""


@pytest.mark.parametrize("dataflow", [False, True])
def test_processes_beside_tasks_run_side_by_side(dataflow: bool, tmp_path: Path) -> None:
    done = ran(tmp_path, BESIDE, dataflow=dataflow)
    assert done.returncode == 0, done.stderr


def regions(text: str) -> int:
    return len(list(waiting_regions(scan(text), stream_names([text]))))


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("S a; f(m, a); g(a, m);", 0),  # a chain between memories
        ("S a; f(in, a); g(a, m);", 0),
        ("S a; f(in, a); g(a, out);", 1),  # around it there may be another way
        ("S a, b; f(m, a, b); g(a, b, m);", 1),  # two ways
        ("S a, b, c; f(m, a, b); g(a, c); h(b, c, m);", 1),
        ("S a, b; f(m, a); g(a, b); h(b, m);", 0),
        ("int a[4]; int b[4]; f(m, a, b); g(a, b, m);", 0),  # arrays are filled before they are taken
        ("S a[3]; for (int i = 0; i < 2; ++i) {\n#pragma HLS unroll\n f(a[i], a[i + 1]); }", 1),
    ],
)
def test_regions_run_side_by_side_where_two_ways_meet(body: str, count: int) -> None:
    text = (
        f"using S = hls::stream<int>;\nvoid top(S& in, S& out, int* m) {{\n#pragma HLS dataflow\n{body}\n}}\n"
    )
    assert regions(text) == count
    assert queues_source(text, stream_names([text]), dataflow=True).count("\n") == text.count("\n")


def test_processes_wait_for_data_and_scalars_of_others_and_not_for_streams(tmp_path: Path) -> None:
    text = """\
#include "depths.h"
void first(int n, int (&table)[4], int& most, hls::stream<int>& a, hls::stream<int>& b) {
  for (int i = 0; i < n; ++i) {
    a.write(i);
    b.write(i);
    table[i % 4] = i;
    most = i;
  }
}
void second(int n, hls::stream<int>& a, hls::stream<int>& b, int& sum) {
  for (int i = 0; i < n; ++i) {
    sum += a.read() - b.read();
  }
}
void third(const int (&table)[4], int most, int* out) { out[0] = table[0] + most; }
int top(int n, int* out) {
#pragma HLS dataflow
  hls::stream<int> a;
  hls::stream<int> b;
  int table[4];
  int most = 0, sum = 0;
  if (n < 0) {
    return 7;
  }
  first(n, table, most, a, b);
  second(n, a, b, sum);
  third(table, most, out);
  return sum;
}
int main() {
  int out = 0;
  return top(-1, &out) == 7 && top(64, &out) == 0 && out == 60 + 63 ? 0 : 1;
}
"""
    assert ran(tmp_path, text).returncode == 0


def test_unrolled_calls_are_processes_of_their_own(tmp_path: Path) -> None:
    text = """\
#include "depths.h"
void pass(hls::stream<int>& in, hls::stream<int>& out) {
  int s = 0;
  for (int i = 0; i < 64; ++i) {
    s = in.read() + 1;
    out.write(s);
  }
}
void give(hls::stream<int>& out) {
  for (int i = 0; i < 64; ++i) {
    out.write(i);
  }
}
void take(hls::stream<int>& in, int* out) {
  for (int i = 0; i < 64; ++i) {
    out[i] = in.read();
  }
}
void top(int* out) {
#pragma HLS dataflow
  hls::stream<int> s[5];
  give(s[0]);
  for (int i = 0; i < 4; ++i) {
#pragma HLS unroll
    pass(s[i], s[i + 1]);
  }
  take(s[4], out);
}
int main() {
  int out[64];
  top(out);
  for (int i = 0; i < 64; ++i) {
    if (out[i] != i + 4) return 1;
  }
  return 0;
}
"""
    done = ran(tmp_path, text)
    assert done.returncode == 0, done.stderr
