// What thread blocks executed in patterns is encoded as their instructions one by one are.
#include <random>
#include <vector>

#include "tb/support/catch.h"
#include "traces/record/column_encoder.h"

using namespace strata;
using namespace strata::traces;

namespace {

template <class T>
T one_of(std::mt19937_64& random, std::initializer_list<T> list) {
  return list.begin()[random() % list.size()];
}

constexpr std::uint32_t masks[] = {0xffffffff, 0xffffffff, 0xffff, 0xff00, 1, 0x80000001};

/// Runs, accesses with strides or lists, some of lanes of their own.
Pattern random_pattern(std::mt19937_64& random, std::uint32_t id) {
  Pattern pattern;
  pattern.id = id;
  const std::size_t count = 1 + random() % 6;
  for (std::size_t n = 0; n < count; ++n) {
    WarpInstruction i;
    i.pc = static_cast<std::uint32_t>((id % 8 * 8 + n) * 16);  // several patterns of one block
    i.weight = static_cast<std::uint8_t>(1 + random() % 3);
    const auto record = static_cast<std::uint32_t>(n);
    const bool listed = random() % 5 == 0;
    if (random() % 3 != 0) {
      i.op = one_of(random, {OpClass::load, OpClass::load, OpClass::store, OpClass::shared_load});
      i.width = one_of<std::uint8_t>(random, {1, 4, 4, 16});
      i.address_kind = listed ? AddressKind::list : AddressKind::stride;
      const bool own_mask = random() % 12 == 0;
      pattern.accesses.push_back({record, pattern.cells, own_mask, listed});
      pattern.own_masks = pattern.own_masks || own_mask;
      pattern.cells += own_mask ? 2 : 1;
    }
    pattern.records.push_back(i);
  }
  ++pattern.cells;  // of its end
  return pattern;
}

struct Paths {
  CtaPath path;
  CtaTrace trace;
  std::vector<std::vector<PathCell>> cells;

  void add_stretch(std::mt19937_64& random, const Pattern& pattern, std::uint32_t mask) {
    PathSegment segment;
    segment.pattern = &pattern;
    segment.mask = mask;
    bool steady = !pattern.own_masks;
    for (const Pattern::Access& access : pattern.accesses) steady = steady && !access.listed;
    segment.repeats =
        steady && pattern.id != 0 && random() % 2 == 0 ? static_cast<std::uint32_t>(random() % 40) : 0;
    segment.as_known = segment.repeats != 0 || random() % 8 != 0;
    std::vector<PathCell>& made = cells.emplace_back(std::size_t{pattern.cells} * (segment.repeats + 1));
    for (const Pattern::Access& access : pattern.accesses) fill(random, made, segment, access);
    segment.cells = made.data();
    path.segments.push_back(segment);
    for (std::uint32_t time = 0; time <= segment.repeats; ++time) segment.at(time).append(trace.instructions);
  }

  void fill(std::mt19937_64& random, std::vector<PathCell>& made, const PathSegment& segment,
            const Pattern::Access& access) {
    const Pattern& pattern = *segment.pattern;
    const std::uint32_t mask = access.own_mask ? 0xf0 : segment.mask;
    const bool listed = !segment.as_known && random() % 2 == 0 ? !access.listed : access.listed;
    PathCell cell;
    if (listed) {
      cell.tag = listed_cell;
      cell.value = trace.addresses.size();
      const Address step = one_of<Address>(random, {4, 24, 400});
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        if ((mask >> lane & 1) != 0)
          trace.addresses.push_back(0x7f0000000000 + lane % 16 * 4 +
                                    lane / 16 * step * (random() % 64 == 0 ? 3 : 1));
    } else {
      cell.value = random() % 8 == 0 ? random() % 4000 : 0x7f0000000000 + random() % 64 * 4;
      cell.extra = static_cast<std::uint32_t>(one_of(random, {0, 4, 4, 4, 16, 128, 2048, -4}));
    }
    const Address step = one_of<Address>(random, {0, 4, 4, 128, 2048, 100, ~Address{63}});
    for (std::uint32_t time = 0; time <= segment.repeats; ++time, cell.value += step) {
      PathCell* const at = made.data() + std::size_t{time} * pattern.cells + access.cell;
      *at = cell;
      if (access.own_mask) at[1].value = mask;
    }
  }

  void end_warp(std::size_t first) {
    trace.warp_begin.push_back(static_cast<std::uint32_t>(trace.instructions.size()));
    const std::size_t warp = path.warps.size();
    path.warps.push_back({first, path.segments.size(), trace.warp_begin[warp + 1] - trace.warp_begin[warp]});
  }
};

}  // namespace

TEST_CASE("record: patterns are encoded as their instructions are") {
  std::mt19937_64 random(11);
  std::vector<Pattern> patterns;
  for (std::uint32_t id = 0; id < 24; ++id) patterns.push_back(random_pattern(random, id));
  record::Dictionary dictionaries[2];
  record::ColumnEncoder by_pattern(dictionaries[0]), one_by_one(dictionaries[1]);
  for (std::uint64_t cta = 0; cta < 300; ++cta) {
    Paths made;
    made.trace.index = made.path.index = cta;
    made.trace.warp_begin.push_back(0);
    for (unsigned warp = 0; warp < 3; ++warp) {
      const std::size_t first = made.path.segments.size();
      for (std::uint64_t left = random() % 12; left > 0; --left) {
        const Pattern& pattern = patterns[random() % patterns.size()];
        const std::uint32_t mask = masks[random() % std::size(masks)];
        for (std::uint64_t again = 1 + random() % 3; again > 0; --again)
          made.add_stretch(random, pattern, mask);
      }
      made.end_warp(first);
    }
    made.path.addresses = made.trace.addresses.data();
    by_pattern.add(made.path);
    one_by_one.add(CtaView(made.trace));
    const auto columns = by_pattern.columns().all(), expected = one_by_one.columns().all();
    for (std::size_t n = 0; n < columns.size(); ++n) {
      INFO("thread block " << cta << ", column " << n);
      REQUIRE((*columns[n] == *expected[n]));
    }
    REQUIRE(by_pattern.counts().accesses == one_by_one.counts().accesses);
    REQUIRE(by_pattern.counts().lines == one_by_one.counts().lines);
    REQUIRE(by_pattern.counts().shared == one_by_one.counts().shared);
    if (random() % 10 != 0) continue;
    by_pattern.begin_block();
    one_by_one.begin_block();
  }
  CHECK(dictionaries[0].size() == dictionaries[1].size());
}
