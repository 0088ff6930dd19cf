// The network of a router stage in lt: directed cases by hand, then random packets against its laws.
#include <deque>
#include <random>

#include "models/router_stage/reserved_crossbar_hot.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

// 4 stages behind a link of 1 cycle, 1 VC of 8 flits: what router_stage has by default.
CrossbarShape shape_of(int inputs, int outputs) {
  CrossbarShape shape;
  shape.inputs = inputs;
  shape.outputs = outputs;
  shape.vc_flits = 8;
  shape.enter = 5;
  shape.in_bubble = 2;
  shape.out_bubble = 1;
  shape.credit_delay = 1;
  return shape;
}

struct Packet {
  Access access;
  int input = 0;
  int output = 0;
  Cycle came = 0;
  Cycle link_free = never;
  Cycle left = never;  // its head
  Cycle end = never;   // the cycle behind its tail
};

/// Drives one network as RouterStageLt does, cycle by cycle.
class Bench {
 public:
  explicit Bench(const CrossbarShape& shape) : network(shape), shape_(shape) {}
  virtual ~Bench() = default;

  Packet& send(int input, int output, int flits, Cycle at) {
    Packet& packet = packets.emplace_back();
    packet.access.flits = static_cast<std::uint8_t>(flits);
    packet.access.pc = static_cast<std::uint32_t>(packets.size() - 1);
    packet.input = input;
    packet.output = output;
    packet.came = at;
    if (!network.is_clear(input)) run(input);
    if (network.is_clear(input)) {
      ReservedCrossbar::Departure departure;
      packet.link_free = network.arrive(packet.access, input, output, at, now, departure);
      if (departure.access != nullptr) depart(departure);
    } else {
      packet.link_free = network.append(packet.access, input, output, at);
    }
    if (packet.link_free == never) outside_.push_back(&packet);
    let_in(input);
    run(input);
    return packet;
  }
  void run(int input) {
    ReservedCrossbar::Departure departure;
    while (network.due(input) <= now && network.decide(input, departure)) {
      depart(departure);
      let_in(input);
    }
  }
  void run_until(Cycle cycle) {
    for (; now < cycle; ++now)
      for (int i = 0; i < shape_.inputs; ++i) run(i);
  }
  /// The held packet of `output` is through.
  void release(int output, Cycle at) {
    const int input = network.unblock(output, at);
    REQUIRE(input >= 0);
    Packet& packet = *held_[static_cast<std::size_t>(output)];
    packet.end = std::max(at, packet.left + packet.access.flits);
    for (int next = network.next_waiting(output); next >= 0; next = network.next_waiting(output)) run(next);
    let_in(input);
    run(input);
  }

  ReservedCrossbar network;
  std::deque<Packet> packets;
  Cycle now = 0;
  /// The cycle in which the link behind `output` is free again; never: release() will say.
  virtual Cycle take(const Packet& packet) { return packet.left + packet.access.flits; }

 private:
  void depart(const ReservedCrossbar::Departure& departure) {
    Packet& packet = packets[departure.access->pc];
    REQUIRE(packet.output == departure.output);
    packet.left = departure.at;
    const Cycle free = take(packet);
    if (free == never) {
      held_[departure.output] = &packet;
      return network.held(departure);
    }
    packet.end = std::max(free, packet.left + packet.access.flits);
    network.left(departure, free);
  }
  void let_in(int input) {
    for (;;) {
      const ReservedCrossbar::Entry entry = network.enters(input);
      if (entry.until == never) return;
      const auto place =
          std::find_if(outside_.begin(), outside_.end(), [&](Packet* p) { return p->input == input; });
      REQUIRE(place != outside_.end());
      REQUIRE((*place)->came == entry.came);
      (*place)->link_free = entry.until;
      outside_.erase(place);
    }
  }

  CrossbarShape shape_;
  std::deque<Packet*> outside_;
  std::array<Packet*, 64> held_{};
};

}  // namespace

TEST_CASE("a lone packet leaves as soon as the pipeline lets it, and that is known when it comes") {
  Bench bench(shape_of(2, 2));
  const Packet& packet = bench.send(0, 1, 5, 0);
  CHECK(packet.left == 5);       // link 1, stages 4
  CHECK(packet.link_free == 5);  // its flits came in cycles 0 to 4
  CHECK(bench.network.drained());
}

TEST_CASE("an output serves first the packet that could leave first, with a bubble between two") {
  Bench bench(shape_of(3, 2));
  const Packet& first = bench.send(0, 0, 5, 0);
  const Packet& second = bench.send(1, 0, 1, 0);
  const Packet& other = bench.send(2, 1, 1, 0);
  CHECK(first.left == 5);
  CHECK(second.left == 11);  // 5 flits from 5 on, 1 bubble
  CHECK(other.left == 5);
  CHECK(bench.network.counters().conflicts == 1);
}

TEST_CASE("who waits behind another of its input leaves 2 cycles after that one's tail") {
  Bench bench(shape_of(2, 2));
  bench.send(0, 0, 5, 0);
  const Packet& behind = bench.send(0, 1, 1, 5);
  bench.run_until(30);
  CHECK(behind.left == 12);  // the tail leaves in 9
}

TEST_CASE("a full buffer of a reserved crossbar holds its sender for exactly as long as slots are missing") {
  Bench bench(shape_of(2, 1));
  bench.send(1, 0, 8, 0);                        // keeps the output busy: cycles 5 to 12
  const Packet& first = bench.send(0, 0, 5, 0);  // leaves in 14 to 18
  const Packet& second = bench.send(0, 0, 5, 5);
  bench.run_until(40);
  CHECK(first.left == 14);
  // 3 slots are free; the first two flits of the packet before leave theirs in 14 and 15, whose slots take
  // flits again in 15 and 16: the link is free in 17.
  CHECK(second.link_free == 17);
  CHECK(second.left == 21);  // 2 cycles behind the tail of the first
}

TEST_CASE("who waits for a next hop without room goes first when there is some") {
  class Stubborn final : public Bench {
   public:
    using Bench::Bench;
    Cycle take(const Packet& packet) override {
      return packet.output == 0 && packet.left < 50 ? never : Bench::take(packet);
    }
  };
  Stubborn bench(shape_of(4, 2));
  const Packet& held = bench.send(0, 0, 1, 0);
  const Packet& in_line = bench.send(1, 0, 1, 1);
  const Packet& later = bench.send(2, 0, 1, 2);
  const Packet& elsewhere = bench.send(3, 1, 1, 2);
  const Packet& stuck = bench.send(0, 1, 1, 3);  // behind the one that is held
  bench.run_until(50);
  CHECK(held.left == 5);
  CHECK(elsewhere.left == 7);
  CHECK(in_line.left == never);
  CHECK(stuck.left == never);
  CHECK(bench.network.blocked_input(0) >= 0);
  bench.release(0, 60);
  bench.run_until(90);
  CHECK(in_line.left == 61);  // a bubble behind the one that was through in 60
  CHECK(later.left == 63);
  CHECK(stuck.left == 62);  // 2 cycles behind it
  CHECK(bench.network.counters().blocked == 1);
  CHECK(bench.network.counters().blocked_cycles == 54);  // from 6, when its only flit would have been gone
}

TEST_CASE("a packet that was refused after it had left keeps its output busy") {
  Bench bench(shape_of(2, 1));
  bench.send(0, 0, 1, 0);
  bench.network.refused(0);
  const Packet& next = bench.send(1, 0, 1, 3);
  bench.run_until(20);
  CHECK(next.left == never);
  CHECK(bench.network.unblock(0, 30) == -1);  // no input waits for it
  bench.run(bench.network.next_waiting(0));
  CHECK(next.left == 31);
}

TEST_CASE("a packet longer than the buffer frees its link as it passes through") {
  CrossbarShape latch = shape_of(1, 1);  // a bypassed stage: one cycle, two slots
  latch.enter = 1;
  latch.vc_flits = 2;
  latch.in_bubble = latch.out_bubble = 0;
  Bench bench(latch);
  bench.now = 10;
  const Packet& first = bench.send(0, 0, 5, 10);
  CHECK(first.left == 11);
  CHECK(first.link_free == 15);  // nothing holds it up
  bench.now = 15;
  const Packet& second = bench.send(0, 0, 5, 15);
  CHECK(second.left == 16);
}

namespace {

/// Next hops that are slow, or say nothing for a while.
class Random final : public Bench {
 public:
  Random(const CrossbarShape& shape, std::uint64_t seed) : Bench(shape), random(seed) {}
  Cycle take(const Packet& packet) override {
    const Cycle through = packet.left + packet.access.flits;
    if (random() % 8 == 0) {
      releases.push_back({packet.output, through + random() % 60});
      return never;
    }
    return through + (random() % 4 == 0 ? random() % 20 : 0);
  }
  struct Release {
    int output;
    Cycle at;
  };
  std::mt19937_64 random;
  std::vector<Release> releases;
};

// Slots taken in the input of `last` when its tail is in.
int slots_taken(const Random& bench, const Packet& last, const CrossbarShape& shape) {
  int taken = 0;
  const Cycle now = last.link_free - 1;
  for (const Packet& packet : bench.packets) {
    if (packet.input != last.input || packet.came > last.came) continue;
    for (int flit = 0; flit < packet.access.flits; ++flit) {
      const Cycle leaves = packet.end - packet.access.flits + static_cast<Cycle>(flit);
      if (leaves + static_cast<Cycle>(shape.credit_delay) > now) ++taken;
    }
  }
  return taken;
}

void judge(const Random& bench, const CrossbarShape& shape) {
  std::vector<std::vector<const Packet*>> by_output(static_cast<std::size_t>(shape.outputs));
  std::vector<const Packet*> before(static_cast<std::size_t>(shape.inputs));
  for (const Packet& packet : bench.packets) {
    REQUIRE(packet.left != never);
    REQUIRE(packet.left >= packet.came + static_cast<Cycle>(shape.enter));
    REQUIRE(packet.link_free >= packet.came + packet.access.flits);
    REQUIRE(slots_taken(bench, packet, shape) <= shape.vc_flits);
    by_output[static_cast<std::size_t>(packet.output)].push_back(&packet);
    const Packet*& previous = before[static_cast<std::size_t>(packet.input)];
    if (previous != nullptr) REQUIRE(packet.left >= previous->end + static_cast<Cycle>(shape.in_bubble));
    previous = &packet;
  }
  for (auto& packets : by_output) {
    std::sort(packets.begin(), packets.end(),
              [](const Packet* a, const Packet* b) { return a->left < b->left; });
    for (std::size_t i = 1; i < packets.size(); ++i)
      REQUIRE(packets[i]->left >= packets[i - 1]->end + static_cast<Cycle>(shape.out_bubble));
  }
}

void random_packets(int inputs, int outputs, int ahead, std::uint64_t seed) {
  INFO("seed " << seed);
  const CrossbarShape shape = shape_of(inputs, outputs);
  Random bench(shape, seed);
  bench.network.decide_ahead(static_cast<Cycle>(ahead));
  std::vector<int> left(static_cast<std::size_t>(inputs), 200);
  std::vector<Packet*> last(static_cast<std::size_t>(inputs));
  for (int done = 0; done < inputs; ++bench.now) {
    REQUIRE(bench.now < 200'000);
    for (std::size_t i = 0; i < bench.releases.size();) {
      if (bench.releases[i].at > bench.now) {
        ++i;
        continue;
      }
      const auto release = bench.releases[i];
      bench.releases.erase(bench.releases.begin() + static_cast<std::ptrdiff_t>(i));
      bench.release(release.output, release.at);
    }
    for (int i = 0; i < inputs; ++i) {
      const auto index = static_cast<std::size_t>(i);
      bench.run(i);
      // Told up to `ahead` cycles before it comes, once the link is known to be free then.
      if (left[index] == 0 || bench.random() % 3 == 0) continue;
      const Cycle at = bench.now + static_cast<Cycle>(ahead);
      if (last[index] != nullptr && last[index]->link_free > at) continue;
      last[index] = &bench.send(i, static_cast<int>(bench.random() % static_cast<unsigned>(outputs)),
                                bench.random() % 2 == 0 ? 1 : 5, at);
      if (--left[index] == 0) ++done;
    }
  }
  const Cycle end = bench.now + 100'000;
  for (; bench.now < end && !(bench.network.drained() && bench.releases.empty()); ++bench.now) {
    for (int i = 0; i < inputs; ++i) bench.run(i);
    for (std::size_t i = 0; i < bench.releases.size(); ++i) {
      if (bench.releases[i].at > bench.now) continue;
      const auto release = bench.releases[i];
      bench.releases.erase(bench.releases.begin() + static_cast<std::ptrdiff_t>(i));
      bench.release(release.output, release.at);
      break;
    }
  }
  REQUIRE(bench.network.drained());
  Faults faults;
  bench.network.check_idle(faults, "request");
  CHECK(faults.empty());
  const CrossbarCounters counters = bench.network.counters();
  CHECK(counters.packets_in == bench.packets.size());
  CHECK(counters.packets_out == bench.packets.size());
  CHECK(counters.flits_in == counters.flits_out);
  judge(bench, shape);
}

}  // namespace

TEST_CASE("random packets keep order, bubbles, buffers and links: 4x4") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) random_packets(4, 4, 0, seed);
}
TEST_CASE("random packets keep order, bubbles, buffers and links: told 9 cycles ahead") {
  for (std::uint64_t seed = 11; seed <= 20; ++seed) random_packets(5, 3, 9, seed);
}
TEST_CASE("random packets keep order, bubbles, buffers and links: concentrator") {
  for (std::uint64_t seed = 21; seed <= 25; ++seed) random_packets(10, 1, 0, seed);
}
