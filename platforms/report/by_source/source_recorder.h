#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "models/common/access_watch_if.h"
#include "models/sm_cluster/sm_watch_if.h"
#include "models/tlm/call_watch_if.h"
#include "models/tlm/port_base.h"
#include "platforms/engine/netlist/platform.h"

namespace strata::platforms {

/// What one instruction of a kernel did in all warps and launches. Times are core cycles from the load/store
/// unit of the SM to the reply.
struct SourceFigures {
  AccessClass access_class = AccessClass::load;
  std::uint64_t instructions = 0;  ///< warp instructions that sent at least one line
  std::uint64_t lines = 0;         ///< line accesses that left the SM
  std::uint64_t sectors = 0;       ///< 32 B sectors of these lines
  std::uint64_t l1_looked = 0;     ///< loads that an L1 looked up
  std::uint64_t l1_hits = 0;       ///< of these, loads served without a fill request of their own
  std::uint64_t replies = 0;
  std::uint64_t line_cycles = 0;  ///< sum over replies
  std::uint64_t load_cycles = 0;  ///< loads and atomics: sum over warp instructions, up to their last reply
  /// Cycles for which warps could not go on, up to the last reply of this load. Of several loads that a warp
  /// waits for, the last to arrive has all cycles of the wait.
  std::uint64_t stall_cycles = 0;
};

/// Counts accesses by instruction (`--by-source`). It watches the bindings of the SMs and the L1s and does
/// not change the run: digests stay the same.
class SourceRecorder {
 public:
  /// Application, kernel of its source, PC.
  using Key = std::tuple<int, std::uint32_t, std::uint32_t>;
  using Figures = std::map<Key, SourceFigures>;

  SourceRecorder();
  SourceRecorder(const SourceRecorder&) = delete;
  SourceRecorder& operator=(const SourceRecorder&) = delete;
  ~SourceRecorder();

  /// Pass this to ElaborateOptions::watch; `other` sees the same calls.
  CallWatchIf* watch(const PortBase& from, CallWatchIf* other);
  /// Attaches to the platform built with this watch. Call before the run. The L1s must have no other watch.
  void attach(const Platform& platform);
  /// Call after the run.
  const Figures& figures();
  /// Cycles for which warps waited for loads: the sum over instructions, and those of loads that access no
  /// global memory.
  std::uint64_t stall_cycles() const { return stall_cycles_; }

 private:
  class Binding;
  class SmWatch;
  struct L1Watch final : AccessWatchIf {
    explicit L1Watch(SourceRecorder& owner) : recorder(owner) {}
    void seen(const Access& access, Cycle) override { recorder.looked(access, 1); }
    void missed(const Access& access, Cycle) override { recorder.looked(access, 0); }
    SourceRecorder& recorder;
  };
  /// The last instruction that took a slot in an SM's table of loads, or another instruction of the same
  /// warp.
  struct Open {
    Key key{-1, 0, 0};
    Cycle birth = 0, last = 0;
  };

  SourceFigures& of(const Access& access);
  void looked(const Access& access, std::uint64_t hits);
  void sent(const Access& access);
  void replied(const Access& access, Cycle at);
  void waited(int sm, int warp, Cycle from, Cycle until);
  static std::uint64_t place_of(int sm, int warp, int slot);
  Open& open(const Access& access);
  void close(Open& one);

  std::map<Key, SourceFigures> figures_;
  std::map<std::uint64_t, Open> open_;  ///< by SM, warp and slot in the table of loads
  std::vector<std::unique_ptr<Binding>> bindings_;
  std::deque<L1Watch> l1s_;
  std::vector<std::unique_ptr<SmWatch>> sms_;
  std::uint64_t stall_cycles_ = 0;
};

}  // namespace strata::platforms
