// Launches whose thread blocks wait for each other: all of them are alive at once and take turns.
#include "models/common/faults.h"
#include "traces/ptx/execute/machine.h"

namespace strata::traces::ptx {

/// The first thread block that is asked for makes all of them run; each keeps what it recorded.
const Machine& Machine::run_together(std::uint64_t cta, bool record) {
  if (cta == 0) start_together(record);
  return hand_over(std::move(together_.at(cta)));
}

/// What another machine has run for this one.
const Machine& Machine::hand_over(std::unique_ptr<Machine> from) {
  ended_ = std::move(from);
  Machine& one = *ended_;
  one.count();
  stats.warp_instructions += one.stats.warp_instructions;
  stats.thread_instructions += one.stats.thread_instructions;
  stats.executed_instructions += one.stats.executed_instructions;
  stats.executed_thread_instructions += one.stats.executed_thread_instructions;
  stats.waits += one.stats.waits;
  stats.waiting_rounds += one.stats.waiting_rounds;
  for (const auto& [reason, count] : one.stats.gaps) stats.gaps[reason] += count;
  return one;
}

/// A thread block on a machine of its own.
std::unique_ptr<Machine> Machine::start_other(std::uint64_t cta, bool record) {
  PtxOptions options = options_;
  if (options.read_only == PtxOptions::ReadOnly::oracle) options.read_only = PtxOptions::ReadOnly::none;
  options.progress = nullptr;
  auto one = std::make_unique<Machine>(launch_, *state_.memory, options);
  one->turn_ = PendingBlocks::short_turn;
  one->reported_ = reported_;
  one->state_.journal = state_.journal;
  one->state_.written = state_.written;
  one->start_cta(cta, record);
  return one;
}

void Machine::start_together(bool record) {
  if (info_.ctas() > most_resident)
    throw TraceError(Fault{{program_->path(), 0, 0},
                           "cooperative launch of kernel " + info_.name + ": expected at most " +
                               std::to_string(most_resident) + " thread blocks, found " +
                               std::to_string(info_.ctas())});
  state_.memory->grid_workspace(true);
  together_.clear();
  for (std::uint64_t cta = 0; cta < info_.ctas(); ++cta) together_.push_back(start_other(cta, record));
  std::vector<Machine*> running;
  for (const auto& one : together_) running.push_back(one.get());
  if (info_.cluster.count() > 1)
    for (std::uint64_t cta = 0; cta < info_.ctas(); ++cta) {
      const std::vector<std::uint64_t> all = cluster_of(cta);
      if (all[0] != cta) continue;
      std::vector<Machine*> machines;
      for (const std::uint64_t one : all) machines.push_back(running[one]);
      form_cluster(machines);
    }
  run_turns(running, [] { return std::vector<Machine*>(); });
}

}  // namespace strata::traces::ptx
