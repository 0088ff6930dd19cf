#include "traces/cuda/fat_binary.h"

#include <cstring>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "traces/cuda/lz4_block.h"

using namespace strata;
using namespace strata::cuda;

namespace {

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(i < 8 ? static_cast<char>(value >> (8 * i)) : '\0');
}

/// An entry of plain text: kind 1 is PTX, 2 machine code.
std::string entry(unsigned kind, unsigned architecture, std::string text) {
  text.resize((text.size() / 8 + 1) * 8);
  std::string out;
  put(out, kind, 2);
  put(out, 0x101, 2);
  put(out, 64, 4);
  put(out, text.size(), 8);
  put(out, 0, 12);
  put(out, architecture, 4);
  put(out, 0, 32);
  return out + text;
}

std::string whole(const std::string& entries) {
  std::string out;
  put(out, 0xba55ed50, 4);
  put(out, 1, 2);
  put(out, 16, 2);
  put(out, entries.size(), 8);
  return out + entries;
}

std::string unpacked(const std::string& block, std::size_t bytes) {
  std::string out(bytes, '\0');
  return lz4_decompress(reinterpret_cast<const std::uint8_t*>(block.data()), block.size(), out) ? out
                                                                                                : "damaged";
}

}  // namespace

TEST_CASE("Of several PTX texts a device takes the newest that it understands") {
  const std::string all = whole(entry(2, 80, "machine code") + entry(1, 70, "seven") + entry(1, 80, "eight") +
                                entry(1, 90, "nine"));
  const auto entries = read_fat_binary(all.data(), all.size());
  REQUIRE(entries.size() == 4);
  CHECK_FALSE(entries[0].ptx);
  CHECK(entries[3].architecture == 90);
  CHECK(choose_ptx(entries, 90) == "nine");
  CHECK(choose_ptx(entries, 89) == "eight");
  CHECK(choose_ptx(entries, 75) == "seven");
  CHECK(choose_ptx(entries, 60) == "seven");  // none fits: the oldest
  CHECK(choose_ptx({entries[0]}, 80).empty());
}

TEST_CASE("A fat binary that is cut, or says that it is longer, is refused") {
  std::string all = whole(entry(1, 80, "text"));
  for (std::size_t bytes = 0; bytes < all.size(); ++bytes)
    CHECK_THROWS_AS(read_fat_binary(all.data(), bytes), TraceError);
  all[16 + 8] = '\x7f';  // the payload of its entry
  CHECK_THROWS_AS(read_fat_binary(all.data(), all.size()), TraceError);
}

// The format's own rules: a token's high half counts literals, its low half the match less 4; a distance of
// two bytes.
TEST_CASE("LZ4 blocks: literals, matches that reach into themselves, long lengths") {
  CHECK(unpacked(std::string("\x50hello", 6), 5) == "hello");
  CHECK(unpacked(std::string("\x32"
                             "abc\x03\x00\x50hello",
                             12),
                 14) == "abcabcabchello");
  // 16 literals: 15 in the token and 1 more; a match of 4 + 15 + 2 = 21 at distance 1.
  std::string block("\xff\x01", 2);
  block += "0123456789abcdex";
  block += std::string("\x01\x00\x02\x00", 4);
  CHECK(unpacked(block, 37) == "0123456789abcde" + std::string(22, 'x'));
}

TEST_CASE("Damaged LZ4 blocks are found") {
  CHECK(unpacked(std::string("\x50hell", 5), 5) == "damaged");   // too few literals
  CHECK(unpacked(std::string("\x50hello", 6), 4) == "damaged");  // more than there is room for
  CHECK(unpacked(std::string("\x50hello", 6), 6) == "damaged");  // less
  CHECK(unpacked(std::string("\x10"
                             "a\x02\x00\x10z",
                             6),
                 6) == "damaged");  // a match before the beginning
  CHECK(unpacked(std::string("\x10"
                             "a\x00\x00\x10z",
                             6),
                 6) == "damaged");  // a distance of 0
  CHECK(unpacked(std::string("\x1f"
                             "a\x01\x00\xff\xff",
                             6),
                 4096) == "damaged");  // a length without end
}
