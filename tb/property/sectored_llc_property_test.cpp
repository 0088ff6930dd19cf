// The core of an LLC slice against a plain model written from its description.
#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>

#include "models/llc_slice/llc_slice_core.h"
#include "tb/property/naive_slice.h"
#include "tb/support/catch.h"
#include "tb/support/long_mode.h"

using namespace strata;
using namespace strata::tb;

namespace {

/// The core and its model in step.
class Pair {
 public:
  Pair(const LlcSliceParams& params, int sector_sectors, std::uint64_t seed)
      : random_(seed), params_(params), map_(map()), core_(params, *map_), naive_(params, sector_sectors) {}

  void run(std::uint64_t accesses) {
    while (accesses > 0) {
      if (begin()) --accesses;
      if (core_.writes_queued() > 0 && random_() % 2 == 0) {
        core_.write_departed();
        --naive_.queued;
      }
      if (!fetches_.empty() && random_() % 3 == 0) fill(random_() % fetches_.size());
      must(core_.writes_queued() == naive_.queued, "writes in the queue");
      if (random_() % 16 == 0)
        must(core_.dirty_lines(every_application) == naive_.dirty_lines(), "dirty lines");
      const std::uint64_t number = random_() % lines;
      const auto sectors = static_cast<std::uint8_t>(1U << random_() % sectors_of_line());
      must(core_.contains(number * params_.line, sectors) == ((naive_.valid(number) & sectors) != 0),
           "valid");
    }
    while (!fetches_.empty()) {
      while (core_.writes_queued() > 0) {
        core_.write_departed();
        --naive_.queued;
      }
      fill(0);
    }
    CHECK(core_.idle());
    CHECK(waiting_ == 0);
    const LlcSliceStats& s = core_.stats();
    CHECK(s.accesses == s.hits + s.misses + s.merges);
    CHECK(s.misses == s.fetches + s.write_allocations + s.write_arounds);
    CHECK(s.fills == s.fetches);
    CHECK((!s.by_sector || s.fetched_sectors >= s.fetches));
    seen = s;
  }
  LlcSliceStats seen;
  std::uint64_t sets_full = 0;

 private:
  struct Fetch {
    int mshr;
    std::uint64_t number;
    std::uint8_t sectors;
  };
  static constexpr std::uint64_t lines = 24;

  static std::unique_ptr<AddressMap> map() {
    AddressMapParams params;
    params.channels = params.slices_per_channel = 1;
    return make_address_map(params);
  }
  unsigned sectors_of_line() const { return static_cast<unsigned>(params_.line / 32); }

  bool begin() {
    const std::size_t id = free_.empty() ? pool_.size() : free_.back();
    if (free_.empty())
      pool_.emplace_back();
    else
      free_.pop_back();
    Access& access = pool_[id];
    access = Access{};
    const unsigned size = random_() % 4 == 0 ? sectors_of_line() / (1U << random_() % 3) : sectors_of_line();
    access.line = random_() % lines * params_.line + random_() % (sectors_of_line() / size) * size * 32;
    access.sectors = static_cast<std::uint8_t>((1U << size) - 1);
    if (random_() % 3 != 0) access.sectors = static_cast<std::uint8_t>(1 + random_() % access.sectors);
    const auto kind = random_() % 6;
    if (kind == 0) access.access_class = AccessClass::atomic;
    if (kind == 1 || kind == 2) access.access_class = AccessClass::store;
    const bool room = random_() % 8 != 0;
    const NaiveSlice::Said said = naive_.begin(id, access, room);
    const LlcDecision decision = core_.begin(access, 0, room);
    must(decision.outcome == said.outcome, "outcome");
    must(decision.stall == said.stall, "stall");
    must(decision.write.sectors == said.written_sectors && decision.write.line == said.written, "write");
    must((decision.outcome == LlcOutcome::miss_new ? decision.sectors : 0) == said.fetched, "fetch");
    if (said.stall == LlcStall::set_full) ++sets_full;
    const bool waits = said.outcome == LlcOutcome::miss_new || said.outcome == LlcOutcome::miss_merged;
    if (said.outcome == LlcOutcome::miss_new)
      fetches_.push_back({decision.mshr, access.line / params_.line, decision.sectors});
    if (waits)
      ++waiting_;
    else
      free_.push_back(id);
    return said.outcome != LlcOutcome::stall;
  }

  void fill(std::size_t index) {
    const Fetch fetch = fetches_[index];
    const bool can = core_.can_fill(fetch.mshr);
    must(can == naive_.can_fill(fetch.number), "room for a fill");
    if (!can) return;
    fetches_.erase(fetches_.begin() + static_cast<std::ptrdiff_t>(index));
    const NaiveSlice::Filled said = naive_.fill(fetch.number, fetch.sectors);
    LlcFilled filled = core_.fill(fetch.mshr, fetch.sectors);
    std::map<Address, unsigned> written;
    if (filled.victim) written[filled.victim.line] = filled.victim.sectors;
    if (filled.through) written[filled.through.line] = filled.through.sectors;
    must(written == said.written, "writes of a fill");
    std::vector<std::size_t> answered;
    while (!filled.waiters.empty()) {
      const Access& waiter = filled.waiters.pop();
      for (const std::size_t id : said.answered)
        if (&pool_[id] == &waiter) answered.push_back(id);
    }
    must(answered == said.answered, "answers");
    for (const std::size_t id : answered) free_.push_back(id);
    waiting_ -= answered.size();
  }

  std::mt19937_64 random_;
  LlcSliceParams params_;
  std::unique_ptr<AddressMap> map_;
  LlcSliceCore core_;
  NaiveSlice naive_;
  std::deque<Access> pool_;
  std::vector<std::size_t> free_;
  std::vector<Fetch> fetches_;
  std::size_t waiting_ = 0;
};

LlcSliceParams params_with(Allocation allocation, LlcSliceParams::Write write, Bytes sector) {
  LlcSliceParams params;
  params.ways = 3;
  params.size = Bytes(2 * 3 * 128);  // 2 sets
  params.sector = sector;
  params.set_index = SetIndex::Kind::plain;
  params.allocation = allocation;
  params.write = write;
  params.mshrs = 5;
  params.merges = 4;
  params.write_queue = 3;
  params.mshr_sectors = sector.count == 64 ? 64 : 0;  // more than all MSHRs have: merges count by sector
  return params;
}

}  // namespace

TEST_CASE("an LLC slice with sectors does what a plain model of sectors does, access by access") {
  const std::uint64_t accesses = accesses_of_property(100'000);
  for (const Allocation allocation : {Allocation::on_fill, Allocation::on_miss})
    for (const auto write : {LlcSliceParams::Write::back, LlcSliceParams::Write::through})
      for (const int sector : {1, 2, 4}) {
        const std::uint64_t seed = 100 + static_cast<std::uint64_t>(sector);
        CAPTURE(seed, sector, static_cast<int>(allocation), static_cast<int>(write));
        Pair pair(params_with(allocation, write, Bytes(static_cast<std::uint64_t>(sector) * 32)), sector,
                  seed);
        pair.run(accesses);
        CHECK((pair.sets_full > 0) == (allocation == Allocation::on_miss));
        CHECK((sector == 4 || pair.seen.sector_misses > 0));
      }
}
