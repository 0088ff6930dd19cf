#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/common/access_watch_if.h"
#include "platforms/report/run_observer.h"

namespace strata::platforms {

/// Lines that several SMs touch within a kernel (SelRep, figures 4 and 7): how many of them the kernel does
/// not write, and what share of their loads the LLC serves. A line counts once per kernel. D: a load that
/// merges with a fill of its L1 counts as served there; stores and atomics are not loads.
class SharedData {
 public:
  /// `line`: of the address map; L1s may request parts of it.
  explicit SharedData(std::uint64_t line = 128) : within_line_(line - 1) {}
  void observe(const Access& access, bool at_llc);
  /// Counts the lines of the last kernel.
  void finish();

  std::uint64_t lines = 0;            ///< touched by at least two SMs
  std::uint64_t read_only_lines = 0;  ///< of these: only loaded
  std::uint64_t loads = 0;            ///< of such lines
  std::uint64_t llc_loads = 0;        ///< of these: served by the LLC

 private:
  struct Line {
    std::uint32_t kernel = 0;
    std::uint32_t l1_loads = 0, llc_loads = 0;
    std::uint16_t sm = 0;  // the first that touched it
    bool shared = false;
    bool written = false;
  };
  void count(const Line& line);

  Address within_line_;
  std::unordered_map<Address, Line> lines_;
};

/// Watches the L1s and the LLC slices of a platform.
class SharingObserver final : public RunObserver {
 public:
  explicit SharingObserver(const Platform& platform);
  SharingObserver(const SharingObserver&) = delete;
  SharingObserver& operator=(const SharingObserver&) = delete;
  std::vector<SummaryRow> figures() override;

 private:
  struct Watch final : AccessWatchIf {
    Watch(SharedData& to, bool llc) : data(to), at_llc(llc) {}
    void seen(const Access& access, Cycle) override { data.observe(access, at_llc); }
    SharedData& data;
    bool at_llc;
  };
  SharedData data_;
  Watch l1_{data_, false}, llc_{data_, true};
};

/// Names, units and sentences of its figures, values zero.
std::vector<SummaryRow> describe_sharing();

}  // namespace strata::platforms
