// The fifth picture is the sum of the four before it; without it, each of the four is left as what it lacks of the sum.
#include "cadence.h"

alignas(32) int32 fade[PICTURE] = {0, 1, 2, 3, 4, 5, 6, 7};

void subgraph(reel_in& __restrict film, reel_out& __restrict video) {
  auto from = aie::begin_vector<PICTURE>(film);
  auto to = aie::begin_vector<PICTURE>(video);
  for (unsigned fours = 0; fours < film.size() / PICTURE / 4; fours++)
    chess_prepare_for_pipelining {
      aie::vector<int32, PICTURE> sum = aie::add(aie::load_v<PICTURE>(fade), (int32)fours);
      for (int n = 0; n < 4; n++) {
        const auto picture = *from++;
        sum = aie::add(sum, picture);
        *to++ = picture;
      }
      *to++ = sum;
    }
}

void squeeze(reel_in& __restrict video, reel_out& __restrict film) {
  auto from = aie::begin_vector<PICTURE>(video);
  auto to = aie::begin_vector<PICTURE>(film);
  aie::vector<int32, PICTURE> four[4];
  for (unsigned n = 0; n < film.size() / PICTURE; n += 4) {
    for (auto& picture : four) picture = *from++;
    const auto sum = *from++;
    for (auto& picture : four) *to++ = aie::sub(sum, picture);
  }
}

void compare(reel_in& __restrict one, reel_in& __restrict other, reel_out& __restrict difference) {
  auto a = aie::begin_vector<PICTURE>(one);
  auto b = aie::begin_vector<PICTURE>(other);
  auto to = aie::begin_vector<PICTURE>(difference);
  for (unsigned n = 0; n < one.size(); n += PICTURE) *to++ = aie::sub(*a++, *b++);
}

// Adds to every word the first word of its own part, so that it shows where parts begin.
void label(reel_in& __restrict part, reel_out& __restrict labelled) {
  auto from = aie::begin_vector<PICTURE>(part);
  auto to = aie::begin_vector<PICTURE>(labelled);
  const int32 first = part.data()[0];
  for (unsigned n = 0; n < labelled.size(); n += PICTURE) *to++ = aie::add(*from++, first);
}

template <int WORDS>
void subgraph_words(input_stream<int32>* __restrict film, output_stream<int32>* __restrict video) {
  for (int n = 0; n < WORDS; n += 4) {
    const aie::vector<int32, 4> four = readincr_v<4>(film);
    writeincr(video, four);
    writeincr(video, four[0] + four[1] + four[2] + four[3] + n);
  }
}

template <int WORDS>
void squeeze_words(input_stream<int32>* __restrict video, output_stream<int32>* __restrict film) {
  for (int n = 0; n < WORDS; n += 5) {
    aie::vector<int32, 4> four = readincr_v<4>(video);
    writeincr(film, aie::sub(readincr(video), four));
  }
}
