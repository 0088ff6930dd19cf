#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "models/common/time_queue.h"
#include "models/traffic/gap_table.h"
#include "models/traffic/traffic_mix.h"
#include "models/traffic/traffic_stats.h"

namespace strata {

/// The traffic of several ports: when accesses come up, what they are, how many are open. No SystemC.
///
/// In every cycle an access comes up with a chance of `load`, whatever became of those before it; accesses of
/// a port leave in that order. Only the first one that has not left is remembered: the times of those behind
/// it are drawn when they are needed, so an endless backlog takes no room.
class TrafficCore {
 public:
  /// `first_port` and `all_ports`: place of these ports among those of all generators, for `stride`.
  TrafficCore(const TrafficParams& params, std::uint64_t run_seed, std::string_view name, int first_port,
              int all_ports);

  /// First cycle in which `port` has something to do: send, or take in an answer that it waits for. `never`:
  /// an answer must come first, or all is done.
  Cycle due(int port) const;
  /// Earliest cycle in which any port sends, when all that may send wait for their next access.
  Cycle next_access() const;
  /// Take in the answers that are there before cycle `now`: each leaves its place to another from then on.
  void take_replies(int port, Cycle now);
  /// An access has come up by `now`, and one more may be open.
  bool may_send(int port, Cycle now) const {
    const Port& p = at(port);
    return p.next <= now && p.open < most_open_;
  }
  /// Send the first that waits. Only when may_send(). `change`: makes another access of the one that is
  /// drawn.
  template <class Change>
  TrafficAccess send(int port, Cycle now, Change change);
  TrafficAccess send(int port, Cycle now) {
    return send(port, now, [](const TrafficAccess& access) { return access; });
  }
  /// The answer to an access of `port` is there in cycle `cycle`, now or later.
  void answer(int port, Cycle cycle, bool at_once);

  /// The last answer was taken in at every port.
  bool finished() const { return running_ == 0; }
  Cycle end_cycle() const { return finished() ? end_ : 0; }
  std::uint64_t total() const { return static_cast<std::uint64_t>(total_) * ports_.size(); }
  int ports() const { return static_cast<int>(ports_.size()); }
  int open(int port) const { return at(port).open; }
  bool all_sent(int port) const { return at(port).left == 0; }

  const TrafficStats& stats() const { return stats_; }
  TrafficStats& stats() { return stats_; }
  /// Bring counters of time and of the backlog up to `now`; answers before it are taken in.
  void settle(Cycle now);
  void reset_stats(Cycle now);

 private:
  struct Port {
    RandomStream arrivals;
    RandomStream choices;
    Cycle next = never;  // when the first access came up that was not sent; never: none is left
    int left = 0;        // accesses that were not sent
    int open = 0;
    std::uint64_t walk = 0;  // line to which `stride` has come
    TimeQueue<> answers;     // known, not taken in; 1: at once
  };
  Port& at(int port) { return ports_[static_cast<std::size_t>(port)]; }
  const Port& at(int port) const { return ports_[static_cast<std::size_t>(port)]; }
  void finish(Cycle last_reply);
  std::uint64_t backlog(const Port& port, Cycle now) const;

  const GapTable gaps_;
  const TrafficMix mix_;
  const int most_open_;
  const int total_;
  int running_ = 0;  // ports that have not finished
  Cycle end_ = 0;
  Cycle counted_from_ = 0;
  std::vector<Port> ports_;
  TrafficStats stats_;
};

inline Cycle TrafficCore::due(int port) const {
  const Port& p = at(port);
  if (p.left != 0 && p.open < most_open_) return p.next;
  if (p.answers.empty()) return never;
  const Cycle answer = p.answers.next() + 1;
  return p.left == 0 ? answer : std::max(answer, p.next);
}

inline void TrafficCore::take_replies(int port, Cycle now) {
  Port& p = at(port);
  while (p.answers.next() < now) {
    const TimeQueue<>::Event answer = p.answers.pop();
    ++(answer.value != 0 ? stats_.answered_at_once : stats_.round_trips);
    if (--p.open == 0 && p.left == 0) finish(answer.at);
  }
}

template <class Change>
[[gnu::always_inline]] inline TrafficAccess TrafficCore::send(int port, Cycle now, Change change) {
  Port& p = at(port);
  const TrafficAccess access = change(mix_.draw(p.choices, p.walk));
  ++(access.access_class == AccessClass::store    ? stats_.stores
     : access.access_class == AccessClass::load   ? stats_.loads
     : access.access_class == AccessClass::atomic ? stats_.atomics
                                                  : stats_.read_only_loads);
  ++stats_.sent;
  stats_.backlog_cycles += now - p.next;
  ++p.open;
  p.next = --p.left == 0 ? never : p.next + gaps_.draw(p.arrivals);
  return access;
}

inline void TrafficCore::answer(int port, Cycle cycle, bool at_once) {
  at(port).answers.push(cycle, at_once ? 1 : 0);
}

}  // namespace strata
