#include <exception>
#include <map>
#include <utility>

#include "models/common/faults.h"
#include "traces/ptx/execute/machine.h"
#include "traces/ptx/ptx.h"

namespace strata::traces {

struct PtxSource::State {
  std::function<PtxWorkload()> make;
  PtxOptions options;
  PtxWorkload workload;
  std::vector<KernelInfo> kernels;
  std::vector<MemcpyInfo> copies;
  std::unique_ptr<ptx::Machine> machine;  ///< of the running launch
  std::uint32_t launch = 0;
  std::uint64_t cta = 0;                                                     ///< next one
  PtxStats done;                                                             ///< of ended launches
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint64_t> gaps;  ///< of ended launches
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::shared_ptr<const CtaTrace>> kept;
  std::exception_ptr fault;  ///< fault at which the workload stopped

  void restart() {
    machine.reset();
    workload = make();
    launch = 0;
    cta = 0;
    done = PtxStats();
    gaps.clear();
    kept.clear();
    fault = nullptr;
  }
  static void add(PtxStats& to, const PtxStats& more) {
    to.warp_instructions += more.warp_instructions;
    to.thread_instructions += more.thread_instructions;
    to.executed_instructions += more.executed_instructions;
    to.waits += more.waits;
    to.waiting_rounds += more.waiting_rounds;
    to.executed_thread_instructions += more.executed_thread_instructions;
    for (const auto& [reason, count] : more.gaps) to.gaps[reason] += count;
  }
  /// Executes the next CTA.
  void step(CtaTrace* trace) {
    PtxLaunch& now = workload.launches[launch];
    if (!machine) {
      if (now.before) now.before(workload.memory);
      machine = std::make_unique<ptx::Machine>(now, workload.memory, options);
    }
    machine->run(cta, trace);
    if (++cta < now.grid.count()) return;
    add(done, machine->stats);
    for (const auto& [reason, count] : machine->stats.gaps) gaps[{launch, reason}] += count;
    machine.reset();
    cta = 0;
    if (++launch == workload.launches.size() && workload.after) workload.after(workload.memory);
  }
};

PtxSource::PtxSource(std::function<PtxWorkload()> make, PtxOptions options)
    : state_(std::make_unique<State>()) {
  if (options.loads_in_flight < 1 || options.loads_in_flight > 64)
    throw ConfigError("loads_in_flight: expected 1 to 64, found " + std::to_string(options.loads_in_flight));
  state_->make = std::move(make);
  state_->options = options;
  state_->restart();
  for (const PtxLaunch& launch : state_->workload.launches) {
    state_->kernels.push_back(ptx::kernel_info(launch));
    state_->kernels.back().id = static_cast<std::uint32_t>(state_->kernels.size() - 1);
  }
  state_->copies = state_->workload.memory.copies();
}

PtxSource::~PtxSource() = default;

const std::vector<KernelInfo>& PtxSource::kernels() const {
  return state_->kernels;
}
const std::vector<MemcpyInfo>& PtxSource::copies() const {
  return state_->copies;
}
std::string PtxSource::description() const {
  return "PTX workload " + state_->workload.name;
}

std::shared_ptr<const CtaTrace> PtxSource::fetch(std::uint32_t kernel, std::uint64_t cta) {
  State& s = *state_;
  if (kernel >= s.kernels.size() || cta >= s.kernels[kernel].ctas())
    throw TraceError(
        Fault{{description(), 0, 0},
              "no thread block " + std::to_string(cta) + " in kernel " + std::to_string(kernel)});
  const auto wanted = std::make_pair(kernel, cta);
  const auto kept = s.kept.find(wanted);
  if (kept != s.kept.end()) {
    auto trace = kept->second;
    s.kept.erase(kept);
    return trace;
  }
  if (wanted < std::make_pair(s.launch, s.cta)) s.restart();
  for (;;) {
    const auto now = std::make_pair(s.launch, s.cta);
    if (s.fault != nullptr) std::rethrow_exception(s.fault);
    auto trace = std::make_shared<CtaTrace>();
    try {
      s.step(trace.get());
    } catch (...) {
      s.fault = std::current_exception();
      throw;
    }
    if (now == wanted) return trace;
    s.kept.emplace(now, std::move(trace));
  }
}

void PtxSource::run_to_end() {
  while (!finished()) state_->step(nullptr);
}
bool PtxSource::finished() const {
  return state_->launch >= state_->workload.launches.size();
}
const GlobalMemory& PtxSource::memory() const {
  return state_->workload.memory;
}
PtxStats PtxSource::stats() const {
  PtxStats all = state_->done;
  if (state_->machine) State::add(all, state_->machine->stats);
  return all;
}

std::vector<SourceGap> PtxSource::gaps() const {
  auto all = state_->gaps;
  if (state_->machine)
    for (const auto& [reason, count] : state_->machine->stats.gaps) all[{state_->launch, reason}] += count;
  std::vector<SourceGap> list;
  for (const auto& [place, count] : all) list.push_back({place.first, std::string(place.second), count});
  return list;
}

PtxStats execute(const PtxLaunch& launch, GlobalMemory& memory, const PtxOptions& options) {
  if (launch.before) launch.before(memory);
  ptx::Machine machine(launch, memory, options);
  for (std::uint64_t cta = 0; cta < launch.grid.count(); ++cta) machine.run(cta, nullptr);
  return machine.stats;
}

}  // namespace strata::traces
