#include "models/cache/mshr_file.h"

#include <deque>
#include <map>
#include <random>
#include <vector>

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("MSHRs agree with a plain model under random traffic") {
  constexpr std::uint64_t seed = 9;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  MshrFile mshrs(8, 3);
  std::deque<Access> accesses(64);
  std::vector<Access*> idle;
  for (Access& access : accesses) idle.push_back(&access);
  struct Pending {
    int id;
    bool closed;
    std::uint8_t sectors;
    std::vector<Access*> waiters;
    std::size_t gone = 0;
  };
  std::multimap<std::uint64_t, Pending> model;
  const auto open = [&](std::uint64_t number) {
    auto [at, end] = model.equal_range(number);
    while (at != end && at->second.closed) ++at;
    return at == end ? model.end() : at;
  };
  std::size_t kept = 0;
  for (int step = 0; step < 50000; ++step) {
    const std::uint64_t number = (random() % 12) << 20;  // few lines, and all of one bucket's low bits
    const auto pending = open(number);
    REQUIRE((mshrs.find(number) == MshrFile::none) == (pending == model.end()));
    REQUIRE(mshrs.in_use() == static_cast<int>(model.size()));
    REQUIRE(mshrs.full() == (model.size() + kept == 8));
    switch (random() % 5) {
      case 0: {
        if (model.empty()) break;
        auto victim = std::next(model.begin(), static_cast<long>(random() % model.size()));
        REQUIRE(mshrs.number(victim->second.id) == victim->first);
        const bool stays = random() % 3 == 0;  // only its waiters go
        AccessFifo waiters = stays ? mshrs.take_waiters(victim->second.id) : mshrs.release(victim->second.id);
        for (Access* waiter : victim->second.waiters) {
          REQUIRE(&waiters.pop() == waiter);
          idle.push_back(waiter);
        }
        REQUIRE(waiters.empty());
        victim->second.gone += victim->second.waiters.size();
        victim->second.waiters.clear();
        if (!stays) model.erase(victim);
        break;
      }
      case 2:
        if (kept != 0 && random() % 2 == 0) {
          mshrs.unreserve_one();
          --kept;
        } else if (!mshrs.full()) {
          mshrs.reserve_one();
          ++kept;
        }
        break;
      case 1:
        if (pending != model.end() && random() % 4 == 0) {
          mshrs.close(pending->second.id);
          pending->second.closed = true;
          REQUIRE(mshrs.has_stale(number));
        }
        break;
      default: {
        if (idle.empty()) break;
        Access& access = *idle.back();
        access.sectors = static_cast<std::uint8_t>(1U << random() % 4);
        if (pending != model.end()) {
          REQUIRE(mshrs.find(number) == pending->second.id);
          REQUIRE(mshrs.can_merge(pending->second.id) ==
                  (pending->second.waiters.size() + pending->second.gone < 3));
          if (!mshrs.can_merge(pending->second.id)) break;
          mshrs.merge(pending->second.id, access);
          pending->second.waiters.push_back(&access);
          REQUIRE(mshrs.issue(pending->second.id, access.sectors) ==
                  (access.sectors & ~pending->second.sectors));
          pending->second.sectors |= access.sectors;
        } else if (!mshrs.full()) {
          const int id = mshrs.allocate(number, access);
          REQUIRE(mshrs.issue(id, access.sectors) == access.sectors);
          model.emplace(number, Pending{id, false, access.sectors, {&access}});
        } else {
          break;
        }
        idle.pop_back();
      }
    }
  }
}
