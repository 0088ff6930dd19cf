#include "models/sm_cluster/packed_cta.h"

#include <algorithm>
#include <random>

#include "tb/support/catch.h"

using namespace strata;

namespace {

bool same(const WarpInstruction& x, const WarpInstruction& y) {
  return x.address == y.address && x.stride == y.stride && x.active_mask == y.active_mask && x.pc == y.pc &&
         x.op == y.op && x.address_kind == y.address_kind && x.width == y.width &&
         x.first_use == y.first_use && x.non_coherent == y.non_coherent && x.bypass_l1 == y.bypass_l1 &&
         x.destination == y.destination && x.destination_count == y.destination_count &&
         x.sources == y.sources && x.weight == y.weight;
}

/// Reads `packed` in pieces of `step` and compares everything with `cta`.
void require_same(const CtaTrace& cta, const PackedCta& packed, const InstructionForms& forms,
                  std::uint32_t step) {
  std::vector<WarpInstruction> read(step);
  CtaTrace pool;
  for (std::size_t w = 0; w < cta.warps(); ++w) {
    PackedCta::Reader reader = packed.warp(w);
    for (std::uint32_t i = cta.warp_begin[w]; i < cta.warp_begin[w + 1];) {
      const std::uint32_t count = std::min(step, cta.warp_begin[w + 1] - i);
      PackedCta::read(reader, forms, read.data(), count);
      for (std::uint32_t k = 0; k < count; ++k, ++i) {
        INFO("instruction " << i);
        WarpInstruction expected = cta.instructions[i];
        if (expected.address_kind == AddressKind::list) {
          const auto first = cta.addresses.begin() + static_cast<std::ptrdiff_t>(expected.address);
          packed.unpack_list(read[k], pool);
          REQUIRE(pool.addresses == std::vector<Address>(first, first + expected.active_lanes()));
          expected.address = 0;
        }
        REQUIRE(same(expected, read[k]));
      }
    }
  }
}

WarpInstruction random_instruction(std::mt19937_64& random, CtaTrace& cta) {
  WarpInstruction i;
  i.pc = static_cast<std::uint32_t>(random() % 50 * 16);
  i.op = static_cast<OpClass>(random() % static_cast<unsigned>(OpClass::count_));
  i.active_mask = random() % 3 == 0 ? static_cast<std::uint32_t>(random()) : 0xffffffff;
  if (random() % 50 == 0) i.active_mask = 0;
  i.address_kind = static_cast<AddressKind>(random() % 3);
  i.width = static_cast<std::uint8_t>(1U << random() % 5);
  i.first_use = static_cast<std::uint8_t>(random() % 4);
  i.non_coherent = random() % 2 == 0;
  i.bypass_l1 = random() % 2 == 0;
  i.destination = static_cast<std::uint8_t>(random());
  i.destination_count = static_cast<std::uint8_t>(random() % 3);
  i.weight = static_cast<std::uint8_t>(random() % 3);
  for (std::uint8_t& source : i.sources) source = static_cast<std::uint8_t>(random() % 2);
  if (i.address_kind == AddressKind::stride) {
    i.address = random() % 2 == 0 ? random() : 0x7f0000000000 + random() % 4096;
    i.stride = random() % 2 == 0 ? 4 : static_cast<std::int32_t>(random());
  } else if (i.address_kind == AddressKind::list) {
    i.address = cta.addresses.size();
    // Two rows, anything near, or anything at all.
    const std::uint64_t kind = random() % 3, first = random(), row = random() % 100000;
    for (int lane = 0; lane < i.active_lanes(); ++lane)
      cta.addresses.push_back(kind == 0   ? first + static_cast<unsigned>(lane) * 4U + (lane < 16 ? 0 : row)
                              : kind == 1 ? first + random() % (1U << 28)
                                          : random());
  }
  return i;
}

}  // namespace

TEST_CASE("Random instructions survive packing") {
  const unsigned seed = 20261122;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  InstructionForms forms;
  PackedCta packed;  // used again and again
  for (std::uint32_t step : {1U, 7U, 16U, 300U}) {
    CtaTrace cta;
    cta.warp_begin.push_back(0);
    for (int w = 0; w < 4; ++w) {
      for (std::uint64_t n = w == 1 ? 0 : random() % 1000; n > 0; --n)
        cta.instructions.push_back(random_instruction(random, cta));
      cta.warp_begin.push_back(static_cast<std::uint32_t>(cta.instructions.size()));
    }
    packed.pack(cta, forms);
    require_same(cta, packed, forms, step);
  }
  CHECK(forms.size() > 100);
}

TEST_CASE("A packed instruction takes as many words as it is unusual") {
  CtaTrace cta;
  WarpInstruction i;
  i.active_mask = 0xffffffff;
  const auto add = [&] { cta.instructions.push_back(i); };
  add();  // arithmetic: 1 word
  i.op = OpClass::load;
  i.address_kind = AddressKind::stride;
  i.stride = 4;
  i.address = 0x7f0000000000;
  add();  // far from address 0: 3 words
  i.address += 128;
  add();  // near the one before: 2 words
  i.active_mask = 0xff;
  i.stride = 8;
  add();  // and a mask and a stride, at distance 0: 4 words
  i.active_mask = 0xffffffff;
  i.stride = 0;
  i.address_kind = AddressKind::list;
  i.address = 0;
  // Index 0 of the lists: 1 word; 2 words for the first address, 3 for runs of 15 x 4, 1 x 1000 and 15 x 4
  // bytes.
  add();
  for (unsigned lane = 0; lane < 32; ++lane)
    cta.addresses.push_back(0x7f0000000000 + lane * 4 + (lane < 16 ? 0 : 996));
  cta.warp_begin = {0, static_cast<std::uint32_t>(cta.instructions.size())};
  InstructionForms forms;
  PackedCta packed;
  packed.pack(cta, forms);
  CHECK(packed.size() == 1 + 3 + 2 + 4 + 1 + 2 + 3);
  require_same(cta, packed, forms, 16);
}
