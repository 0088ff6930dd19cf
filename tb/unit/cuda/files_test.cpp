#include <cstring>
#include <thread>
#include <unistd.h>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "traces/cuda/app_options.h"
#include "traces/cuda/channel.h"
#include "traces/cuda/fat_binary.h"

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

/// A block of LZ4.
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

TEST_CASE("A device passes unchanged through the environment") {
  AppOptions options;
  options.device.name = "A test device";
  options.device.memory = 12345678901;
  options.device.sms = 7;
  options.kernels = "a=b|c";
  options.first_launch = 3;
  options.ptx.hoist_loads = false;
  options.ptx.memcheck = strata::traces::PtxOptions::Memcheck::report;
  options.ptx.max_bytes = 99;
  const AppOptions back = AppOptions::from_text(options.to_text());
  CHECK(back.device.name == "A test device");
  CHECK(back.device.memory == 12345678901);
  CHECK(back.device.sms == 7);
  CHECK(back.kernels == "a=b|c");
  CHECK(back.first_launch == 3);
  CHECK(back.last_launch == UINT64_MAX);
  CHECK_FALSE(back.ptx.hoist_loads);
  CHECK(back.ptx.memcheck == strata::traces::PtxOptions::Memcheck::report);
  CHECK(back.ptx.max_bytes == 99);
  CHECK_FALSE(back.ptx.max_instructions);
}

// An SM of the default device: 2048 threads, 32 blocks, 65536 registers, 164 KiB of shared memory.
TEST_CASE("Blocks that an SM holds are bounded by what runs out first") {
  const DeviceDescription device;
  CHECK(device.resident_blocks(1024, 32, 0) == 2);    // threads
  CHECK(device.resident_blocks(32, 16, 0) == 32);     // blocks
  CHECK(device.resident_blocks(256, 64, 0) == 4);     // registers: 8 warps of 2048 are 16384
  CHECK(device.resident_blocks(256, 33, 0) == 6);     // 33 * 32 = 1056, 1280 in steps of 256: 10240 a block
  CHECK(device.resident_blocks(64, 16, 40960) == 4);  // 40 KiB and the system's 1 KiB: 41 of 164
  CHECK(device.resident_blocks(64, 16, 163 * 1024) == 1);
  CHECK(device.resident_blocks(64, 16, 164 * 1024) == 0);  // more than a block may have
  CHECK(device.resident_blocks(2048, 16, 0) == 0);
}

TEST_CASE("Attributes by number are those of the device, then those of all") {
  DeviceDescription device;
  device.capability = 90;
  device.sms = 132;
  int value = -1;
  REQUIRE(device.attribute(16, value));
  CHECK(value == 132);
  REQUIRE(device.attribute(75, value));
  CHECK(value == 9);
  REQUIRE(device.attribute(10, value));
  CHECK(value == 32);  // threads of a warp
  CHECK_FALSE(device.attribute(0, value));
  CHECK_FALSE(device.attribute(9999, value));
}

// What an application says arrives as it was said and in its order, thread blocks of any size among the rest.

using traces::record::Columns;
using traces::record::EncodedCtas;
using traces::record::StaticPart;

namespace {

/// One thread block of so many instructions, each of whose flags says its place.
Columns columns_of(std::size_t instructions) {
  Columns columns;
  for (std::size_t n = 0; n < instructions; ++n) columns.flags.push_back(static_cast<char>(n));
  columns.warps = "one";
  columns.differences[7] = std::string(instructions, 'd');
  return columns;
}
void say(ChannelWriter& to, std::uint64_t index, std::size_t instructions) {
  CtasMessage said;
  said.first = index;
  said.count = 1;
  said.instructions = instructions;
  Columns columns = columns_of(instructions);
  to.send_ctas(said, std::vector<StaticPart>(index % 3), columns);
}

}  // namespace

TEST_CASE("channel: thread blocks wait for each other, and nothing overtakes them") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  // Small ones, one larger than what is read at once, none at all.
  const std::vector<std::size_t> sizes = {3, 1, 20000, 2, 0, 5};
  std::thread writer([&] {
    ChannelWriter to(ends[1]);
    to.send(MessageKind::hello);
    for (std::size_t n = 0; n < sizes.size(); ++n) say(to, n, sizes[n]);
    to.send(MessageKind::note, "between");
    for (std::size_t n = 0; n < 4000; ++n) say(to, n, 10);
    to.send(MessageKind::bye, "the end");
    say(to, 0, 1);  // waits for what never comes
    ::close(ends[1]);
  });
  ChannelReader from(ends[0]);
  const auto next = [&] { return from.next(10000); };
  bool right = next() && from.what() == MessageKind::hello;
  std::vector<StaticPart> entries;
  EncodedCtas ctas;
  const auto take = [&](std::size_t index, std::size_t size) {
    if (!next() || from.what() != MessageKind::ctas) return false;
    from.ctas(entries, ctas);
    const Columns wanted = columns_of(size);
    return ctas.first == index && ctas.count == 1 && ctas.instructions == size &&
           entries.size() == index % 3 && ctas.columns.flags == wanted.flags &&
           ctas.columns.warps == wanted.warps && ctas.columns.differences == wanted.differences &&
           ctas.columns.masks.empty();
  };
  for (std::size_t n = 0; n < sizes.size(); ++n) right = right && take(n, sizes[n]);
  right = right && next() && from.what() == MessageKind::note && from.text() == "between";
  for (std::size_t n = 0; n < 4000; ++n) right = right && take(n, 10);
  right = right && next() && from.what() == MessageKind::bye && from.text() == "the end";
  writer.join();
  CHECK(right);
  CHECK_FALSE(next());
  CHECK(from.ended());
  ::close(ends[0]);
}

TEST_CASE("channel: columns that do not fit what is said of them are refused") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ChannelWriter to(ends[1]);
  CtasMessage said;
  said.count = 1;
  said.instructions = 4;  // of 3
  Columns columns = columns_of(3);
  to.send_ctas(said, {}, columns);
  to.send(MessageKind::bye);
  ::close(ends[1]);
  ChannelReader from(ends[0]);
  REQUIRE(from.next(10000));
  std::vector<StaticPart> entries;
  EncodedCtas ctas;
  CHECK_THROWS_AS(from.ctas(entries, ctas), TraceError);
  ::close(ends[0]);
}
