#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/common/draft.h"
#include "platforms/report/timing_report.h"

namespace strata::cli {

/// A platform to be run in both timings.
struct LtMachine {
  std::string platform;
  std::vector<std::string> lt_sets;  ///< what the lt run differs in; empty: all of it is lt
  /// In headings and legends.
  std::string title() const;
};

/// What is run on them: every trace on platforms with a dispatcher, every load with every seed on platforms
/// that make their own traffic.
struct LtPlan {
  std::vector<LtMachine> machines;
  std::vector<std::string> traces;
  std::vector<double> loads;
  int seeds = 0;
  int jitters = 0;  ///< further runs of each trace in at, with starts of CTAs up to 2 cycles apart
  int repeats = 1;  ///< runs of each timing, in turn; the least processor time of each counts
  std::vector<std::string> sets;
};

/// Thrown when a signal asked for the end.
struct Interrupted {};

/// Runs platforms in at and in lt, each run in a process of its own.
class LtCampaign {
 public:
  explicit LtCampaign(LtPlan plan);
  ~LtCampaign();
  LtCampaign(const LtCampaign&) = delete;
  LtCampaign& operator=(const LtCampaign&) = delete;

  /// Throws ConfigError when a platform cannot be run.
  platforms::TimingSamples run();
  /// Directories of the last results.
  // A folder further down: who puts results into a folder locks it, and this process holds that lock of its
  // scratch.
  std::string results(const char* name) const { return scratch_.path() + "/results/" + name; }
  std::string at_results() const { return results("at"); }
  std::string lt_results() const { return results("lt"); }

 private:
  /// What a platform lets us set, by the names of its instances.
  struct Parts {
    std::vector<std::string> generators;
    std::vector<std::string> dispatchers;
  };
  using Words = std::vector<std::string>;

  Parts parts_of(const LtMachine& machine) const;
  Words words_of(const LtMachine& machine, const Parts& parts, const platforms::TimingSample& sample) const;
  void run_again(const LtMachine& machine, const Parts& parts, const Words& words,
                 platforms::TimingSample& sample);
  void run_case(const LtMachine& machine, const Parts& parts, platforms::TimingSample& sample);
  platforms::TimingFigures run_once(Words words, bool lt, const LtMachine& machine,
                                    const std::string& out) const;
  void show(const std::string& what);

  const LtPlan plan_;
  Draft scratch_;
  std::size_t done_ = 0;
  bool shown_ = false;
};

}  // namespace strata::cli
