#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "models/common/coalesce.h"
#include "models/sm_cluster/sm_cluster_params.h"

namespace strata::tb {

/// One warp on one scheduler, word for word as docs/blocks/sm-cluster.md says it and cycle by cycle: every
/// register has a time from which it can be used, and every instruction looks at all of them. A specification
/// to hold SmCore against, as slow as it is plain.
class RegisterSm {
 public:
  struct Line {
    Cycle sent;
    Address line;
    std::uint8_t sectors;
  };

  /// `latency`: from sending a line to its answer.
  RegisterSm(const SmClusterParams& params, const CtaTrace& cta, Cycle latency)
      : params_(params), cta_(cta), latency_(latency) {
    ready_.fill(0);
    for (Cycle now = 1; next_ < cta.instructions.size() || !queue_.empty() || !loads_.empty(); ++now) {
      take_replies(now);
      send(now);
      if (next_ < cta.instructions.size()) issue(now);
    }
  }

  std::vector<Cycle> issues;
  std::vector<Line> lines;

 private:
  struct Load {
    std::size_t index;
    std::vector<Cycle> answers;  // of the lines sent
    std::size_t lines_left;
  };
  struct Queued {
    std::size_t index;
    Cycle entered;
    LineAccesses lines;
    int sent;
  };
  static bool returns(const WarpInstruction& i);
  const WarpInstruction& at(std::size_t index) const { return cta_.instructions[index]; }
  void set(const WarpInstruction& i, Cycle time);
  void end(std::size_t place);
  void take_replies(Cycle now);
  std::size_t load_of(std::size_t index) const;
  void send(Cycle now);
  bool usable(int reg, Cycle now) const {
    return reg == no_register || ready_[static_cast<std::size_t>(reg)] <= now;
  }
  static bool touches_memory(const WarpInstruction& i) {
    return touches_global_memory(i.op) || touches_shared_memory(i.op);
  }
  // How many of the instructions that it stands for execute on each of the six classes, and without a unit.
  static std::array<int, 7> on_units(const WarpInstruction& i);
  Cycle* earliest(std::size_t unit) {
    return std::min_element(units_[unit].data(), units_[unit].data() + params_.units()[unit]->units);
  }
  bool units_free(const WarpInstruction& i, Cycle now);
  Cycle begin_on_units(const WarpInstruction& i, Cycle now, Cycle last_slot);
  bool can_issue(const WarpInstruction& i, Cycle now);
  void issue(Cycle now);

  const SmClusterParams& params_;
  const CtaTrace& cta_;
  const Cycle latency_;
  std::size_t next_ = 0;
  std::array<Cycle, no_register> ready_{};
  Cycle free_ = 0, shared_free_ = 0, buffered_from_ = 0;
  int fetched_ = 0;                                       // instructions that have issued
  std::array<std::array<Cycle, most_units>, 6> units_{};  // from when on each is free
  std::deque<Queued> queue_;
  std::vector<Load> loads_;
};

}  // namespace strata::tb
