// The counters of a contention tracker against an independent model: each set is a list of lines in their
// order of use, and what changes its place in the list between two moments has been demoted.
#include <algorithm>
#include <deque>
#include <random>

#include "models/contention_tracker/contention_tracker_core.h"
#include "models/llc_slice/llc_slice_core.h"
#include "tb/support/catch.h"
#include "tb/support/long_mode.h"

using namespace strata;

namespace {

constexpr int kernels = 4, ways = 4, sets = 8;
using Matrix = std::vector<std::uint64_t>;  // [victim * kernels + aggressor]

struct Line {
  std::uint64_t number;
  int owner;
  bool fetched;  // some of it is in flight, and it has its way
};
using Stack = std::vector<Line>;  // the line used last comes first

/// Knows outcomes and fills of a slice, and nothing of its tags.
class ListModel {
 public:
  explicit ListModel(Allocation allocation) : on_miss_(allocation == Allocation::on_miss), stacks_(sets) {}

  void decided(const Access& access, const LlcDecision& decision) {
    const std::uint64_t number = access.line / 128;
    const int kernel = access.sm;
    const bool was_here = find(number) != nullptr;
    const bool missed = decision.outcome == LlcOutcome::miss_new || decision.outcome == LlcOutcome::done;
    if (missed) ++misses[static_cast<std::size_t>(kernel)];
    if (was_here)
      to_top(number, kernel);
    else if (decision.outcome == LlcOutcome::done || (on_miss_ && decision.outcome == LlcOutcome::miss_new))
      place(number, kernel);
    if (on_miss_ && decision.outcome == LlcOutcome::miss_new) find(number)->fetched = true;
  }
  void filled(std::uint64_t number, int kernel, bool last) {
    if (find(number) == nullptr) place(number, kernel);
    if (last) find(number)->fetched = false;
  }
  void dropped() { stacks_.assign(sets, {}); }

  Matrix demotions = Matrix(kernels * kernels), evictions = demotions, misses = Matrix(kernels);

 private:
  Stack& stack_of(std::uint64_t number) { return stacks_[number % sets]; }
  Line* find(std::uint64_t number) {
    for (Line& line : stack_of(number))
      if (line.number == number) return &line;
    return nullptr;
  }
  /// Counts what has moved away from the top since `before`.
  void compare(const Stack& before, const Stack& after, int kernel) {
    for (std::size_t old = 0; old < before.size(); ++old) {
      const auto now = std::find_if(after.begin(), after.end(),
                                    [&](const Line& line) { return line.number == before[old].number; });
      const auto cell = static_cast<std::size_t>(before[old].owner * kernels + kernel);
      if (now == after.end()) {
        ++demotions[cell];
        ++evictions[cell];
      } else if (const auto place = static_cast<std::size_t>(now - after.begin()); place > old) {
        demotions[cell] += place - old;
      }
    }
  }
  void to_top(std::uint64_t number, int kernel) {
    Stack& stack = stack_of(number);
    const Stack before = stack;
    const auto line =
        std::find_if(stack.begin(), stack.end(), [&](const Line& l) { return l.number == number; });
    std::rotate(stack.begin(), line, line + 1);
    stack.front().owner = kernel;
    compare(before, stack, kernel);
  }
  void place(std::uint64_t number, int kernel) {
    Stack& stack = stack_of(number);
    const Stack before = stack;
    if (stack.size() == ways) {
      const auto last =
          std::find_if(stack.rbegin(), stack.rend(), [](const Line& line) { return !line.fetched; });
      stack.erase(std::next(last).base());
    }
    stack.insert(stack.begin(), {number, kernel, false});
    compare(before, stack, kernel);
  }

  bool on_miss_;
  std::vector<Stack> stacks_;
};

LlcSliceParams params_of(Allocation allocation, Bytes sector) {
  LlcSliceParams params;
  params.ways = ways;
  params.size = Bytes(sets * ways * 128);
  params.sector = sector;
  params.set_index = SetIndex::Kind::plain;
  params.allocation = allocation;
  params.mshrs = 12;
  params.merges = 4;
  params.write_queue = 4;
  return params;
}

std::unique_ptr<AddressMap> one_slice() {
  AddressMapParams params;
  params.channels = params.slices_per_channel = 1;
  return make_address_map(params);
}

class Trial {
 public:
  Trial(Allocation allocation, Bytes sector, std::uint64_t seed)
      : random_(seed),
        model_(allocation),
        core_(params_of(allocation, sector), *map_),
        tracker_(tracker_params()) {
    core_.watch_lines(&tracker_.add_slice(core_.tags()));
  }
  void run(std::uint64_t accesses) {
    while (accesses > 0) {
      if (begin()) --accesses;
      while (core_.writes_queued() > 0) core_.write_departed();
      while (!fetches_.empty() && (random_() % 3 == 0 || draining_)) fill(random_() % fetches_.size());
      if (core_.idle() && draining_) drop();
      draining_ = draining_ || random_() % 20'000 == 0;
    }
    CHECK(demotions() == model_.demotions);
    CHECK(evictions() == model_.evictions);
    for (int k = 0; k < kernels; ++k)
      CHECK(tracker_.counters().misses(k) == model_.misses[static_cast<std::size_t>(k)]);
    CHECK(drops_ > 0);
    CHECK(*std::min_element(model_.demotions.begin(), model_.demotions.end()) > 1000);
    CHECK(*std::min_element(model_.evictions.begin(), model_.evictions.end()) > 100);
  }

 private:
  struct Fetch {
    int mshr;
    std::uint8_t sectors;
  };
  static ContentionTrackerParams tracker_params() {
    ContentionTrackerParams params;
    params.owners = ContentionTrackerParams::Owners::sm;
    params.kernels = kernels;
    params.counter_bits = 64;
    return params;
  }
  bool begin() {
    const std::size_t id = free_.empty() ? pool_.size() : free_.back();
    if (free_.empty())
      pool_.emplace_back();
    else
      free_.pop_back();
    Access& access = pool_[id];
    access = Access{};
    // Kernels share some lines. Each likes some of its own, and kernel 3 hardly any: it streams.
    access.sm = static_cast<std::uint16_t>(random_() % kernels);
    const std::uint64_t near = random_() % 4 == 0 ? 160 : access.sm == 3 ? 80 : 12;
    access.line = (access.sm * 20 + random_() % near) * 128;
    access.sectors = static_cast<std::uint8_t>(random_() % 2 == 0 ? 0xf : 1 + random_() % 15);
    const auto kind = random_() % 6;
    if (kind == 0) access.access_class = AccessClass::atomic;
    if (kind == 1 || kind == 2) access.access_class = AccessClass::store;
    const LlcDecision decision = core_.begin(access, 0, random_() % 8 != 0);
    if (decision.outcome != LlcOutcome::stall) model_.decided(access, decision);
    if (decision.outcome == LlcOutcome::miss_new) fetches_.push_back({decision.mshr, decision.sectors});
    if (decision.outcome != LlcOutcome::miss_new && decision.outcome != LlcOutcome::miss_merged)
      free_.push_back(id);
    return decision.outcome != LlcOutcome::stall;
  }
  void fill(std::size_t index) {
    const Fetch fetch = fetches_[index];
    fetches_.erase(fetches_.begin() + static_cast<std::ptrdiff_t>(index));
    const std::uint64_t number = core_.mshrs().number(fetch.mshr);
    const int oldest = core_.mshrs().waiters(fetch.mshr).front().sm;
    LlcFilled filled = core_.fill(fetch.mshr, fetch.sectors);
    const bool last = std::none_of(fetches_.begin(), fetches_.end(),
                                   [&](const Fetch& other) { return other.mshr == fetch.mshr; });
    model_.filled(number, oldest, last);
    while (!filled.waiters.empty())
      free_.push_back(static_cast<std::size_t>(
          std::find_if(pool_.begin(), pool_.end(),
                       [waiter = &filled.waiters.pop()](const Access& a) { return &a == waiter; }) -
          pool_.begin()));
  }
  void drop() {
    MemoryWrite write;
    while (core_.flush_step(LlcFlush::all, every_application, write)) core_.write_departed();
    model_.dropped();
    draining_ = false;
    ++drops_;
  }
  template <class Read>
  Matrix read(Read read_one) const {
    Matrix cells;
    for (int v = 0; v < kernels; ++v)
      for (int a = 0; a < kernels; ++a) cells.push_back(read_one(v, a));
    return cells;
  }
  Matrix demotions() const {
    return read([this](int v, int a) { return tracker_.counters().demotions(v, a); });
  }
  Matrix evictions() const {
    return read([this](int v, int a) { return tracker_.counters().evictions(v, a); });
  }

  std::mt19937_64 random_;
  ListModel model_;
  std::unique_ptr<AddressMap> map_ = one_slice();
  LlcSliceCore core_;
  ContentionTrackerCore tracker_;
  std::deque<Access> pool_;
  std::vector<std::size_t> free_;
  std::vector<Fetch> fetches_;
  bool draining_ = false;
  int drops_ = 0;
};

}  // namespace

TEST_CASE("what a tracker counts is how lines move in lists of their order of use") {
  const std::uint64_t accesses = tb::accesses_of_property(250'000);
  for (const Allocation allocation : {Allocation::on_fill, Allocation::on_miss})
    for (const std::uint64_t sector : {0, 32}) {
      const std::uint64_t seed = 7 + sector;
      CAPTURE(seed, sector, static_cast<int>(allocation));
      Trial(allocation, Bytes(sector), seed).run(accesses);
    }
}
