// attention.h: heads of attention side by side, on the processor.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "exponential.h"

namespace aieloom::host {

/// kHeads of kWidth features, kRows queries, kKeys keys; sums in order. A key whose mask is 0 has no share.
template <class T>
void attention(const float* q, const float* k, const float* v, const float* mask, float* y) {
  const auto is_hidden = [mask](int key) { return mask != nullptr && mask[key] == 0.0F; };
  std::vector<float> shares(T::kKeys);
  for (int head = 0; head < T::kHeads; ++head) {
    const float* const queries = q + (T::kFirstQ + head * T::kWidth) * T::kRows;
    const float* const keys = k + (T::kFirstK + head * T::kWidth) * T::kKeys;
    const float* const values = v + (T::kFirstV + head * T::kWidth) * T::kKeys;
    float* const results = y + head * T::kWidth * T::kRows;
    for (int row = 0; row < T::kRows; ++row) {
      std::fill(shares.begin(), shares.end(), 0.0F);
      for (int feature = 0; feature < T::kWidth; ++feature) {
        const float query = queries[feature * T::kRows + row];
        for (int key = 0; key < T::kKeys; ++key) shares[key] += keys[feature * T::kKeys + key] * T::kFactor * query;
      }
      for (int key = 0; key < T::kKeys; ++key) shares[key] = is_hidden(key) ? -INFINITY : shares[key];
      float best = shares[0];
      for (const float score : shares) best = score > best ? score : best;
      float sum = 0.0F;
      for (int key = 0; key < T::kKeys; ++key) {
        shares[key] = is_hidden(key) ? 0.0F : exponential(shares[key] - best);
        sum += shares[key];
      }
      for (float& share : shares) share = share / (mask != nullptr && sum == 0.0F ? 1.0F : sum);
      for (int feature = 0; feature < T::kWidth; ++feature) {
        float total = 0.0F;
        for (int key = 0; key < T::kKeys; ++key) total += values[feature * T::kKeys + key] * shares[key];
        results[feature * T::kRows + row] = total;
      }
    }
  }
}

template <class T>
void attention(const float* q, const float* k, const float* v, float* y) {
  attention<T>(q, k, v, nullptr, y);
}

}  // namespace aieloom::host
