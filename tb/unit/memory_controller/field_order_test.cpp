#include "models/memory_controller/field_order.h"

#include <random>

#include "models/common/faults.h"
#include "models/memory_controller/dram_address_decoder.h"
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
