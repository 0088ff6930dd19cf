#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "models/cta_dispatcher/cta_dispatcher.h"
#include "models/sm_cluster/sm_cluster.h"
#include "platforms/engine/netlist/platform.h"
#include "platforms/engine/session/exit_codes.h"
#include "platforms/engine/session/progress_line.h"
#include "platforms/report/application_figures.h"
#include "platforms/report/epoch_series.h"
#include "platforms/report/stat_table.h"

namespace strata::platforms {

class ModelReports;

struct SessionOptions {
  std::uint64_t max_instructions = 0;  ///< thread instructions; 0 = all
  Cycle watchdog_cycles = 1'000'000;   ///< core cycles without any instruction or reply = livelock
  Cycle epoch_cycles = 10'000;         ///< core cycles of a line in epochs.csv
  bool l1_epochs = false;              ///< also a series for each L1
  bool progress = false;               ///< draw the progress line
  ProgressLine::Draw live;             ///< draws something else instead, from the first check on
  std::function<bool()> enough;        ///< ends the run early if it returns true; called every 1000 cycles
  /// Several applications: called for each when it is measured, in the cycle in which its program has ended.
  std::function<void(std::size_t application)> measured;
  /// Called for each kernel when it ends; `application`: its number, 0 if there is only one; `alone`: no
  /// other kernel of the application runs then.
  std::function<void(int application, std::size_t kernel, bool alone, Cycle now)> kernel_ended;
  /// Several applications: one that has ended starts again, until the slowest has issued its budget or ended
  /// its program; if false, its SMs idle from then on.
  bool repeat = true;
};

/// One of several applications: its program, as returned by traces::make_application(), and its SMs.
struct ApplicationRun {
  InstructionSource* source = nullptr;
  int sms = 0;                         ///< in each cluster, after those of the previous applications
  std::uint64_t max_instructions = 0;  ///< its budget of thread instructions; 0 = its whole program
};

/// How a run ended.
struct RunOutcome {
  int exit_code = exit_ok;
  bool partial = false;
  std::string reason;                 ///< "interrupted", "max-instructions", "deadlock", ... when partial
  std::vector<std::string> messages;  ///< error messages for stderr
  std::string wait_graph;             ///< all waits, if the run deadlocked
  Cycle cycles = 0;                   ///< core cycles
  std::uint64_t warnings = 0;
  std::vector<InstanceStats> tables;  ///< statistics at the end, if they were read for checks
};

/// Runs a platform to its end, or until something stops it. Simulated time advances in steps that depend only
/// on simulated state, so neither the host nor the progress line changes a result.
class Session {
 public:
  /// Throws ConfigError if the platform has no dispatcher or no SMs.
  Session(Platform& platform, InstructionSource& source, const SessionOptions& options);
  /// Several applications side by side. Throws ConfigError if they do not fit the machine.
  Session(Platform& platform, const std::vector<ApplicationRun>& applications, const SessionOptions& options);
  /// For a platform that makes its own traffic. Throws ConfigError if it has a dispatcher, or no traffic
  /// generator.
  Session(Platform& platform, const SessionOptions& options);

  RunOutcome run();
  /// Time series up to the end of the run.
  const EpochSeries& epochs() const { return epochs_; }
  /// One for each of several applications; empty if there is only one.
  const std::vector<ApplicationFigures>& applications() const { return figures_; }

 private:
  enum class Stop { no, finished, limit, enough, interrupted, idle, stuck, failed };

  Session(Platform& platform, std::vector<ApplicationRun> applications, const SessionOptions& options,
          int several);
  void check_parts() const;
  bool finished() const;
  Cycle end_cycle() const;
  bool failed() const { return dispatcher_ != nullptr && dispatcher_->failure() != nullptr; }
  double share_done() const;
  Stop simulate();
  void advance(Cycle now, Cycle target);
  void advance_to(Cycle target);
  Cycle next_target(Cycle now, Cycle moved) const;
  std::uint64_t retired() const;
  bool pauses(Cycle now) const;
  std::uint64_t wakes() const;
  bool all_idle() const;
  /// No event can happen any more. A third-party module may wait for its own events, which no wheel shows.
  bool dead() const { return all_idle() && !(has_external_ && sc_core::sc_pending_activity()); }
  void add_applications();
  void warm_lines(const MemcpyInfo& copy) const;
  void check_cold_launches() const;
  Cycle cold_at(Cycle now) const;
  std::uint64_t thread_instructions(int application = all_applications) const;
  void measure_application(std::size_t application, Cycle now, bool ended);
  void measure_applications(Cycle now);
  bool all_measured() const;
  double share_done(std::size_t application) const;
  Cycle cycles_to_limit() const;
  void settle();
  void show_progress(Cycle now);
  /// Message for an unexpected exception.
  static std::string message_of(const std::exception& error);
  void judge(Stop stop, const ModelReports& reports, RunOutcome& outcome);
  void hang(Stop stop, RunOutcome& outcome) const;
  void failure(RunOutcome& outcome) const;

  Platform& platform_;
  const std::vector<ApplicationRun> runs_;  // empty: traffic generators
  const SessionOptions options_;
  std::vector<const RunDriver*> drivers_;  // each reports the end of its own work
  CtaDispatcher* dispatcher_ = nullptr;    // null: all drivers make their own traffic
  std::vector<SmCluster*> clusters_;
  EpochSeries epochs_;
  ProgressLine progress_;
  std::vector<ApplicationFigures> figures_;  // of several applications
  Cycle watchdog_ = 0;  // core cycles; or as many cycles of the slowest clock, if those take longer
  std::uint64_t most_per_cycle_ = 0;  // thread instructions that the SMs can issue in a core cycle
  std::uint64_t most_per_sm_ = 0;     // the part of one SM in each cluster
  bool has_external_ = false;         // has modules that are not part of Strata
  bool model_error_ = false;
};

/// Conditions at the end of a complete run: laws of the counters, equal counts on both sides of every hop,
/// every block empty.
Faults check_end(const Platform& platform, const std::vector<InstanceStats>& tables);

/// Core cycles per cycle of the slowest clock, at least 1.
inline std::uint64_t cycles_of_slowest(const Platform& platform) {
  std::uint64_t slowest = platform.core_clock().frequency().count;
  for (const ClockDomain* clock : platform.clocks()) slowest = std::min(slowest, clock->frequency().count);
  return platform.core_clock().frequency().count / slowest;
}

/// Cycles of a block per core cycle, rounded up: its clock may be faster.
inline std::uint64_t cycles_in_core_cycle(const Block& block, const Platform& platform) {
  return (block.clock().frequency().count - 1) / platform.core_clock().frequency().count + 1;
}

/// Core cycles from `now` on without any event: the session need not check in between.
inline Cycle quiet_cycles(const Platform& platform, Cycle now) {
  if (!sc_core::sc_pending_activity()) return 0;
  const std::uint64_t next =
      sc_core::sc_time_stamp().value() + sc_core::sc_time_to_pending_activity().value();
  return std::max(now, platform.core_clock().cycle_before(next)) - now;
}

}  // namespace strata::platforms
