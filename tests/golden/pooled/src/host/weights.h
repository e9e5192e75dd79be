@@ sha256: e664a2eaac00f728e9ee798d576e871bf35011fba77db08f3b6771ba6da83d18
// weights.h: weights that the cores are sent.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
@@ same: 4 in functions.h, array_load.h
/// one: 32 words for each of 1 streams.
inline constexpr std::uint64_t one_table[32] = {
    0xbdc03e503f00bf48, 0x3f0cbf3cbee0be10, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000,
@@ same: 6 in the table
};
