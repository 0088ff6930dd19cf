#include "models/memory_controller/field_order.h"

#include <random>
#include <set>
#include <tuple>

#include "models/common/faults.h"
#include "models/memory_controller/dram_address_decoder.h"
#include "models/memory_controller/line_bursts.h"
#include "models/noc/routing/destination.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

std::string faults_of(const std::string& text, const TimingSet& timing) {
  std::string all;
  for (const Fault& fault : FieldOrder::check(text, Bytes(128), timing)) all += fault.message + "\n";
  return all;
}

bool says(const std::string& faults, const std::string& part) {
  return faults.find(part) != std::string::npos;
}

/// Two groups of two banks, rows of 2 KiB, 32 B a command.
TimingSet small() {
  TimingSet timing;
  timing.bank_groups = timing.banks_per_group = 2;
  timing.row_bytes = Bytes(2048);
  timing.bytes_per_CAS = 32;
  return timing;
}

}  // namespace

TEST_CASE("each bit of an address goes to the field of its letter") {
  const std::string text = "R B CCC G CCC SSSSS";
  CHECK(faults_of(text, small()).empty());
  const FieldOrder order(text);
  // R = 3, B = 1, C = 101, G = 1, C = 100, S = 0: the column is 101 100 00000, byte 1408 of the row.
  const Address address = 0b11'1'101'1'100'00000;
  CHECK(order.row(address) == 3);
  CHECK(order.bank(address) == 1);
  CHECK(order.group(address) == 1);
  CHECK(order.column(address) == 1408);
  CHECK(order.row(address | Address{1} << 40) == 3 + (Address{1} << 27));  // all bits above
}

TEST_CASE("a text can say what the interleavings say") {
  std::mt19937_64 random(5);
  const struct {
    Interleave interleave;
    const char* text;
  } rows[] = {{Interleave::row_bank_column_group, "RBB.CCCCCCC.GG.SSSSSSS"},
              {Interleave::row_bank_group_column, "RBB.GG.CCCCCCC.SSSSSSS"},
              {Interleave::row_column_bank_group, "R.CCCCCCC.BB.GG.SSSSSSS"}};
  for (const auto& row : rows)
    for (const bool bank_xor : {false, true}) {
      MemoryControllerParams named, spelt;  // 4 groups of 4 banks, rows of 16 KiB
      named.interleave = row.interleave;
      spelt.field_order = row.text;
      named.bank_xor = spelt.bank_xor = bank_xor;
      REQUIRE(spelt.validate().empty());
      const DramAddressDecoder one(named), other(spelt);
      for (int i = 0; i < 1000; ++i) {
        const std::uint64_t index = random() >> 32;
        const DramLocation a = one.decode(index), b = other.decode(index);
        REQUIRE(a.bank == b.bank);
        REQUIRE(a.row == b.row);
        REQUIRE(a.column == b.column);
      }
    }
}

TEST_CASE("a text that the channel does not have is named") {
  const TimingSet timing = small();
  CHECK(says(faults_of("RBXCCCGCCCSSSSS", timing),
             "'X' is no field; allowed: R (row), G (bank group), B (bank)"));
  CHECK(says(faults_of("RCCCGCCCSSSSS", timing),
             "has 0 B; allowed: 1 B, for the 2 banks of a group of timing set"));
  CHECK(says(faults_of("RBCCGCCCSSSSS", timing),
             "has 10 C and S; allowed: 11 C and S, for the 2048 bytes of a row"));
  CHECK(
      says(faults_of("BRCCCGCCCSSSSS", timing), "begins with B; allowed: R first, which has all bits above"));
  CHECK(says(faults_of("RBCCCCCGCSSSSS", timing),
             "divides lines of 128 B; allowed: C and S only in its last 7 letters"));
  CHECK(says(faults_of("RBCCCGCCSCSSSS", timing), "has C behind S; allowed: S last"));
  TimingSet odd = timing;
  odd.banks_per_group = 3;
  CHECK(says(faults_of("RBCCCGCCCSSSSS", odd),
             "needs powers of two, and timing set gddr5_isca19 has 3 banks of a group"));
}

namespace {

LineBursts bursts(int bytes_per_CAS, std::uint64_t line = 128) {
  TimingSet timing;
  timing.bytes_per_CAS = bytes_per_CAS;
  return LineBursts(Bytes(line), timing);
}

}  // namespace

TEST_CASE("a request takes the column commands in which its sectors lie") {
  // 64 B a command: sectors 0 and 1, sectors 2 and 3.
  const LineBursts two = bursts(64);
  CHECK(two.count(0xf) == 2);
  CHECK(two.count(0x3) == 1);
  CHECK(two.count(0x6) == 2);
  CHECK(two.count(0x8) == 1);
  CHECK(two.column(0x8, 0) == 1);
  CHECK(two.column(0x6, 1) == 1);
  // 32 B: one each.
  const LineBursts four = bursts(32);
  CHECK(four.count(0xf) == 4);
  CHECK(four.count(0x9) == 2);
  CHECK(four.column(0x9, 0) == 0);
  CHECK(four.column(0x9, 1) == 3);
  // 16 B: two a sector.
  const LineBursts eight = bursts(16);
  CHECK(eight.count(0x5) == 4);
  CHECK(eight.column(0x5, 2) == 4);
  CHECK(eight.column(0x5, 3) == 5);
  // A line in one command.
  CHECK(bursts(128).count(0x1) == 1);
  CHECK(bursts(128).count(0xf) == 1);
}

TEST_CASE("a request that is smaller than a line lies somewhere in it") {
  Access access;
  access.line = 3 * 128 + 64;
  access.sectors = 0x1;
  const LineBursts four = bursts(32);
  CHECK(four.sectors_in(access) == 0x4);
  CHECK(four.column(four.sectors_in(access), 0) == 2);
}

// Several memory controllers behind one channel of the address map: each line has one place.

// 4 channels of 8 controllers, partitions of 2 lines. 2^14 neighbouring lines are 2^13 partitions: 2^11 a
// channel, 2^8 a controller, so each controller holds the indices 0 to 511, each once.
TEST_CASE("lines spread over the controllers of a channel, dense and each once") {
  for (const auto kind : {AddressMapParams::Kind::bits, AddressMapParams::Kind::pae}) {
    AddressMapParams params;
    params.kind = kind;
    params.channels = 4;
    params.slices_per_channel = 16;
    const auto map = make_address_map(params);
    std::set<std::tuple<int, std::uint64_t, std::uint64_t>> places;
    for (Address line = 0; line < (Address{1} << 14) * 128; line += 128) {
      Access access;
      access.line = line;
      const std::uint64_t controller = destination_of(DestinationKind::partition, *map, access) % 8;
      const std::uint64_t index = index_in_controller(*map, line, 8);
      CHECK(index < 512);
      places.insert({map->locate(line).channel, controller, index});
      // Two slices of a channel share a controller: slice and controller follow from the same partition.
      CHECK(static_cast<std::uint64_t>(map->locate(line).slice) % 8 == controller);
    }
    CHECK(places.size() == std::size_t{1} << 14);
  }
}

TEST_CASE("one controller a channel keeps the index of the address map") {
  const auto map = make_address_map(AddressMapParams{});
  for (Address line = 0; line < 100000; line += 128)
    CHECK(index_in_controller(*map, line, 1) == map->local_line(line));
}
