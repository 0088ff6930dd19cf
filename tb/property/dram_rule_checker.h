#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "models/memory_controller/replay.h"

namespace strata::tb {

/// Judges a finished command trace by the data-sheet rules of a timing set. Written against the rules alone:
/// it walks the whole past of every command, keeps no earliest-issue state and shares no code with the
/// models.
class TraceJudge {
 public:
  explicit TraceJudge(const TimingSet& set) : t_(set) {}

  /// What is wrong with the trace, empty when nothing is.
  std::string judge(const std::vector<ReplayCommand>& trace) {
    std::map<std::pair<int, int>, std::int64_t> open;
    refreshes_.clear();
    for (std::size_t i = 0; i < trace.size(); ++i) {
      const ReplayCommand& now = trace[i];
      const std::pair<int, int> bank{now.bank_group, now.bank};
      const bool is_open = open.count(bank) != 0;
      if (now.command == DramCommand::refab) {
        if (!open.empty()) return say(now, "a bank is open");
      } else if (now.command == DramCommand::act || now.command == DramCommand::refpb ? is_open : !is_open) {
        return say(now, "bank in the wrong state");
      }
      if (is_column(now.command) && open[bank] != now.row) return say(now, "another row is open");
      if (now.command == DramCommand::act) open[bank] = now.row;
      if (now.command == DramCommand::pre) open.erase(bank);
      const std::string fault = against_past(trace, i);
      if (!fault.empty()) return say(now, fault);
      if (is_refresh(now.command)) refreshes_.push_back(i);
    }
    return "";
  }

 private:
  // No rule but those of refresh reaches back farther than this many cycles.
  Cycle horizon() const { return static_cast<Cycle>(t_.nRC + t_.nFAW + t_.nWR + t_.nCWL + t_.nBL + t_.nRAS); }

  std::string against_past(const std::vector<ReplayCommand>& trace, std::size_t i) const {
    const ReplayCommand& now = trace[i];
    int activates = 0;
    for (std::size_t j = i; j-- > 0;) {
      const ReplayCommand& then = trace[j];
      if (then.cycle > now.cycle) return "trace is not in order of time";
      const Cycle gap = now.cycle - then.cycle;
      if (gap > horizon()) break;
      if (gap == 0 && shares_bus(then.command, now.command)) return "two commands on one bus";
      if (static_cast<std::int64_t>(gap) < least_gap(then, now))
        return "too early after " + std::string(to_text(then.command));
      if (now.command == DramCommand::act && then.command == DramCommand::act && ++activates == 4 &&
          static_cast<int>(gap) < t_.nFAW)
        return "fifth ACT within tFAW";
    }
    for (std::size_t r = refreshes_.size(); r-- > 0;) {
      const ReplayCommand& then = trace[refreshes_[r]];
      const Cycle gap = now.cycle - then.cycle;
      if (static_cast<std::int64_t>(gap) > std::max(t_.nRFC, t_.nRFCpb)) break;
      if (static_cast<std::int64_t>(gap) < gap_after_refresh(then, now))
        return "too early after " + std::string(to_text(then.command));
    }
    return "";
  }

  std::int64_t gap_after_refresh(const ReplayCommand& then, const ReplayCommand& now) const {
    if (now.command != DramCommand::act && !is_refresh(now.command)) return 0;
    if (then.command == DramCommand::refab) return t_.nRFC;
    const bool bank = then.bank_group == now.bank_group && then.bank == now.bank;
    return bank ? t_.nRFCpb : t_.nRREFD;
  }

  bool shares_bus(DramCommand a, DramCommand b) const {
    return t_.command_bus == CommandBus::single || is_column(a) == is_column(b);
  }

  std::int64_t least_gap(const ReplayCommand& then, const ReplayCommand& now) const {
    using C = DramCommand;
    const bool group = then.bank_group == now.bank_group;
    const bool bank = group && then.bank == now.bank;
    const int write_end = t_.nCWL + t_.nBL;
    const auto pair = std::make_pair(then.command, now.command);
    if (now.command == C::refab) return then.command == C::act ? t_.nRC : then.command == C::pre ? t_.nRP : 0;
    if (pair == std::make_pair(C::act, C::act) || pair == std::make_pair(C::act, C::refpb))
      return bank ? t_.nRC : group ? t_.nRRDL : t_.nRRDS;
    if (pair == std::make_pair(C::rd, C::rd) || pair == std::make_pair(C::wr, C::wr))
      return std::max(t_.nBL, group ? std::max(t_.nCCDL, t_.nCCDS) : t_.nCCDS);
    if (pair == std::make_pair(C::rd, C::wr)) return t_.nCL + t_.nBL + t_.nRTW_gap - t_.nCWL;
    if (pair == std::make_pair(C::wr, C::rd)) return write_end + (group ? t_.nWTRL : t_.nWTRS);
    if (!bank) return 0;
    if (pair == std::make_pair(C::act, C::rd)) return t_.nRCDRD;
    if (pair == std::make_pair(C::act, C::wr)) return t_.nRCDWR;
    if (pair == std::make_pair(C::act, C::pre)) return t_.nRAS;
    if (pair == std::make_pair(C::pre, C::act) || pair == std::make_pair(C::pre, C::refpb)) return t_.nRP;
    if (pair == std::make_pair(C::rd, C::pre)) return t_.nRTP;
    if (pair == std::make_pair(C::wr, C::pre)) return write_end + t_.nWR;
    return 0;
  }

  static std::string say(const ReplayCommand& c, const std::string& what) {
    return std::string(to_text(c.command)) + " in cycle " + std::to_string(c.cycle) + " of bank " +
           std::to_string(c.bank_group) + "." + std::to_string(c.bank) + ": " + what;
  }

  TimingSet t_;
  std::vector<std::size_t> refreshes_;  // where in the trace
};

}  // namespace strata::tb
