#include "platforms/engine/session/session.h"

#include <algorithm>
#include <new>
#include <numeric>

#include "models/common/counts_if.h"
#include "models/common/faults.h"
#include "models/common/initial_state_if.h"
#include "platforms/engine/netlist/module_table.h"
#include "platforms/engine/session/interrupt_watch.h"
#include "platforms/engine/session/model_reports.h"
#include "platforms/engine/session/wait_graph.h"
#include "platforms/report/laws.h"
#include "platforms/report/results_files.h"

namespace strata::platforms {
namespace {

constexpr Cycle sector_cycles = 1000;  // core cycles between checks of signals, limits and wall-clock time
constexpr std::uint64_t issue_width = 4 * 32;  // more lanes than the schedulers of any SM issue in a cycle

double ratio(std::uint64_t done, std::uint64_t total) {
  return total == 0 ? 0.0 : static_cast<double>(done) / static_cast<double>(total);
}

}  // namespace

Session::Session(Platform& platform, InstructionSource& source, const SessionOptions& options)
    : Session(platform, {{&source, 0, options.max_instructions}}, options, 1) {}

Session::Session(Platform& platform, const std::vector<ApplicationRun>& applications,
                 const SessionOptions& options)
    : Session(platform, applications, options, static_cast<int>(applications.size())) {}

Session::Session(Platform& platform, const SessionOptions& options) : Session(platform, {}, options, 0) {}

Session::Session(Platform& platform, std::vector<ApplicationRun> applications, const SessionOptions& options,
                 int several)
    : platform_(platform),
      runs_(std::move(applications)),
      options_(options),
      epochs_(platform, options.l1_epochs),
      progress_(options.progress || options.live, options.live) {
  for (const PlatformInstance& instance : platform.instances()) {
    has_external_ = has_external_ || find_module(built_in_modules(), instance.kind->name) != instance.kind;
    if (auto* cluster = dynamic_cast<SmCluster*>(instance.block)) {
      clusters_.push_back(cluster);
      const std::uint64_t most = issue_width * cycles_in_core_cycle(*instance.block, platform);
      most_per_cycle_ += static_cast<std::uint64_t>(cluster->sms()) * most;
      most_per_sm_ += most;
    }
    if (auto* driver = dynamic_cast<RunDriver*>(instance.block)) drivers_.push_back(driver);
    if (auto* dispatcher = dynamic_cast<CtaDispatcher*>(instance.block)) {
      if (dispatcher_ != nullptr) throw ConfigError("the platform has more than one cta_dispatcher");
      dispatcher_ = dispatcher;
    }
  }
  check_parts();
  watchdog_ = options_.watchdog_cycles * cycles_of_slowest(platform);
  if (several == 0) return;
  // A first CTA that cannot be read stops SystemC before run(). The session reports the reason; SystemC's
  // message is suppressed.
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  dispatcher_->set_copied([this](const MemcpyInfo& copy) { warm_lines(copy); });
  if (dispatcher_->cold_launches()) {
    check_cold_launches();
    dispatcher_->set_cold_at([this](Cycle now) { return cold_at(now); });
  }
  if (options_.kernel_ended) dispatcher_->set_kernel_ended(options_.kernel_ended);
  if (several == 1)
    dispatcher_->set_source(*runs_.front().source);
  else
    add_applications();
}

// Warm the slices of the addresses, whatever the organization. Of a copy larger than any LLC only the end
// matters.
void Session::warm_lines(const MemcpyInfo& copy) const {
  const AddressMap& map = platform_.address_map();
  const std::vector<PlatformInstance> slices = platform_.of_role(Role::llc);
  const Address line = map.line_bytes(), end = copy.address + copy.bytes;
  const Address begin = copy.bytes > GiB ? end - GiB : copy.address;
  for (Address at = begin / line * line; at < end; at += line) {
    const Location where = map.locate(at);
    const auto slice = static_cast<std::size_t>(where.channel * map.slices_per_channel() + where.slice);
    if (slice >= slices.size()) continue;
    if (auto* cache = dynamic_cast<WarmLinesIf*>(slices[slice].block)) cache->warm_line(at);
  }
}

// Modules that keep lines or rows beyond the end of a kernel must be able to drop them.
void Session::check_cold_launches() const {
  if (runs_.size() > 1)
    throw ConfigError(
        "launches: cold: caches that several applications share are never empty between kernels; "
        "allowed: one application");
  if (platform_.core_clock().carries_data())
    throw ConfigError(
        "launches: cold: caches drop lines that memory has not got; run.data: carried needs them");
  for (const PlatformInstance& instance : platform_.instances()) {
    const bool keeps = instance.kind->role == Role::llc || instance.kind->role == Role::memory;
    if (keeps && dynamic_cast<ColdStateIf*>(instance.block) == nullptr)
      throw ConfigError("launches: cold: " + instance.full_name() + " (" + std::string(instance.kind->name) +
                        ") cannot be made cold between kernels");
  }
}

// First all activity ends, then lines are dropped and rows closed. Launches begin where the edges of all
// clocks coincide as in cycle 0, so that no clock is ahead by a part of a cycle.
Cycle Session::cold_at(Cycle now) const {
  constexpr Cycle look = 8;  // cycles between two checks
  bool cold = true;
  for (const PlatformInstance& instance : platform_.instances())
    cold = cold && (instance.kind->role == Role::dispatcher || instance.block->check_idle().empty());
  if (!cold) return now + look;
  for (const PlatformInstance& instance : platform_.instances())
    if (auto* state = dynamic_cast<ColdStateIf*>(instance.block)) cold = state->make_cold() && cold;
  if (!cold) return now + look;
  std::uint64_t common = platform_.core_clock().frequency().count;
  for (const ClockDomain* clock : platform_.clocks()) common = std::gcd(common, clock->frequency().count);
  const Cycle period = platform_.core_clock().frequency().count / common;
  constexpr Cycle longest = 10'000;  // frequencies without a common multiple
  return period > longest || now % period == 0 ? now : (now / period + 1) * period;
}

void Session::add_applications() {
  if (runs_.size() > static_cast<std::size_t>(max_applications))
    throw ConfigError(std::to_string(runs_.size()) + " applications; allowed: at most " +
                      std::to_string(max_applications));
  std::vector<Application> applications;
  int first = 0;
  for (std::size_t a = 0; a < runs_.size(); ++a) {
    const ApplicationRun& run = runs_[a];
    ApplicationFigures figures;
    figures.trace = run.source->description();
    figures.first_sm = first;
    figures.sms = run.sms;
    figures.budget = run.max_instructions;
    figures_.push_back(std::move(figures));
    applications.push_back({run.source, first, run.sms, options_.repeat,
                            [this, a](Cycle now) { measure_application(a, now, true); }});
    first += run.sms;
  }
  dispatcher_->set_applications(applications);
  for (const PlatformInstance& instance : platform_.instances())
    if (auto* shared = dynamic_cast<RequesterCountsIf*>(instance.block)) shared->count_requesters();
}

// Check that all needed modules exist, and none that would wait for ever.
void Session::check_parts() const {
  if (runs_.empty()) {
    if (dispatcher_ != nullptr) throw ConfigError("the cta_dispatcher of the platform has no trace to run");
    if (drivers_.empty())
      throw ConfigError(
          "the platform has neither a cta_dispatcher nor a traffic_generator: nothing would run");
    if (options_.max_instructions != 0)
      throw ConfigError("a platform without SMs issues no instructions: max-instructions has no meaning");
    return;
  }
  if (dispatcher_ == nullptr) throw ConfigError("the platform has no cta_dispatcher: nothing would run");
  if (clusters_.empty()) throw ConfigError("the platform has no sm_cluster: nothing would run");
}

bool Session::finished() const {
  return std::all_of(drivers_.begin(), drivers_.end(), [](const RunDriver* d) { return d->finished(); });
}

Cycle Session::end_cycle() const {
  Cycle end = 0;
  for (const RunDriver* driver : drivers_) end = std::max(end, driver->end_cycle());
  return end;
}

std::uint64_t Session::thread_instructions(int application) const {
  std::uint64_t sum = 0;
  for (const SmCluster* cluster : clusters_) sum += cluster->counters(application).thread_instructions;
  return sum;
}

/// The budget or the end of the program counts, whichever comes first: more would exceed the work of a solo
/// run.
void Session::measure_application(std::size_t application, Cycle now, bool ended) {
  ApplicationFigures& figures = figures_[application];
  if (figures.measured) return;
  figures.measured = true;
  figures.ended = ended;
  figures.kernels_done = dispatcher_->kernels_done(static_cast<int>(application));
  measure(platform_, static_cast<int>(application), now, figures);
  if (options_.measured) options_.measured(application);
}

void Session::measure_applications(Cycle now) {
  for (std::size_t a = 0; a < figures_.size(); ++a)
    if (figures_[a].budget != 0 && thread_instructions(static_cast<int>(a)) >= figures_[a].budget)
      measure_application(a, now, false);
}

bool Session::all_measured() const {
  return std::all_of(figures_.begin(), figures_.end(), [](const auto& f) { return f.measured; });
}

/// Increases with every completed request of the trace or of a traffic generator.
std::uint64_t Session::retired() const {
  std::uint64_t sum = 0;
  for (const RunDriver* driver : drivers_) sum += driver->work_done();
  for (const SmCluster* cluster : clusters_) {
    const SmClusterStats& s = cluster->counters();
    sum += s.warp_instructions + s.answered_at_once + s.round_trips + s.flush_replies;
  }
  return sum;
}

/// True while a driver waits for its own next step, as between two kernels: no progress is expected.
bool Session::pauses(Cycle now) const {
  return std::any_of(drivers_.begin(), drivers_.end(),
                     [now](const RunDriver* driver) { return driver->pauses_until() > now; });
}

/// Increases with every activity of a block of Strata.
std::uint64_t Session::wakes() const {
  std::uint64_t sum = 0;
  for (const ClockDomain* clock : platform_.clocks()) sum += clock->wakes();
  return sum;
}

bool Session::all_idle() const {
  const auto& clocks = platform_.clocks();
  return std::all_of(clocks.begin(), clocks.end(), [](const ClockDomain* clock) { return clock->idle(); });
}

void Session::settle() {
  for (const PlatformInstance& instance : platform_.instances())
    instance.block->settle(instance.block->clock().now());
}

/// Simulates all events before the edge of core cycle `target`.
void Session::advance_to(Cycle target) {
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  const std::uint64_t until = platform_.core_clock().edge(target) - 1;
  if (until <= now || sc_core::sc_time_to_pending_activity().value() > until - now)
    return;  // without activity in this time SystemC warns
  sc_core::sc_start(sc_core::sc_time::from_value(until - now), sc_core::SC_EXIT_ON_STARVATION);
}

/// The next cycle at which the session checks the run. It does not depend on the interval of the time series,
/// because the end of a run, and so its digest, may depend on it. `moved`: last observed progress; the
/// watchdog starts to count in time from there.
Cycle Session::next_target(Cycle now, Cycle moved) const {
  const Cycle patience = watchdog_ - std::min(now - moved, watchdog_ - 1);
  const Cycle step = std::max(cycles_to_limit(), quiet_cycles(platform_, now) + 1);
  return now + std::min({sector_cycles - now % sector_cycles, step, patience});
}

/// Advances from `now` to `target`, and adds a line to the time series at each end of an epoch.
void Session::advance(Cycle now, Cycle target) {
  while (now < target) {
    const Cycle epoch_end = now + options_.epoch_cycles - now % options_.epoch_cycles;
    now = std::min(target, epoch_end);
    advance_to(now);
    if (failed() || dead() || (finished() && all_idle())) return;
    if (now != epoch_end) continue;
    settle();
    epochs_.sample(now);
  }
}

/// Small steps near a limit: a run exceeds it by at most one cycle's issue.
Cycle Session::cycles_to_limit() const {
  Cycle least = never;
  const auto consider = [&](std::uint64_t limit, std::uint64_t done, std::uint64_t per_cycle) {
    if (limit != 0)
      least = std::min<Cycle>(least, std::max<std::uint64_t>(1, (limit - std::min(done, limit)) / per_cycle));
  };
  if (figures_.empty())
    consider(options_.max_instructions, options_.max_instructions == 0 ? 0 : thread_instructions(),
             most_per_cycle_);
  for (std::size_t a = 0; a < figures_.size(); ++a)
    if (!figures_[a].measured)
      consider(figures_[a].budget, thread_instructions(static_cast<int>(a)),
               static_cast<std::uint64_t>(figures_[a].sms) * most_per_sm_);
  return least;
}

/// Progress of the whole run; 0 if unknown. The slowest application counts.
double Session::share_done() const {
  if (runs_.empty()) {
    std::uint64_t done = 0, total = 0;
    for (const RunDriver* driver : drivers_) done += driver->work_done(), total += driver->work_total();
    return ratio(done, total);
  }
  double least = 1;
  for (std::size_t a = 0; a < runs_.size(); ++a) least = std::min(least, share_done(a));
  return least;
}

double Session::share_done(std::size_t application) const {
  if (!figures_.empty() && figures_[application].measured) return 1;
  const int index = static_cast<int>(application);
  const InstructionSource& source = *runs_[application].source;
  std::uint64_t done = 0;
  for (const SmCluster* cluster : clusters_) done += cluster->counters(index).warp_instructions;
  double share = ratio(done, source.warp_instructions());
  if (source.warp_instructions() == 0) {
    std::uint64_t ctas = 0;
    for (const KernelInfo& kernel : source.kernels()) ctas += kernel.ctas();
    share = ratio(dispatcher_->progress(index).ctas_done, ctas);
  }
  return std::max(share, ratio(thread_instructions(index), runs_[application].max_instructions));
}

void Session::show_progress(Cycle now) {
  if (!progress_.due()) return;
  ProgressLine::State state{thread_instructions(), now, share_done(), 0};
  if (runs_.empty())
    for (const RunDriver* driver : drivers_) state.answers += driver->work_done();
  progress_.show(state);
}

Session::Stop Session::simulate() {
  Cycle now = 0;
  Cycle moved = 0;  // last observed progress
  std::uint64_t last_retired = 0, last_wakes = 0;
  for (;;) {
    if (failed()) return Stop::failed;  // at once: the first CTA may be faulty
    const Cycle target = next_target(now, moved);
    advance(now, target);
    if (failed()) return Stop::failed;
    if (finished() && all_idle()) return Stop::finished;
    if (InterruptWatch::requested()) return Stop::interrupted;
    if (dead()) return Stop::idle;
    now = target;
    if (figures_.empty()) {
      if (options_.max_instructions != 0 && thread_instructions() >= options_.max_instructions)
        return Stop::limit;
    } else {
      measure_applications(now);
      if (all_measured() && !finished()) return Stop::limit;
    }
    if (options_.enough && options_.enough()) return Stop::enough;
    // After all work is done, a remaining event, such as closing a row, may be arbitrarily far away.
    const std::uint64_t done = retired(), woken = wakes();
    const bool sleeps = finished() && woken == last_wakes;
    last_wakes = woken;
    if (done != last_retired || pauses(now) || sleeps) {
      last_retired = done;
      moved = now;
    } else if (now - moved >= watchdog_) {
      return Stop::stuck;
    }
    show_progress(now);
  }
}

RunOutcome Session::run() {
  RunOutcome outcome;
  InterruptWatch interrupts;
  ModelReports reports;
  Stop stop = Stop::failed;
  try {
    stop = simulate();
  } catch (const sc_core::sc_report&) {
    model_error_ = true;
  } catch (const std::exception& error) {
    model_error_ = true;
    outcome.messages.push_back(message_of(error));
  }
  progress_.erase();
  outcome.cycles = stop == Stop::finished ? end_cycle() : platform_.core_clock().now();
  settle();
  epochs_.sample(outcome.cycles);
  for (std::size_t a = 0; a < figures_.size(); ++a) {
    const DispatchProgress progress = dispatcher_->progress(static_cast<int>(a));
    figures_[a].passes = progress.passes;
    if (figures_[a].measured) continue;
    figures_[a].kernels_done = dispatcher_->kernels_done(static_cast<int>(a));
    measure(platform_, static_cast<int>(a), outcome.cycles, figures_[a]);
  }
  outcome.warnings = reports.warnings();
  judge(stop, reports, outcome);
  return outcome;
}

namespace {

constexpr std::size_t wait_lines_shown = 40;
constexpr std::size_t open_ended = static_cast<std::size_t>(-1);
constexpr std::size_t faults_shown = 20;

void report(const Faults& faults, RunOutcome& outcome) {
  outcome.exit_code = exit_internal;
  for (std::size_t i = 0; i < faults.size() && i < faults_shown; ++i)
    outcome.messages.push_back(to_text(faults[i]));
  if (faults.size() > faults_shown)
    outcome.messages.push_back("and " + std::to_string(faults.size() - faults_shown) + " more");
}

std::string unanswered_text(const std::vector<std::string>& sockets, std::size_t most) {
  if (sockets.empty()) return {};
  std::string text =
      "sockets with fewer replies than requests; the missing ones are behind the last of them:\n";
  for (std::size_t i = 0; i < sockets.size() && i < most; ++i) text += "  " + sockets[i] + "\n";
  if (sockets.size() > most) text += "  and " + std::to_string(sockets.size() - most) + " more\n";
  return text;
}

}  // namespace

std::string Session::message_of(const std::exception& error) {
  const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  const bool named = dynamic_cast<const OutOfMemory*>(&error) != nullptr;
  return memory && !named ? "out of memory" : error.what();
}

void Session::judge(Stop stop, const ModelReports& reports, RunOutcome& outcome) {
  outcome.partial = stop != Stop::finished;
  if (model_error_) {
    const bool violation = platform_.protocol_violations() != 0;
    outcome.exit_code = exit_internal;
    outcome.reason = violation ? "protocol violation" : "model error";
    if (!reports.error().empty())
      outcome.messages.push_back(
          (violation ? "the TLM-2.0 base protocol is violated: " : "a model reports an error: ") +
          reports.error());
    return;
  }
  switch (stop) {
    case Stop::limit:
      outcome.reason = figures_.empty() ? "max-instructions" : applications_measured;
      break;
    case Stop::enough:
      outcome.reason = "enough";
      break;
    case Stop::interrupted:
      outcome.reason = "interrupted";
      outcome.exit_code = exit_interrupted;
      outcome.messages.push_back("interrupted by " + InterruptWatch::signal_name() +
                                 "; the results cover the simulation until then");
      break;
    case Stop::idle:
    case Stop::stuck:
      hang(stop, outcome);
      break;
    case Stop::failed:
      failure(outcome);
      break;
    default: {
      platform_.check_protocol_finished();
      outcome.tables = read_stats(platform_);
      const Faults faults = check_end(platform_, outcome.tables);
      if (!faults.empty()) report(faults, outcome);
    }
  }
  if (const std::uint64_t violations = platform_.protocol_violations(); violations != 0) {
    outcome.messages.push_back(std::to_string(violations) + " violations of the TLM-2.0 base protocol");
    outcome.exit_code = exit_internal;
  }
}

void Session::hang(Stop stop, RunOutcome& outcome) const {
  const WaitGraph graph(platform_);
  const std::vector<std::string> open = unanswered(platform_.netlist(), read_stats(platform_));
  outcome.exit_code = exit_deadlock;
  outcome.reason = stop == Stop::idle ? "deadlock" : "livelock";
  const std::string cycle = std::to_string(outcome.cycles);
  outcome.messages.push_back(stop == Stop::idle
                                 ? "deadlock in cycle " + cycle + ": no event is scheduled, but work is left"
                                 : "livelock in cycle " + cycle + ": no instruction and no reply for " +
                                       std::to_string(watchdog_) + " cycles");
  outcome.messages.push_back(graph.text(wait_lines_shown) + unanswered_text(open, wait_lines_shown));
  outcome.wait_graph = graph.text(open_ended) + unanswered_text(open, open_ended);
}

/// Fills in the outcome if the source threw or a kernel cannot run.
void Session::failure(RunOutcome& outcome) const {
  outcome.exit_code = exit_internal;
  outcome.reason = "failed";
  try {
    if (failed()) std::rethrow_exception(dispatcher_->failure());
  } catch (const TraceError& error) {
    outcome.exit_code = exit_trace;
    outcome.reason = "trace error";
    outcome.messages.emplace_back(error.what());
  } catch (const std::exception& error) {
    outcome.messages.push_back(message_of(error));
  }
}

Faults check_end(const Platform& platform, const std::vector<InstanceStats>& tables) {
  Faults faults = check_laws(tables);
  const Faults hops = check_hops(platform.netlist(), tables);
  faults.insert(faults.end(), hops.begin(), hops.end());
  for (const PlatformInstance& instance : platform.instances()) {
    for (const Fault& fault : instance.block->check_idle()) {
      const std::string name = instance.full_name();
      std::string text = to_text(fault);
      if (text.find(name) == std::string::npos) text = name + ": " + text;
      faults.push_back({{}, "not idle at the end: " + text});
    }
  }
  return faults;
}

}  // namespace strata::platforms
