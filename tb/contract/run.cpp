#include "tb/contract/run.h"

#include <algorithm>

#include "platforms/engine/netlist/platform.h"
#include "platforms/engine/session/session.h"
#include "platforms/report/digest.h"
#include "platforms/report/hop_laws.h"
#include "platforms/report/laws.h"
#include "platforms/report/stat_table.h"
#include "tb/contract/end_state.h"
#include "tb/support/child.h"
#include "traces/open.h"

namespace strata::contract {
namespace {

using namespace platforms;

// Longer than anything takes that a parameter's range allows, short enough to find a hang soon.
constexpr Cycle watchdog_cycles = 300'000;

const std::string finding_mark = "finding ", digest_mark = "digest ", refused_mark = "refused ",
                  about_mark = "about ";

/// The machine of a case while it runs and afterwards.
class Trial {
 public:
  Trial(const ModuleKind& kind, const Case& what, const ModuleTable& modules, const RunOptions& options,
        const tb::Say& say)
      : kind_(kind),
        what_(what),
        say_(say),
        platform_(netlist_of(kind, what, modules), {what.seed, options.check_protocol}) {
    session_options_.epoch_cycles = options.epoch_cycles;
    session_options_.watchdog_cycles = watchdog_cycles;
    // Asked every thousand cycles. A drawn value may say how much there is to do.
    const int looks = what.stop_early ? 1 : what.may_be_refused ? 500 : 0;
    if (looks != 0) session_options_.enough = [left = looks]() mutable { return --left == 0; };
  }

  void run() {
    std::unique_ptr<InstructionSource> source;
    std::unique_ptr<Session> session;
    if (what_.shape.traffic) {
      session = std::make_unique<Session>(platform_, session_options_);
    } else {
      source = traces::open_trace(what_.trace);
      session = std::make_unique<Session>(platform_, *source, session_options_);
    }
    check_sockets(platform_, kind_, blame());
    platform_.finish_elaboration();
    outcome_ = session->run();
    if (outcome_.exit_code == exit_trace && outcome_.messages.size() == 1 &&
        outcome_.messages[0].find("fits no SM") != std::string::npos) {
      say_(refused_mark + outcome_.messages[0]);  // the kernel is too large for the SMs of the case
      return;
    }
    const std::vector<InstanceStats> tables = read_stats(platform_);
    say_(digest_mark + digest_text(digest(tables, read_ledger(platform_), platform_.ledger_places())));
    judge(tables);
    if (outcome_.reason == "enough") check_busy(platform_, tables, kind_, blame());
    if (!outcome_.partial) check_ended(platform_, tables, blame());
    if (!what_.may_be_refused) check_used(platform_, tables, kind_, blame());
    if (findings_ == 0 && (outcome_.exit_code != exit_ok || outcome_.warnings != 0))
      add("runs", "exit code " + std::to_string(outcome_.exit_code) + ", " +
                      std::to_string(outcome_.warnings) + " warnings" + messages());
    if (!outcome_.partial) check_reset(platform_, kind_, blame());
  }

 private:
  void add(const std::string& check, const std::string& text) {
    ++findings_;
    say_(to_line({check, text}));
  }
  Blame blame() {
    return [this](const std::string& check, const std::string& text) { add(check, text); };
  }
  std::string messages() const {
    std::string text;
    for (const std::string& message : outcome_.messages) text += "; " + message;
    return text;
  }

  /// What ended the run, or should not have happened in it.
  void judge(const std::vector<InstanceStats>& tables) {
    if (platform_.protocol_violations() != 0)
      add("protocol", std::to_string(platform_.protocol_violations()) + " violations" + messages());
    check_ledgers(platform_, tables, !outcome_.partial, blame());
    if (outcome_.exit_code == exit_deadlock)
      add("idle", "does not come to its end: " + outcome_.reason + messages());
    if (outcome_.reason == "model error" && findings_ == 0) add("runs", "a model error" + messages());
  }

  const ModuleKind& kind_;
  const Case& what_;
  const tb::Say& say_;
  Platform platform_;
  SessionOptions session_options_;
  RunOutcome outcome_;
  int findings_ = 0;
};

}  // namespace

std::string to_text(const Case& what) {
  std::string text = what.name + " (" + to_text(what.shape) + ", seed " + std::to_string(what.seed);
  if (!what.shape.traffic) text += ", " + what.trace;
  for (const auto& [name, value] : what.shape.traffic ? what.drive : Settings{})
    text += ", " + name + " " + value;
  for (const auto& [name, value] : what.subject) text += ", " + name + "=" + value;
  for (const auto& [name, value] : what.machine) text += ", " + name + "=" + value;
  return text + (what.stop_early ? ", stopped early)" : ")");
}

Netlist netlist_of(const ModuleKind& kind, const Case& what, const ModuleTable& modules) {
  Netlist netlist = surround(kind, what.subject, what.shape, modules, what.drive);
  for (const auto& [key, value] : what.machine) netlist.set_param(key, value);
  return netlist;
}

std::string to_line(const Finding& finding) {
  return finding_mark + finding.check + " " + finding.text;
}

void read_line(const std::string& line, RunResult& result) {
  const auto rest = [&](const std::string& mark) { return line.substr(mark.size()); };
  if (line.rfind(digest_mark, 0) == 0) result.digest = rest(digest_mark);
  if (line.rfind(about_mark, 0) == 0) result.about = rest(about_mark);
  if (line.rfind(refused_mark, 0) == 0) result.refused = rest(refused_mark);
  if (line.rfind(finding_mark, 0) != 0) return;
  const std::string text = rest(finding_mark);
  const std::size_t space = text.find(' ');
  result.findings.push_back({text.substr(0, space), text.substr(space + 1)});
}

RunResult run_case(const ModuleKind& kind, const std::function<Case()>& make, const ModuleTable& modules,
                   const RunOptions& options) {
  RunResult result;
  const tb::WorkEnding ending = tb::in_child([&](const tb::Say& say) {
    const Case what = make();
    say(about_mark + to_text(what));
    const auto refuse = [&](const std::string& why) {
      say(what.may_be_refused ? refused_mark + why : to_line({"runs", "the machine is refused: " + why}));
    };
    try {
      Trial(kind, what, modules, options, say).run();
    } catch (const ConfigError& error) {
      refuse(error.what());
    } catch (const TooLarge& error) {
      refuse(error.what());
    }
  });
  for (const std::string& line : ending.said) read_line(line, result);
  if (!ending.broke.empty()) result.findings.push_back({"runs", "the program " + ending.broke});
  return result;
}

}  // namespace strata::contract
