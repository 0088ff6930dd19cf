#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "models/common/access.h"
#include "models/common/random_stream.h"
#include "models/traffic/traffic_params.h"
#include "models/traffic/traffic_stats.h"

namespace strata {

/// What a port sends next.
struct TrafficAccess {
  AccessClass access_class;
  Address line;
};

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
  /// Take in the answers that are there before cycle `now`: each leaves its place to another from then on.
  void take_answers(int port, Cycle now);
  /// An access has come up by `now`, and one more may be open.
  bool may_send(int port, Cycle now) const {
    const Port& p = ports_[static_cast<std::size_t>(port)];
    return p.next <= now && p.open < most_open_;
  }
  /// Send the first that waits. Only when may_send().
  TrafficAccess send(int port, Cycle now);
  /// The answer to an access of `port` is there in cycle `at`, now or later, `latency` cycles after the
  /// access was sent.
  void answer(int port, Cycle at, std::uint64_t latency, bool at_once);

  /// The last answer was taken in at every port.
  bool finished() const { return running_ == 0; }
  Cycle end_cycle() const { return finished() ? end_ : 0; }
  std::uint64_t total() const { return static_cast<std::uint64_t>(total_) * ports_.size(); }
  int ports() const { return static_cast<int>(ports_.size()); }
  int open(int port) const { return ports_[static_cast<std::size_t>(port)].open; }
  bool all_sent(int port) const { return ports_[static_cast<std::size_t>(port)].left == 0; }

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
    std::uint64_t walked = 0;            // steps of `stride`
    std::vector<std::uint64_t> answers;  // known, not taken in: heap of cycle * 2 + at_once
    Cycle next_answer() const { return answers.empty() ? never : answers.front() >> 1; }
  };
  Cycle gap(RandomStream& stream) const;
  Address line(Port& port, int index);
  std::uint64_t backlog(const Port& port, Cycle now) const;

  static constexpr std::size_t gap_table = 64;
  std::array<std::uint64_t, gap_table> longer_{};  // 2^53 * chance that a gap is longer than i + 1 cycles
  std::uint64_t load_at_;                          // 2^53 * chance of a load
  std::uint64_t read_only_at_;
  std::uint64_t hot_at_;
  TrafficPattern pattern_;
  std::uint64_t lines_;
  std::uint64_t hot_lines_;
  std::uint64_t stride_lines_;
  std::uint64_t line_bytes_;
  int most_open_;
  int total_;
  int first_port_;
  int all_ports_;
  int running_ = 0;  // ports that have not finished
  Cycle end_ = 0;
  Cycle counted_from_ = 0;
  std::vector<Port> ports_;
  TrafficStats stats_;
};

}  // namespace strata
