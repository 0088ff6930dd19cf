#include "models/l1/l1_tag_split.h"

#include <deque>

#include "models/l1/l1_private.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

/// Two sets of 8 chunks of 32 B in 2 groups; lines of 128 B. Line number n lies in set n % 2, its tag is n
/// / 2.
L1TagSplitParams tiny(int private_tag = 2) {
  L1TagSplitParams params;
  params.size = Bytes(512);
  params.ways = 2;
  params.groups = 2;
  params.private_tag = private_tag;
  params.set_index = SetIndex::Kind::plain;
  params.replacement = replacement_row("lru");
  params.mshrs = 4;
  return params;
}

/// The address of a line of set 0 with this tag.
constexpr Address line_of(std::uint64_t tag) {
  return tag * 2 * 128;
}

class Driver {
 public:
  explicit Driver(const L1TagSplitParams& params, std::uint64_t seed = 0) : l1(params, seed) {}
  Access& access(std::uint64_t tag, int chunks, AccessClass kind = AccessClass::load) {
    Access& made = accesses_.emplace_back();
    made.line = line_of(tag);
    made.chunks = static_cast<std::uint8_t>(chunks);
    made.access_class = kind;
    return made;
  }
  L1Decision load(std::uint64_t tag, int chunks) { return l1.begin(access(tag, chunks), 0, true); }
  /// With the fill, if it misses.
  L1Outcome bring(std::uint64_t tag, int chunks) {
    const L1Decision decision = load(tag, chunks);
    if (decision.outcome == L1Outcome::miss_new) l1.fill(decision.fetch);
    return decision.outcome;
  }
  void store(std::uint64_t tag, int chunks) { l1.begin(access(tag, chunks, AccessClass::store), 0, true); }
  bool has(std::uint64_t tag, int chunks) const {
    return l1.contains(line_of(tag), static_cast<std::uint8_t>(chunks));
  }
  L1TagSplit l1;

 private:
  std::deque<Access> accesses_;
};

std::uint64_t bits_of(const StorageFields& fields, bool tags_only) {
  std::uint64_t sum = 0;
  for (const StorageField& field : fields)
    if (!tags_only || (field.name != "data" && field.name.rfind("MSHR", 0) != 0))
      sum += field.entries * field.bits;
  return sum;
}

}  // namespace

TEST_CASE("a partial miss asks for what is not there, and nobody asks for a chunk twice") {
  Driver d(tiny());
  Access& first = d.access(0, 0b0011);
  const L1Decision miss = d.l1.begin(first, 0, true);
  CHECK(miss.outcome == L1Outcome::miss_new);
  CHECK(miss.chunks == 0b0011);
  Access& second = d.access(0, 0b0110);  // chunk 1 is under way, 2 is not
  const L1Decision more = d.l1.begin(second, 0, true);
  CHECK(more.outcome == L1Outcome::miss_new);
  CHECK(more.chunks == 0b0100);
  Access& third = d.access(0, 0b0101);
  CHECK(d.l1.begin(third, 0, true).outcome == L1Outcome::miss_merged);
  CHECK(d.l1.fetching() == 2);
  CHECK(d.l1.fill(more.fetch).empty());  // the second waits for chunk 1, the third for chunk 0
  AccessFifo left = d.l1.fill(miss.fetch);
  REQUIRE(left.size() == 3);
  CHECK(&left.pop() == &first);
  CHECK(&left.pop() == &second);
  CHECK(&left.pop() == &third);
  CHECK(d.load(0, 0b0111).outcome == L1Outcome::hit);
  const L1Decision partial = d.load(0, 0b1111);
  CHECK(partial.chunks == 0b1000);
  CHECK(d.l1.stats().partial_misses == 1);
  CHECK(d.l1.stats().fetched_chunks == 4);
}

TEST_CASE("whoever waits for two fetches leaves with the second, in order of coming") {
  Driver d(tiny());
  const L1Decision a = d.load(0, 0b0001);
  const L1Decision b = d.load(0, 0b0010);
  Access& both = d.access(0, 0b0011);
  CHECK(d.l1.begin(both, 0, true).fetch == b.fetch);  // the one asked for last
  CHECK(d.l1.fill(a.fetch).size() == 1);
  AccessFifo left = d.l1.fill(b.fetch);
  REQUIRE(left.size() == 2);
  left.pop();
  CHECK(&left.pop() == &both);
  CHECK(d.l1.fetching() == 0);
}

// Private tags have 2 bits: tags 0 to 3 share, tags 4 to 7 share.
TEST_CASE("lines share a group when the upper bits of their tags are the same, or take another") {
  Driver d(tiny());
  d.bring(0, 0b0001);
  d.bring(1, 0b0011);  // in the same group, which has one place left
  d.bring(5, 0b0001);  // the other group
  d.bring(6, 0b0111);  // and its rest
  CHECK(d.has(0, 1));
  CHECK(d.has(1, 3));
  CHECK(d.has(5, 1));
  CHECK(d.has(6, 7));
  CHECK(d.l1.stats().evictions == 0);
  d.bring(2, 0b0001);  // the free place of tags 0 to 3
  CHECK(d.l1.stats().replaced_chunks == 0);
  d.bring(8, 0b0001);  // a third shared tag: the group of the chunk used longest ago, that of tag 0, goes
  CHECK_FALSE(d.has(0, 1));
  CHECK_FALSE(d.has(1, 1));
  CHECK_FALSE(d.has(2, 1));
  CHECK(d.has(6, 7));
  CHECK(d.l1.stats().evictions == 1);
  CHECK(d.l1.stats().replaced_chunks == 4);
  CHECK(d.l1.stats().retagged_chunks == 3);  // one made room itself
}

TEST_CASE("without private tags a group is a line") {
  Driver d(tiny(0));
  d.bring(0, 0b0001);
  d.bring(1, 0b0001);
  d.bring(2, 0b0001);  // no group is left
  CHECK_FALSE(d.has(0, 1));
  CHECK(d.has(1, 1));
  CHECK(d.has(2, 1));
}

// Chunks in order of age: tags 0 and 4 alternate, so that every second one is of the other group.
TEST_CASE("several victims at once: together in a group that changes its tag, or scattered by age") {
  for (const auto victims : {L1TagSplitParams::Victims::together, L1TagSplitParams::Victims::scattered}) {
    L1TagSplitParams params = tiny();
    params.victims = victims;
    Driver d(params);
    for (const int chunk : {1, 2, 4, 8}) {
      d.bring(0, chunk);
      d.bring(4, chunk);
    }
    CHECK(d.load(8, 0b0011).outcome == L1Outcome::miss_new);  // one request, one cycle
    CHECK_FALSE(d.has(0, 1));
    const bool together = victims == L1TagSplitParams::Victims::together;
    CHECK(d.has(4, 0b1111) == together);  // scattered: the second oldest chunk goes, and its group with it
    CHECK(d.l1.stats().replaced_chunks == (together ? 4 : 8));
  }
}

TEST_CASE("chunks of the same shared tag make room alone") {
  Driver d(tiny());
  d.bring(0, 0b1111);
  d.bring(1, 0b1111);
  d.bring(2, 0b0011);  // the two oldest: chunks 0 and 1 of tag 0
  CHECK_FALSE(d.has(0, 1));
  CHECK_FALSE(d.has(0, 2));
  CHECK(d.has(0, 0b1100));
  CHECK(d.has(1, 0b1111));
  CHECK(d.l1.stats().retagged_chunks == 0);
}

// Both groups have tags 0 to 3. In order of age: every second chunk is of the other group.
TEST_CASE("a whole line takes the group of its first victim, and of it no more than it needs") {
  for (const auto victims : {L1TagSplitParams::Victims::together, L1TagSplitParams::Victims::lines}) {
    const bool lines = victims == L1TagSplitParams::Victims::lines;
    L1TagSplitParams params = tiny();
    params.victims = victims;
    Driver d(params);
    d.bring(0, 0b1111);
    d.bring(1, 0b1111);
    for (const int chunk : {1, 2, 4, 8}) {
      d.bring(0, chunk);
      d.bring(1, chunk);
    }
    d.bring(2, 0b1111);
    CHECK_FALSE(d.has(0, 0b0001));
    CHECK(d.has(0, 0b1100) == !lines);  // together: the four oldest, two of each
    CHECK(d.has(1, 0b1111) == lines);
    CHECK(d.l1.stats().replaced_chunks == 4);
    d.bring(3, 0b0011);  // half a line: the two oldest, chunks of tag 1 or what is left of tag 0
    CHECK(d.l1.stats().replaced_chunks == 6);
    CHECK(d.has(2, 0b1111));
  }
}

TEST_CASE("what is reserved makes no room: the load stalls and nothing changes") {
  Driver d(tiny());
  const L1Decision a = d.load(0, 0b1111);
  const L1Decision b = d.load(4, 0b1111);
  Access& waits = d.access(8, 0b0001);
  for (int i = 0; i < 3; ++i) {
    const L1Decision stall = d.l1.begin(waits, 0, true);
    CHECK(stall.outcome == L1Outcome::stall);
    CHECK(stall.stall == L1Stall::set_full);
  }
  CHECK(d.l1.fetching() == 2);
  d.l1.fill(b.fetch);
  CHECK(d.l1.begin(waits, 0, true).outcome == L1Outcome::miss_new);
  CHECK_FALSE(d.has(4, 0b0010));  // its group has a new tag
  CHECK(d.l1.fill(a.fetch).size() == 1);
  CHECK(d.has(0, 0b1111));
}

TEST_CASE("a store drops the line or what it writes, and makes a fetch of it stale") {
  for (const auto evict : {L1ByChunksParams::Evict::line, L1ByChunksParams::Evict::chunks}) {
    L1TagSplitParams params = tiny();
    params.evict = evict;
    Driver d(params);
    const bool line = evict == L1ByChunksParams::Evict::line;
    d.bring(0, 0b0111);
    d.store(0, 0b0001);
    CHECK_FALSE(d.has(0, 0b0001));
    CHECK(d.has(0, 0b0110) == !line);
    CHECK(d.l1.stats().write_hits == 1);
    CHECK(d.l1.stats().write_evictions == 1);
    const L1Decision miss = d.load(0, 0b1000);
    d.store(0, 0b0001);  // another chunk than the one under way
    CHECK(d.load(0, 0b1000).outcome == (line ? L1Outcome::forward : L1Outcome::miss_merged));
    d.store(0, 0b1000);
    CHECK(d.load(0, 0b1000).outcome == L1Outcome::forward);
    CHECK(d.l1.fill(miss.fetch).size() == (line ? 1 : 2));
    CHECK_FALSE(d.has(0, 0b1000));
    CHECK(d.l1.stats().dropped_fills == 1);
    CHECK(d.load(0, 0b1000).outcome == L1Outcome::miss_new);
  }
}

TEST_CASE("a flush drops lines, and keeps none that are being fetched") {
  Driver d(tiny());
  d.bring(0, 0b0011);
  d.bring(1, 0b0001);
  const L1Decision miss = d.load(4, 0b0001);
  d.l1.flush();
  CHECK(d.l1.stats().flushed_lines == 2);
  CHECK_FALSE(d.has(0, 0b0001));
  CHECK(d.l1.fill(miss.fetch).size() == 1);
  CHECK_FALSE(d.has(4, 0b0001));
}

TEST_CASE("chunks of two 32 B parts are asked for by both") {
  L1TagSplitParams params = tiny();
  params.chunk = Bytes(64);
  Driver d(params);
  CHECK(d.load(0, 0b0010).chunks == 0b0011);
  CHECK(d.load(0, 0b0001).outcome == L1Outcome::miss_merged);
}

// 1 + n packets: a fine miss of one chunk costs 2, a coarse one of four 5.
TEST_CASE("a duel: misses x packets, halved when misses pass the bound") {
  L1Duel duel(8, 1, 4, 7);
  using Sampler = L1Duel::Sampler;
  int fine = 0, coarse = 0;
  for (std::uint32_t set = 0; set < 8; ++set) {
    fine += duel.sampler(set) == Sampler::fine ? 1 : 0;
    coarse += duel.sampler(set) == Sampler::coarse ? 1 : 0;
  }
  CHECK(fine == 1);
  CHECK(coarse == 1);
  CHECK_FALSE(duel.coarse());
  duel.missed(Sampler::coarse, 4);  // 1 x 5 against 0
  CHECK_FALSE(duel.coarse());
  duel.missed(Sampler::fine, 1);  // 1 x 2
  CHECK_FALSE(duel.coarse());
  duel.missed(Sampler::fine, 1);  // 2 x 4 = 8 > 5
  CHECK(duel.coarse());
  CHECK(duel.switches() == 1);
  duel.missed(Sampler::fine, 1);
  duel.missed(Sampler::fine, 1);
  CHECK(duel.counts(Sampler::fine).misses == 4);
  duel.missed(Sampler::fine, 1);  // five are above four: 5 and 10 become 2 and 5, 1 and 5 become 0 and 2
  CHECK(duel.counts(Sampler::fine).misses == 2);
  CHECK(duel.counts(Sampler::fine).packets == 5);
  CHECK(duel.counts(Sampler::coarse).misses == 0);
  CHECK(duel.counts(Sampler::coarse).packets == 2);
}

// Of the only set and another: loads of tags 0, 0 and, behind a store of it, 0 again.
TEST_CASE("sampler sets count requests, or all loads that miss") {
  using Samples = L1TagSplitParams::Samples;
  for (const auto samples : {Samples::requests, Samples::misses, Samples::traffic}) {
    L1TagSplitParams params = tiny();
    params.mode = L1TagSplitParams::Mode::duel;
    params.samplers = 1;
    params.samples = samples;
    Driver d(params);
    const L1Duel& duel = *d.l1.tags().duel();
    const auto kind = duel.sampler(0);
    const bool all = samples != Samples::requests;
    const bool more = samples == Samples::misses;  // packets of what others have asked for
    const bool coarse = kind == L1Duel::Sampler::coarse;
    const std::uint32_t first = coarse ? 5 : 2;
    CHECK(d.load(0, 0b0001).outcome == L1Outcome::miss_new);
    CHECK(d.load(0, 0b0001).outcome == L1Outcome::miss_merged);
    CHECK(duel.counts(kind).misses == (all ? 2 : 1));
    CHECK(duel.counts(kind).packets == (more ? 2 * first : first));
    d.store(0, 0b0001);
    CHECK(d.load(0, 0b0011).outcome == L1Outcome::forward);
    CHECK(duel.counts(kind).misses == (all ? 3 : 1));
    CHECK(duel.counts(kind).packets == (more ? 2 * first + (coarse ? 5 : 3) : first));
    CHECK(d.l1.stats().mode_samples == duel.counts(kind).misses);
  }
}

TEST_CASE("the L1s of a name follow the samplers of the first") {
  L1TagSplitParams params;
  params.mode = L1TagSplitParams::Mode::duel;
  std::shared_ptr<void> shared;
  L1TagSplit first(params, 1, &shared), second(params, 2, &shared);
  CHECK(first.tags().duel() == second.tags().duel());
  const L1Duel& duel = *first.tags().duel();
  std::deque<Access> accesses;
  const auto fetched = [&](L1TagSplit& l1, std::uint64_t line) {
    Access& access = accesses.emplace_back();
    access.line = line * 128;
    access.chunks = 1;
    const L1Decision decision = l1.begin(access, 0, true);
    l1.fill(decision.fetch);
    return decision.chunks;
  };
  const SetIndex index(params.sets(), params.set_index);
  const auto line_in = [&](L1Duel::Sampler sampler) {
    for (std::uint64_t line = 0;; ++line)
      if (duel.sampler(index(line)) == sampler) return line;
  };
  using Sampler = L1Duel::Sampler;
  CHECK(fetched(second, line_in(Sampler::coarse)) == 0b0001);  // no sampler of ours
  CHECK(fetched(first, line_in(Sampler::coarse)) == 0b1111);   // coarse: 1 x 5
  CHECK(fetched(first, line_in(Sampler::fine)) == 0b0001);     // fine: 1 x 2
  for (std::uint64_t line = 1000; !duel.coarse(); ++line)
    if (duel.sampler(index(line)) == Sampler::fine) fetched(first, line);
  CHECK(duel.counts(Sampler::fine).misses == 2);  // 2 x 4
  CHECK(fetched(first, line_in(Sampler::none)) == 0b1111);
  CHECK(fetched(second, line_in(Sampler::none)) == 0b1111);
  CHECK(fetched(second, line_in(Sampler::fine)) == 0b1111);
  CHECK(first.stats().mode_switches == 1);
  CHECK(second.stats().mode_switches == 0);
}

// ICS 2016, Table 3 and section 5.6: 0.58 KB beyond the 128 B baseline, 0.44 KB with private tags of 5 bits.
// By hand: (8 + 2 + 1 + 1) x 512 chunks + shared tags of 12 x 128 groups - (20 + 1 + 2) x 128 lines = 4736
// bits.
TEST_CASE("storage beyond that of the plain cache is the paper's") {
  L1PrivateParams plain;
  plain.size = Bytes(16 * KiB);
  plain.ways = 4;
  const std::uint64_t lru_ranks = 2 * 128;  // the paper counts a rank a line
  std::uint64_t baseline = lru_ranks;
  for (const StorageField& field : L1Private::storage(plain))
    if (field.name == "tag" || field.name == "valid") baseline += field.entries * field.bits;
  L1TagSplitParams split;
  CHECK(bits_of(L1TagSplit::storage(split), true) - baseline == 4736);
  split.private_tag = 5;
  CHECK(bits_of(L1TagSplit::storage(split), true) - baseline == 3584);  // 448 B
}

TEST_CASE("shapes that cannot be are named") {
  const auto fault = [](auto change) {
    L1TagSplitParams params;
    change(params);
    const Faults faults = params.validate();
    return faults.empty() ? "" : to_text(faults.front(), "l1");
  };
  CHECK(fault([](auto&) {}).empty());
  CHECK(fault([](auto& p) { p.line = Bytes(64), p.chunk = Bytes(128); }).find("l1.line=64 B") !=
        std::string::npos);
  CHECK(fault([](auto& p) { p.groups = 5; }).find("nearest: 4") != std::string::npos);
  CHECK(fault([](auto& p) { p.private_tag = 40; }).find("0 to 35") != std::string::npos);
  CHECK(fault([](auto& p) { p.ways = 32; }).find("128 chunks") != std::string::npos);
  CHECK(fault([](auto& p) {
          p.mode = L1TagSplitParams::Mode::duel;
          p.samplers = 17;
        }).find("32 sets") != std::string::npos);
  CHECK(fault([](auto& p) {
          p.victims = L1TagSplitParams::Victims::groups;
          p.groups = 8;
        }).find("l1.ways=4") != std::string::npos);
}
