#include "traces/cuda/fat_binary.h"

#include <cstring>

#include "models/common/faults.h"
#include "tb/support/catch.h"

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

/// Of a block of LZ4.
std::string unpacked(const std::string& block, std::size_t bytes) {
  FatEntry entry;
  entry.ptx = true;
  entry.packing = FatEntry::Packing::lz4;
  entry.data = reinterpret_cast<const std::uint8_t*>(block.data());
  entry.bytes = block.size();
  entry.text_bytes = bytes;
  return ptx_text(entry);
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

// A token's high half counts literals, its low half the match less 4; a distance of two bytes.
TEST_CASE("Blocks of LZ4 are unpacked, and refused when they are damaged") {
  const std::string block(
      "\x32"
      "abc\x03\x00\xc0hello, world",
      19);
  CHECK(unpacked(block, 21) == "abcabcabchello, world");
  const std::string damaged = "its LZ4 data are damaged";
  CHECK_THROWS_WITH(unpacked(block, 20), tb::has_text(damaged));  // more than there is room for
  CHECK_THROWS_WITH(unpacked(block, 22), tb::has_text(damaged));  // less
  CHECK_THROWS_WITH(unpacked(block.substr(0, 18), 21), tb::has_text(damaged));
}
