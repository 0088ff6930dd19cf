// A flit-exact network that is run in every cycle does what one does that is run only when it is due.
#include <algorithm>
#include <deque>
#include <tuple>
#include <vector>

#include "models/common/random_stream.h"
#include "models/noc/switching/flit_crossbar.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

constexpr int packets = 300;
constexpr int ports = 3;

class NoNeighbours final : public FlitNeighbours {
 public:
  void forward_flit(int, int, Cycle) override { FAIL("no port is linked"); }
  void return_credit(int, int, Cycle) override { FAIL("no port is linked"); }
};

struct Packet {
  Cycle arrives;
  int input;
  int output;
  int flits;
  Cycle held;   // cycles that the next hop withholds its end; 0: it takes the packet at once
  Cycle opens;  // cycles from that end to the next packet
};

struct Departure {
  std::size_t packet;
  Cycle at;
  bool operator==(const Departure& other) const { return packet == other.packet && at == other.at; }
};

int between(RandomStream& random, int low, int high) {
  return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

CrossbarConfig draw_shape(RandomStream& random) {
  CrossbarConfig shape;
  shape.inputs = shape.outputs = ports;
  shape.vcs = between(random, 1, 4);
  shape.vc_flits = between(random, 1, 12);
  shape.voq = between(random, 0, 3) == 0;
  shape.stages = between(random, 2, 5);
  shape.link = between(random, 1, 3);
  shape.speedup = between(random, 1, 2);
  shape.iterations = between(random, 1, 2);
  shape.hold_switch = between(random, 0, 3) == 0;
  shape.credit_delay = between(random, 1, 4);
  if (!shape.voq && shape.speedup == 1) shape.input_speedup = between(random, 1, shape.vcs);
  return shape;
}

std::vector<Packet> draw_packets(RandomStream& random) {
  std::vector<Packet> drawn;
  Cycle now = 0;
  for (int n = 0; n < packets; ++n) {
    now += static_cast<Cycle>(between(random, 0, 3));
    const bool held = between(random, 0, 3) == 0;
    drawn.push_back({now, between(random, 0, ports - 1), between(random, 0, ports - 1), between(random, 1, 6),
                     held ? static_cast<Cycle>(between(random, 1, 30)) : 0,
                     static_cast<Cycle>(between(random, 1, 6))});
  }
  return drawn;
}

std::vector<Departure> run(const CrossbarConfig& shape, const std::vector<Packet>& plan, bool every_cycle) {
  NoNeighbours neighbours;
  FlitCrossbar crossbar(shape, neighbours);
  std::vector<Access> accesses(plan.size());
  std::vector<Departure> departures;
  std::vector<std::tuple<Cycle, int, Cycle>> ends;  // of held packets: cycle, output, free from
  Cycle due = never;
  std::size_t next = 0;
  for (Cycle now = 0; departures.size() < plan.size() && now < 200'000; ++now) {
    for (; next < plan.size() && plan[next].arrives == now; ++next) {
      accesses[next].flits = static_cast<std::uint16_t>(plan[next].flits);
      crossbar.force(accesses[next], plan[next].input, {plan[next].output}, now, now);
      due = std::min(due, crossbar.next_event());
    }
    for (const auto& [end, output, free] : ends)
      if (end == now) {
        crossbar.unblock(output, free, now);
        due = std::min(due, crossbar.next_event());
      }
    if (!every_cycle && due > now) continue;
    const std::size_t granted = crossbar.arbitrate(now);
    for (std::size_t i = 0; i < granted; ++i) {
      const CrossbarGrant& grant = crossbar.granted(i);
      const auto packet = static_cast<std::size_t>(grant.access - accesses.data());
      departures.push_back({packet, now});
      if (plan[packet].held == 0) {
        crossbar.sent(grant, now + plan[packet].opens, now);
        continue;
      }
      crossbar.held(grant, now);
      ends.emplace_back(now + plan[packet].held, grant.output, now + plan[packet].held + plan[packet].opens);
    }
    crossbar.clear_releases();
    due = crossbar.next_due(now);
  }
  return departures;
}

}  // namespace

TEST_CASE("cycles in which a network of flits is not due change nothing") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed);
    const CrossbarConfig shape = draw_shape(random);
    const std::vector<Packet> plan = draw_packets(random);
    const std::vector<Departure> lazy = run(shape, plan, false);
    CAPTURE(seed);
    REQUIRE(lazy.size() == plan.size());
    CHECK(run(shape, plan, true) == lazy);
  }
}
