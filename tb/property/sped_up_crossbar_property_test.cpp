// A network whose inputs have several read ports, packet by packet, against a slow specification that goes
// through all outputs and all inputs in every cycle; with one port, against the network that has no more.
#include <algorithm>
#include <deque>
#include <set>
#include <tuple>
#include <vector>

#include "models/common/random_stream.h"
#include "models/noc/switching/packet_crossbar.h"
#include "models/noc/switching/sped_up_crossbar.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

constexpr int packets_per_input = 60;
constexpr Cycle first_cycle = 8;  // later than any bubble

struct Packet {
  Cycle gap;  // from the cycle in which the link was free
  int output;
  int flits;
  Cycle held;   // cycles that the next hop withholds its end; 0: it takes the packet at once
  Cycle opens;  // cycles from that end, or from its sending, to the next packet that it takes
};
using Plan = std::vector<std::vector<Packet>>;  // by input

/// What can be seen of a network from outside: in which cycle a packet left, which packet, until when its
/// sender was busy with it.
struct Seen {
  std::vector<std::tuple<Cycle, int, int>> departures;  // cycle, input, number
  std::vector<std::vector<Cycle>> links;                // by input and number: free again
};

int between(RandomStream& random, int low, int high) {
  return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

CrossbarConfig draw_shape(RandomStream& random, int most_ports) {
  CrossbarConfig shape;
  shape.inputs = between(random, 1, 5);
  shape.outputs = between(random, 1, 5);
  shape.vc_flits = between(random, 1, 12);
  shape.enter = between(random, 1, 6);
  shape.in_bubble = between(random, 0, 3);
  shape.out_bubble = between(random, 0, 1);
  shape.credit_delay = between(random, 1, shape.in_bubble + 1);
  shape.input_speedup = between(random, 1, most_ports);
  return shape;
}

Plan draw_plan(RandomStream& random, const CrossbarConfig& shape, int longest) {
  Plan plan(static_cast<std::size_t>(shape.inputs));
  const int rest = between(random, 0, 6);  // of a link between packets, at most
  for (auto& packets : plan)
    for (int n = 0; n < packets_per_input; ++n) {
      const int flits = between(random, 1, longest);
      const bool held = between(random, 0, 5) == 0;
      packets.push_back({static_cast<Cycle>(between(random, 0, rest)), between(random, 0, shape.outputs - 1),
                         flits, held ? static_cast<Cycle>(between(random, 1, 20)) : 0,
                         static_cast<Cycle>(between(random, 0, held ? 2 : flits + 3))});
    }
  return plan;
}

/// A network that is run cycle by cycle. `send(access, input, output)` returns from when on the next hop can
/// be sent to again, never: it holds the packet.
class SpedUp {
 public:
  explicit SpedUp(const CrossbarConfig& shape) : crossbar(shape) {}
  void begin(Cycle) {}
  CrossbarEntry arrive(Access& access, int input, int output, Cycle now) {
    return crossbar.arrive(access, input, output, now, now);
  }
  template <class Send, class Release>
  void arbitrate(Cycle now, const Send& send, const Release& release) {
    crossbar.begin(now);
    for (CrossbarGrant grant; crossbar.next(now, grant);) {
      const Cycle at = send(*grant.access, grant.output);
      if (at == never)
        crossbar.held(grant, now);
      else
        release(crossbar.sent(grant, at, now));
    }
  }
  SpedUpCrossbar crossbar;
};

template <bool wide>
class Plain {
 public:
  explicit Plain(const CrossbarConfig& shape)
      : crossbar(shape, PortTurns(wheel_, inputs_, 0), PortTurns(wheel_, outputs_, 0)) {}
  void begin(Cycle now) { wheel_.begin(now); }
  CrossbarEntry arrive(Access& access, int input, int output, Cycle now) {
    return crossbar.template arrive<wide>(access, input, output, now);
  }
  template <class Send, class Release>
  void arbitrate(Cycle now, const Send& send, const Release& release) {
    const std::size_t place = TimingWheel::place_of(now);
    if constexpr (wide) {
      crossbar.arbitrate(now, place, send, release);
    } else {
      const std::uint64_t inputs = std::exchange(inputs_[place], 0);
      crossbar.arbitrate(now, {inputs, std::exchange(outputs_[place], 0)}, send, release);
    }
  }

 private:
  TimingWheel wheel_;
  std::uint64_t* inputs_ = wheel_.turns(wheel_.add_word());
  std::uint64_t* outputs_ = wheel_.turns(wheel_.add_word());

 public:
  PacketCrossbar<wide> crossbar;
};

template <class Network>
Seen observe(const CrossbarConfig& shape, const Plan& plan) {
  Network network(shape);
  auto& crossbar = network.crossbar;
  std::vector<std::vector<Access>> accesses;
  for (const auto& packets : plan) accesses.emplace_back(packets.size());
  Seen seen;
  seen.links.resize(plan.size());
  std::vector<Cycle> begins(plan.size());  // of the next packet of an input; never = its sender is held
  for (std::size_t i = 0; i < plan.size(); ++i) begins[i] = first_cycle + plan[i][0].gap;
  std::set<std::tuple<Cycle, int, Cycle>> ends;  // of held packets: cycle, output, free from
  const auto free = [&](std::size_t i, Cycle at, Cycle now) {
    seen.links[i].push_back(at);
    const std::size_t number = seen.links[i].size();
    begins[i] = number < plan[i].size() ? std::max(at + plan[i][number].gap, now + 1) : never;
  };
  const auto release = [&](const CrossbarRelease& one, Cycle now) {
    if (one.input >= 0) free(static_cast<std::size_t>(one.input), one.until, now);
  };
  for (Cycle now = 0; now < 20'000; ++now) {
    network.begin(now);
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (begins[i] != now) continue;
      const std::size_t number = seen.links[i].size();
      Access& access = accesses[i][number];
      access.flits = static_cast<std::uint8_t>(plan[i][number].flits);
      access.sm = static_cast<std::uint16_t>(i);
      begins[i] = never;
      const CrossbarEntry entry = network.arrive(access, static_cast<int>(i), plan[i][number].output, now);
      if (entry.taken()) free(i, entry.at, now);
    }
    const auto send = [&](Access& access, std::size_t output) {
      const auto i = static_cast<std::size_t>(access.sm);
      const auto number = &access - accesses[i].data();
      const Packet& packet = plan[i][static_cast<std::size_t>(number)];
      REQUIRE(static_cast<int>(output) == packet.output);
      seen.departures.emplace_back(now, access.sm, static_cast<int>(number));
      if (packet.held == 0) return now + packet.opens;
      ends.insert({now + packet.held, packet.output, now + packet.held + packet.opens});
      return never;
    };
    network.arbitrate(now, send, [&](const CrossbarRelease& one) { release(one, now); });
    for (; !ends.empty() && std::get<0>(*ends.begin()) == now; ends.erase(ends.begin()))
      release(crossbar.unblock(std::get<1>(*ends.begin()), std::get<2>(*ends.begin()), now), now);
  }
  Faults faults;
  crossbar.check_idle(faults, "a");
  for (const Fault& fault : faults) UNSCOPED_INFO(fault.message);
  CHECK(faults.empty());
  CHECK(crossbar.drained());
  CHECK(crossbar.counters().packets_out == seen.departures.size());
  return seen;
}

/// The specification. Buffers are tokens, a flit of room each, that say from when on they can be used.
class Slow {
 public:
  Slow(const CrossbarConfig& shape, const Plan& plan)
      : shape_(shape), plan_(plan), inputs_(plan.size()), outputs_(static_cast<std::size_t>(shape.outputs)) {
    seen_.links.resize(plan.size());
    for (std::size_t i = 0; i < plan.size(); ++i) {
      inputs_[i].begins = first_cycle + plan[i][0].gap;
      for (int slot = 0; slot < shape.vc_flits; ++slot) inputs_[i].room.insert(0);
    }
  }
  Seen run() {
    for (Cycle now = 0; now < 20'000; ++now) {
      for (std::size_t i = 0; i < inputs_.size(); ++i)
        if (inputs_[i].begins == now) {
          inputs_[i].begins = never;
          inputs_[i].fifo.push_back({inputs_[i].next++, 0, now, now, never});
          come_in(i, now);
        }
      for (std::size_t o = 0; o < outputs_.size(); ++o) serve(o, now);
      for (std::size_t o = 0; o < outputs_.size(); ++o) finish_held(o, now);
    }
    return seen_;
  }

 private:
  struct Queued {
    int number;
    int inside;       // flits that have found room
    Cycle next_flit;  // comes in then at the earliest
    Cycle head_in;
    Cycle ready;
  };
  struct Input {
    std::deque<Queued> fifo;
    std::multiset<Cycle> room;
    std::vector<Cycle> reading;  // until when its ports are busy
    Cycle begins = 0;
    int next = 0;
    bool held = false;
  };
  struct Output {
    Cycle free = 0;
    std::size_t turn = 0;
    bool held = false;
    Cycle since = 0, end = 0;
    std::size_t input = 0;
    int number = 0;
  };

  const Packet& packet(std::size_t i, int number) const { return plan_[i][static_cast<std::size_t>(number)]; }

  // Each flit of the last packet takes the room that is there first, one a cycle.
  void come_in(std::size_t i, Cycle now) {
    Input& in = inputs_[i];
    if (in.fifo.empty()) return;
    Queued& last = in.fifo.back();
    const int flits = packet(i, last.number).flits;
    if (last.inside == flits) return;
    while (last.inside < flits && !in.room.empty()) {
      Cycle at = std::max(last.next_flit, *in.room.begin());
      if (last.inside == 0) last.head_in = at = std::max(at, now);
      in.room.erase(in.room.begin());
      last.next_flit = at + 1;
      ++last.inside;
    }
    if (last.inside < flits) return;
    // It leaves in one piece.
    last.ready = last.next_flit - static_cast<Cycle>(flits) + static_cast<Cycle>(shape_.enter);
    seen_.links[i].push_back(last.next_flit);
    const std::size_t next = seen_.links[i].size();
    if (next < plan_[i].size()) in.begins = std::max(last.next_flit + plan_[i][next].gap, now + 1);
  }

  bool may_leave(const Input& in, std::size_t o, Cycle now) const {
    if (in.fifo.empty() || in.held || in.fifo.front().ready > now) return false;
    const auto i = static_cast<std::size_t>(&in - inputs_.data());
    if (packet(i, in.fifo.front().number).output != static_cast<int>(o)) return false;
    return std::count_if(in.reading.begin(), in.reading.end(), [&](Cycle until) { return until > now; }) <
           shape_.input_speedup;
  }

  void serve(std::size_t o, Cycle now) {
    Output& output = outputs_[o];
    if (output.held || output.free > now) return;
    for (std::size_t n = 0; n < inputs_.size(); ++n) {
      const std::size_t i = (output.turn + n) % inputs_.size();
      if (!may_leave(inputs_[i], o, now)) continue;
      const int number = inputs_[i].fifo.front().number;
      inputs_[i].fifo.pop_front();
      output.turn = (i + 1) % inputs_.size();
      seen_.departures.emplace_back(now, static_cast<int>(i), number);
      if (packet(i, number).held == 0) return leave(o, i, number, now, now + packet(i, number).opens, now);
      inputs_[i].held = output.held = true;
      output.since = now;
      output.end = now + packet(i, number).held;
      output.input = i;
      output.number = number;
      return;
    }
  }

  void leave(std::size_t o, std::size_t i, int number, Cycle since, Cycle opens, Cycle now) {
    const auto flits = static_cast<Cycle>(packet(i, number).flits);
    const Cycle end = std::max(opens, since + flits);
    outputs_[o].free = end + static_cast<Cycle>(shape_.out_bubble);
    inputs_[i].reading.push_back(end + static_cast<Cycle>(shape_.in_bubble));
    for (Cycle flit = 0; flit < flits; ++flit)
      inputs_[i].room.insert(end - flits + flit + static_cast<Cycle>(shape_.credit_delay));
    come_in(i, now);
  }

  void finish_held(std::size_t o, Cycle now) {
    Output& output = outputs_[o];
    if (!output.held || output.end != now) return;
    output.held = inputs_[output.input].held = false;
    leave(o, output.input, output.number, output.since, now + packet(output.input, output.number).opens, now);
    output.free = std::max(output.free, now + 1);
  }

  CrossbarConfig shape_;
  const Plan& plan_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  Seen seen_;
};

void compare(const Seen& one, const Seen& other) {
  REQUIRE(one.departures.size() == other.departures.size());
  for (std::size_t n = 0; n < one.departures.size(); ++n) REQUIRE(one.departures[n] == other.departures[n]);
  REQUIRE(one.links == other.links);
}

}  // namespace

TEST_CASE("an input with several read ports sends in the cycles of the specification") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed);
    const CrossbarConfig shape = draw_shape(random, 6);
    const Plan plan = draw_plan(random, shape, std::min(shape.vc_flits, 6));
    const Seen fast = observe<SpedUp>(shape, plan);
    REQUIRE(fast.departures.size() == static_cast<std::size_t>(shape.inputs * packets_per_input));
    compare(fast, Slow(shape, plan).run());
  }
}

TEST_CASE("an input with one read port sends in the cycles of one without a choice") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed);
    const CrossbarConfig shape = draw_shape(random, 1);
    const Plan plan = draw_plan(random, shape, 9);  // longer than the buffer too
    const Seen sped_up = observe<SpedUp>(shape, plan);
    compare(sped_up, observe<Plain<false>>(shape, plan));
    compare(sped_up, observe<Plain<true>>(shape, plan));
  }
}
