#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "platforms/report/summary.h"
#include "platforms/report/verdict.h"

namespace strata::platforms {

/// What is known of one launch of a kernel, or of all of one name.
struct KernelFigures {
  std::string name;
  std::size_t kernel = 0;      ///< number in the trace
  std::uint64_t launches = 1;  ///< of the name
  bool complete = true;
  Cycle began = 0, cycles = 0;
  Summary summary;
  LedgerTotals ledger;
  Verdict verdict;
};

/// Reads all counters whenever a kernel ends (`strata run --by-kernel`), so that each has its figures, ledger
/// and verdict. A kernel's time begins where that before it ended: launch, drain and flush count. What a
/// module counts of its busiest part is, of a kernel, that part's count at least.
class KernelRecorder {
 public:
  KernelRecorder(const Platform& platform, const InstructionSource& source)
      : platform_(platform), source_(source) {}

  void kernel_ended(std::size_t kernel, Cycle now) { record(kernel, now, true); }
  /// At the end of the run: of a kernel that was cut off.
  void end(Cycle now) {
    if (next_ < source_.kernels().size() && now > began_) record(next_, now, false);
  }

  const std::vector<KernelFigures>& launches() const { return launches_; }
  /// Those of one name together, in the order of their first launches.
  std::vector<KernelFigures> names() const;

 private:
  struct Sum {
    std::uint64_t launches = 0;
    std::size_t first = 0;
    Cycle cycles = 0;
    std::vector<InstanceStats> tables;
    LedgerTotals ledger;
  };
  void record(std::size_t kernel, Cycle now, bool complete);
  void fill(KernelFigures& figures, const std::vector<InstanceStats>& tables) const;

  const Platform& platform_;
  const InstructionSource& source_;
  std::size_t next_ = 0;  // kernel
  Cycle began_ = 0;
  std::vector<InstanceStats> tables_;  // as they stood then
  LedgerTotals ledger_;
  std::vector<KernelFigures> launches_;
  std::map<std::string, Sum> sums_;
};

/// kernels.json: every launch, and every name summed.
std::string kernels_json(const KernelRecorder& kernels, const LedgerPlaces& places);

}  // namespace strata::platforms
