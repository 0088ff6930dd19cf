#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "platforms/report/application_figures.h"
#include "platforms/report/verdict.h"

namespace strata::platforms {

/// What is known of one launch of a kernel, or of all of one name.
struct KernelFigures {
  std::string name;
  int application = all_applications;  ///< of several
  std::size_t kernel = 0;              ///< number in the trace
  std::uint64_t launches = 1;          ///< of the name
  bool complete = true;
  Cycle began = 0, cycles = 0;
  Summary summary;
  LedgerTotals ledger;
  std::optional<Verdict> verdict;  ///< not of one of several applications: none has the machine for itself
};

/// Reads all counters whenever a kernel ends (`strata run --by-kernel`), so that each has its figures, ledger
/// and verdict. A kernel's time begins where that before it ended: launch, drain and flush count. What a
/// module counts of its busiest part is, of a kernel, that part's count at least. Of one of several
/// applications it reads what blocks count of it alone, until its program has ended for the first time.
class KernelRecorder {
 public:
  KernelRecorder(const Platform& platform, const InstructionSource& source)
      : platform_(platform), source_(source) {}
  /// Of one of several applications, on so many SMs of each cluster.
  KernelRecorder(const Platform& platform, const InstructionSource& source, int application, int first_sm,
                 int sms)
      : platform_(platform), source_(source), application_(application), first_sm_(first_sm), sms_(sms) {}

  void kernel_ended(std::size_t kernel, Cycle now) {
    if (kernel == next_) record(kernel, now, true);  // else the program runs again
  }
  /// At the end of the run: of a kernel that was cut off.
  void end(Cycle now) {
    if (next_ < source_.kernels().size() && now > began_) record(next_, now, false);
  }

  const std::vector<KernelFigures>& launches() const { return launches_; }
  /// Those of one name together, in the order of their first launches.
  std::vector<KernelFigures> names() const;

 private:
  struct Counts {
    std::vector<InstanceStats> tables;
    LedgerTotals ledger;
  };
  struct Sum {
    std::uint64_t launches = 0;
    std::size_t first = 0;
    Cycle cycles = 0;
    std::vector<InstanceStats> tables;
    LedgerTotals ledger;
  };
  Counts counts(Cycle now) const;
  void record(std::size_t kernel, Cycle now, bool complete);
  void fill(KernelFigures& figures, const std::vector<InstanceStats>& tables) const;

  const Platform& platform_;
  const InstructionSource& source_;
  const int application_ = all_applications, first_sm_ = 0, sms_ = 0;
  std::size_t next_ = 0;  // kernel
  Cycle began_ = 0;
  std::vector<InstanceStats> tables_;  // as they stood then
  LedgerTotals ledger_;
  std::vector<KernelFigures> launches_;
  std::map<std::string, Sum> sums_;
};

/// One an application.
using KernelRecorders = std::vector<std::unique_ptr<KernelRecorder>>;

/// kernels.json: every launch, and every name summed.
std::string kernels_json(const KernelRecorders& kernels, const LedgerPlaces& places);

}  // namespace strata::platforms
