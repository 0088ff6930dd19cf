// The end of a run: its exit code and its messages.
#include <new>

#include "models/common/faults.h"
#include "platforms/engine/session/end_checks.h"
#include "platforms/engine/session/interrupt_watch.h"
#include "platforms/engine/session/model_reports.h"
#include "platforms/engine/session/session.h"
#include "platforms/engine/session/wait_graph.h"
#include "platforms/report/hop_laws.h"
#include "platforms/report/results_files.h"

namespace strata::platforms {
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

}  // namespace strata::platforms
