"""Names of layers in generated sources: none is a file, a word of C++ or its libraries, or one that the templates use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from pydantic import TypeAdapter, ValidationError

from aieloom.spec.types import Name
from tests.designs import Design
from tests.emit.names import renamed
from tests.ops.heads import AMONG, JOINED, head
from tests.ops.kernels import CHOSEN, DIRECT, STREAMS, streaming
from tests.ops.networks import design_of_yaml, on_processor, random_graph_yaml, random_yaml

MARK = "q7z"  # in every name of the networks, and in no word of a template
# Standard headers of C and C++, POSIX headers that Vitis' and everybody's C libraries include, and the vendors' own.
HEADERS = """\
assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic stdbool stdckdint stddef stdint
stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype
algorithm any array atomic barrier bit bitset cassert ccomplex cctype cerrno cfenv cfloat charconv chrono cinttypes climits clocale cmath codecvt
compare concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctgmath ctime cuchar cwchar cwctype
deque exception execution expected filesystem format forward_list fstream functional future generator hazard_pointer initializer_list iomanip ios iosfwd
iostream istream iterator latch list map mdspan memory memory_resource mutex new numbers numeric optional ostream print queue random ranges ratio regex
scoped_allocator semaphore set shared_mutex source_location span spanstream sstream stack stacktrace stdexcept stop_token streambuf string_view
strstream syncstream system_error text_encoding thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector
version alloca byteswap dirent dlfcn endian fcntl features grp libgen malloc memory netdb poll pthread pwd sched search semaphore strings syslog
termios unistd utime wait aiebase adf aie_api ap_int ap_fixed ap_axi_sdata hls_stream hls_math hls_task hls_vector xrt_bo xrt_device xrt_graph xrt_kernel
""".split()  # noqa: SIM905 - a page else
_NAME: TypeAdapter[str] = TypeAdapter(Name)


def is_name(text: str) -> bool:
    try:
        _NAME.validate_python(text)
    except ValidationError:
        return False
    return True


def layers_of(text: str) -> list[str]:
    return re.findall(r"name: (\w+), op", text)


def texts() -> Iterator[str]:
    yield from (*CHOSEN, *STREAMS, DIRECT, head(5), *AMONG, JOINED)
    yield from (random_yaml(seed) for seed in range(3))
    yield from (random_graph_yaml(seed) for seed in range(3))
    yield from (streaming(seed) for seed in range(2))
    yield from (on_processor(random_graph_yaml(seed), seed) for seed in range(30, 33))


@cache
def marked() -> tuple[Design, ...]:
    """Return designs whose layers are called by names with the mark."""
    made = (
        design_of_yaml(renamed(t, {n: f"{MARK}{i}" for i, n in enumerate(layers_of(t))})) for t in texts()
    )
    return tuple(d for d in made if d)


def words_of(text: str) -> set[str]:
    """Return the words of a source, without comments."""
    return set(re.findall(r"[A-Za-z_]\w*", re.sub(r"//[^\n]*", "", text)))


def patterns(words: set[str]) -> set[tuple[str, str]]:
    """Return what stands before and behind layers' names in words."""
    found = (re.fullmatch(rf"(.*?){MARK}\d+(.*)", w, re.IGNORECASE) for w in words)
    return {(m[1], m[2]) for m in found if m and MARK not in m[2].lower()}


def test_no_layer_s_name_makes_a_word_of_the_templates() -> None:
    """A layer could be called so that one of its words is one of the file's own: then no such name may be legal."""
    assert len(marked()) > 12
    for design in marked():
        for file, text in design.files().items():
            words = words_of(text)
            own = {w for w in words if MARK not in w.lower()}
            for before, behind in patterns(words):
                if not (before or behind):
                    continue  # a name by itself stands only where an instance is named: the test below
                for word in own:
                    name = word[len(before) : len(word) - len(behind)]
                    taken = (
                        word.startswith(before) and word.endswith(behind) and before + name + behind == word
                    )
                    # member functions of ap_int, which no variable hides
                    assert not (taken and is_name(name)) or word == "to_uint", (file, word, name)


def test_no_layer_s_name_stands_by_itself() -> None:
    for design in marked():
        for file, text in design.files().items():
            if file.endswith((".cfg", ".ini")):
                continue
            code = re.sub(r'"(?:[^"\\]|\\.)*"', '""', re.sub(r"//[^\n]*", "", text))
            bare = {w for w in words_of(code) if re.fullmatch(rf"{MARK}\d+", w, re.IGNORECASE)}
            assert not bare, (file, bare)


def test_no_layer_s_name_makes_a_file_of_a_header_s_name() -> None:
    """What the compiler looks for in our folders first: `string.h` of a layer called string would be the C library's."""
    headers = [f"{name}.h" for name in HEADERS] + HEADERS
    for design in marked():
        for file in design.files():
            name = file.rsplit("/", 1)[-1]
            found = patterns({name})
            for before, behind in found:
                taken = [h for h in headers if h.startswith(before) and h.endswith(behind)]
                names = [h[len(before) : len(h) - len(behind)] for h in taken]
                assert not [n for n in names if is_name(n)], file
            assert found or name not in headers, file
