#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "models/tlm/run_driver.h"
#include "platforms/report/application_figures.h"
#include "platforms/report/launch_counts.h"
#include "platforms/report/verdict.h"

namespace strata::platforms {

/// Figures of one launch that ran beside others.
struct KernelPart {
  std::string name;
  std::size_t kernel = 0;
  std::uint64_t stream = 0;
  bool complete = true;
  Cycle began = 0, ended = 0;
  std::uint64_t ctas = 0, warp_instructions = 0;  ///< of the CTAs that were launched
};

/// The launches of one of several streams of an application.
struct StreamFigures {
  std::uint64_t stream = 0;
  int application = all_applications;
  std::uint64_t launches = 0, ctas = 0, warp_instructions = 0;
  Cycle began = 0, ended = 0;
  Cycle busy = 0;  ///< cycles in which one of its launches ran
};

/// Figures of one launch of a kernel, of several launches that ran side by side, or of all launches of one
/// name.
struct KernelFigures {
  std::string name;                    ///< of several: all names, as `2 x a + b`
  int application = all_applications;  ///< of several
  std::size_t kernel = 0;              ///< number in the trace; of several launches the lowest
  std::uint64_t launches = 1;          ///< of the name, or side by side
  bool complete = true;
  Cycle began = 0, cycles = 0;
  Summary summary;
  LedgerTotals ledger;
  double spared = 0;               ///< misses that L1s of twice the size would avoid
  std::optional<Verdict> verdict;  ///< empty for one of several applications: none has the machine to itself
  LaunchCounts counts;             ///< for launches only, not for names
  std::vector<KernelPart> parts;   ///< the launches that ran side by side
};

/// Reads all counters whenever a kernel ends (`strata run --by-kernel`), so that each kernel has its figures,
/// ledger and verdict. The time of a kernel begins at the end of the previous one: launch, drain and flush
/// count. Kernels that run side by side have one entry, from the end of the previous kernels to the end of
/// the last of them. A module's count of its busiest part is, for a kernel, a lower bound: the count of that
/// part. For one of several applications it reads what blocks count for it alone, until its program has ended
/// for the first time.
class KernelRecorder {
 public:
  KernelRecorder(const Platform& platform, const InstructionSource& source)
      : platform_(platform), source_(source) {}
  /// For one of several applications, on so many SMs of each cluster.
  KernelRecorder(const Platform& platform, const InstructionSource& source, int application, int first_sm,
                 int sms)
      : platform_(platform), source_(source), application_(application), first_sm_(first_sm), sms_(sms) {}

  /// Source of the misses so far that L1s of twice the size would have avoided: kernels get their share.
  void watch(std::function<double()> spared) { spared_ = std::move(spared); }
  /// Source of the sectors so far: launches get theirs in `counts`. It must outlive the run.
  void watch(const SectorRecorder& sectors) { sectors_ = &sectors; }
  /// Sets the tail of the run in the verdict, if the run is one launch.
  void set_tail(const std::string& tail);
  /// `alone`: no other kernel of the application runs.
  void kernel_ended(std::size_t kernel, bool alone, Cycle now);
  /// Call at the end of the run, for kernels that were cut off. Events after the end of the last kernel but
  /// in the same core cycle count for it too.
  void end(Cycle now);

  const std::vector<KernelFigures>& launches() const { return launches_; }
  const InstructionSource& source() const { return source_; }
  int application() const { return application_; }
  std::vector<KernelSpan> spans() const;
  /// Sums over the launches of each name, in the order of their first launches.
  std::vector<KernelFigures> names() const;
  /// Empty if all kernels belong to one stream.
  std::vector<StreamFigures> streams() const;

 private:
  struct Counts {
    std::vector<InstanceStats> tables;
    LedgerTotals ledger;
  };
  struct Sum {
    std::uint64_t launches = 0, done = 0;
    std::size_t first = 0;
    Cycle cycles = 0;
    double spared = 0;
    std::vector<InstanceStats> tables;
    LedgerTotals ledger;
  };
  void add_rest(Cycle now);
  Counts counts(Cycle now) const;
  LaunchSectors new_sectors();
  KernelPart part_of(std::size_t kernel, const std::vector<KernelSpan>& spans, Cycle now) const;
  void record(std::vector<std::size_t> kernels, Cycle now, bool complete);
  void fill(KernelFigures& figures, const std::vector<InstanceStats>& tables, std::uint64_t done) const;

  const Platform& platform_;
  const InstructionSource& source_;
  const int application_ = all_applications, first_sm_ = 0, sms_ = 0;
  std::size_t recorded_ = 0;               // number of recorded kernels
  std::vector<std::size_t> ended_beside_;  // kernels that have ended beside others that still run
  Cycle ended_ = 0;                        // end of the program in the run
  Cycle began_ = 0;
  std::vector<InstanceStats> tables_;  // values at that time
  LedgerTotals ledger_;
  std::function<double()> spared_;
  double spared_before_ = 0;
  const SectorRecorder* sectors_ = nullptr;
  LaunchSectors sectors_before_;
  std::vector<InstanceStats> last_;  // of the last launches
  std::string tail_;
  std::vector<KernelFigures> launches_;
  std::map<std::string, Sum> sums_;
};

/// One for each application.
using KernelRecorders = std::vector<std::unique_ptr<KernelRecorder>>;

/// kernels.json: every launch, and the sums of every name.
std::string kernels_json(const KernelRecorders& kernels, const LedgerPlaces& places);

}  // namespace strata::platforms
