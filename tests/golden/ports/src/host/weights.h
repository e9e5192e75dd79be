@@ sha256: f541fc9715587a81e8dd5e9b395b3ad6bd203b0f8d9d734bb5f172cb714c6f29
// weights.h: weights that the cores are sent.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
@@ same: 4 in functions.h, array_load.h
/// one: 160 words for each of 2 streams.
inline constexpr std::uint64_t one_table[320] = {
    0x3f2c3e40be98bf48, 0xbe40bf2c3ed8bd80, 0x3e00beb83f3c3e80, 0xbf3c3eb8be00bf1c, 0x0000000000000000,
@@ same: 65 in the table
/// two: 208 words for each of 1 streams.
inline constexpr std::uint64_t two_table[208] = {
    0x3f283f343f40bf48, 0xbe70be40be10bdc0, 0x3ee83f003f0c3f18, 0xbee0bec8beb0be98, 0x3e803e983eb03ec8,
@@ same: 41 in the table
};
