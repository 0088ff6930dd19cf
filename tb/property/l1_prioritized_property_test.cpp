// The queues of a prioritized L1 against their description: a list of who waits, searched from end to end.
#include <algorithm>
#include <deque>
#include <random>

#include "models/l1/l1_queues.h"
#include "tb/support/catch.h"
#include "tb/support/long_mode.h"

using namespace strata;

namespace {

using Signature = SignatureQueues::Signature;
using Drain = SignatureQueues::Drain;

struct Slow {
  struct Waiter {
    int id;
    int queue;
    Cycle ready;
  };
  int queues, entries;
  Drain drain;
  std::vector<Waiter> waiters = {};  // in order of coming
  int turn = 0;
  std::uint64_t turns = 0;

  int length(int queue) const {
    return static_cast<int>(std::count_if(waiters.begin(), waiters.end(),
                                          [=](const Waiter& waiter) { return waiter.queue == queue; }));
  }
  bool enter(int id, int signature, Cycle ready) {
    if (length(signature % queues) == entries) return false;
    waiters.push_back({id, signature % queues, ready});
    return true;
  }
  /// The first of a queue that may leave by `now`; none: -1.
  int first(int queue, Cycle now) const {
    for (std::size_t i = 0; i < waiters.size(); ++i)
      if (waiters[i].queue == queue) return waiters[i].ready <= now ? static_cast<int>(i) : -1;
    return -1;
  }
  /// The next access; -1: none.
  int take(Cycle now) {
    int queue = first(turn, now) >= 0 ? turn : -1;
    for (int other = 0; queue != turn && other < queues; ++other) {
      if (first(other, now) < 0) continue;
      if (queue < 0 || (drain == Drain::longest && length(other) > length(queue))) queue = other;
    }
    if (queue < 0) return -1;
    if (queue != turn) ++turns;
    turn = queue;
    const int at = first(queue, now), id = waiters[static_cast<std::size_t>(at)].id;
    waiters.erase(waiters.begin() + at);
    return id;
  }
};

void compare(int queues, int entries, Signature signature, Drain drain, std::uint64_t seed,
             std::uint64_t steps) {
  std::mt19937_64 random(seed);
  SignatureQueues real(queues, entries, signature, drain);
  Slow slow{queues, entries, drain};
  std::deque<Access> pool;
  std::vector<int> free;
  std::uint64_t taken = 0, full = 0, put_back = 0;
  Cycle now = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    now += random() % 2;
    if (random() % 20 < 11) {
      if (free.empty()) {
        free.push_back(static_cast<int>(pool.size()));
        pool.emplace_back();
      }
      Access& access = pool[static_cast<std::size_t>(free.back())];
      access = Access();
      access.pc = static_cast<std::uint32_t>(free.back());
      access.warp = static_cast<std::uint16_t>(random() % 48);
      access.cta = static_cast<std::uint32_t>(random() % 9);
      access.ready = now + random() % 3 / 2;
      const int by = signature == Signature::warp ? access.warp : static_cast<int>(access.cta);
      const bool enters = slow.enter(free.back(), by, access.ready);
      REQUIRE(real.enter(access) == enters);
      if (enters) free.pop_back();
      if (!enters) ++full;
    } else if (real.earliest() <= now) {
      Slow before = slow;
      const int wanted = slow.take(now);
      Access& access = real.take(now);
      REQUIRE(static_cast<int>(access.pc) == wanted);
      REQUIRE(real.turns() == slow.turns);
      if (random() % 4 == 0) {  // it stalls: it is the next one again
        real.put_back(access);
        before.turn = slow.turn;
        before.turns = slow.turns;
        slow = before;
        ++put_back;
        REQUIRE(real.head() == &access);
      } else {
        free.push_back(wanted);
        ++taken;
      }
    } else {
      REQUIRE(slow.take(now) == -1);
    }
    REQUIRE(real.waiting() == static_cast<int>(slow.waiters.size()));
    REQUIRE((real.head() == nullptr) == slow.waiters.empty());
  }
  CHECK(taken > steps / 4);
  CHECK(put_back > 0);
  CHECK(full > 0);
}

}  // namespace

TEST_CASE("queues by signature do what their description says, access by access") {
  for (const Signature signature : {Signature::warp, Signature::cta})
    for (const Drain drain : {Drain::lowest, Drain::longest})
      for (const int queues : {1, 3, 8}) {
        const std::uint64_t seed = 11 + static_cast<std::uint64_t>(queues);
        CAPTURE(seed, queues, static_cast<int>(signature), static_cast<int>(drain));
        compare(queues, 2 + queues % 3, signature, drain, seed, tb::accesses_of_property(60'000));
      }
}
