// Launches whose thread blocks wait for each other: all of them are alive at once and take turns.
#include "models/common/faults.h"
#include "traces/ptx/execute/machine.h"

namespace strata::traces::ptx {
namespace {

constexpr std::uint64_t most_ctas = 8192;     // more than any GPU holds at once
constexpr std::uint64_t short_turn = 1 << 8;  ///< who waits in a loop shall not go round for long

}  // namespace

/// The first thread block that is asked for makes all of them run; each keeps what it recorded.
const Machine& Machine::run_together(std::uint64_t cta, bool record) {
  if (cta == 0) start_together(record);
  ended_ = std::move(together_.at(cta));
  Machine& one = *ended_;
  one.count();
  stats.warp_instructions += one.stats.warp_instructions;
  stats.thread_instructions += one.stats.thread_instructions;
  stats.executed_instructions += one.stats.executed_instructions;
  stats.executed_thread_instructions += one.stats.executed_thread_instructions;
  return one;
}

void Machine::start_together(bool record) {
  if (info_.ctas() > most_ctas)
    throw TraceError(Fault{{program_->path(), 0, 0},
                           "cooperative launch of kernel " + info_.name + ": expected at most " +
                               std::to_string(most_ctas) + " thread blocks, found " +
                               std::to_string(info_.ctas())});
  state_.memory->grid_workspace(true);
  together_.clear();
  PtxOptions options = options_;
  if (options.read_only == PtxOptions::ReadOnly::oracle) options.read_only = PtxOptions::ReadOnly::none;
  options.progress = nullptr;
  for (std::uint64_t cta = 0; cta < info_.ctas(); ++cta) {
    auto one = std::make_unique<Machine>(launch_, *state_.memory, options);
    one->turn_ = short_turn;
    one->state_.journal = state_.journal;
    one->state_.written = state_.written;
    one->start_cta(cta, record);
    together_.push_back(std::move(one));
  }
  std::vector<Machine*> running;
  for (const auto& one : together_) running.push_back(one.get());
  while (!running.empty()) {
    std::vector<Machine*> next;
    for (Machine* one : running)
      if (one->go_on()) next.push_back(one);
    running.swap(next);
  }
}

}  // namespace strata::traces::ptx
