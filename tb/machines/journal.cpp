#include "tb/machines/journal.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace strata::tb {
namespace {

using nlohmann::json;

const char* text_of(Verdict verdict) {
  return verdict == Verdict::clean ? "clean" : verdict == Verdict::refused ? "refused" : "failed";
}

}  // namespace

Journal::Journal(const std::string& path, std::uint64_t seed) {
  if (path.empty()) return;
  std::ifstream old(path);
  bool begun = false;
  for (std::string line; std::getline(old, line);) {
    const json entry = json::parse(line, nullptr, false);
    if (entry.is_discarded()) continue;  // the last line of a job that was killed
    if (entry.contains("seed")) {
      begun = true;
      if (entry["seed"] != seed)
        throw std::runtime_error(path + " is the log of another seed: " + entry["seed"].dump());
    } else if (entry.contains("shrunk")) {
      failures_[entry.value("what", "")].shrunk = entry.value("shrunk", "");
    } else if (entry.contains("n")) {
      runs_ += entry.value("runs", 0U);
      cpu_seconds_ += entry.value("cpu", 0.0);
      count(entry["n"], entry.value("verdict", ""), entry.value("what", ""), entry.value("command", ""));
    }
  }
  file_.open(path, std::ios::app);
  if (!file_) throw std::runtime_error("cannot write " + path);
  if (!begun) file_ << json{{"seed", seed}}.dump() << std::endl;
}

void Journal::count(std::uint64_t number, const std::string& verdict, const std::string& what,
                    const std::string& command) {
  if (!done_.insert(number).second) return;
  if (verdict == "clean") {
    ++clean_;
  } else if (verdict == "refused") {
    ++refused_;
    ++refusals_[what];
  } else {
    ++failed_;
    Kind& kind = failures_[what];
    if (kind.count++ == 0) kind.first = number, kind.command = command;
  }
}

bool Journal::add(std::uint64_t number, const Trial& trial, const std::string& command) {
  const std::string verdict = text_of(trial.verdict);
  runs_ += static_cast<std::uint64_t>(trial.runs);
  cpu_seconds_ += trial.cpu_seconds;
  longest_ = std::max(longest_, trial.cpu_seconds);
  peak_bytes_ = std::max(peak_bytes_, trial.peak_bytes);
  count(number, verdict, trial.what, command);
  json entry = {{"n", number}, {"verdict", verdict}, {"runs", trial.runs}, {"cpu", trial.cpu_seconds}};
  if (trial.verdict != Verdict::clean) entry["what"] = trial.what;
  if (trial.verdict == Verdict::failed) entry["command"] = command;
  file_ << entry.dump(-1, ' ', true, json::error_handler_t::replace) << std::endl;
  return trial.verdict == Verdict::failed && failures_[trial.what].count == 1;
}

void Journal::add_shrunk(const std::string& what, const std::string& command) {
  failures_[what].shrunk = command;
  file_ << json{{"what", what}, {"shrunk", command}}.dump(-1, ' ', true, json::error_handler_t::replace)
        << std::endl;
}

std::string Journal::summary() const {
  std::ostringstream out;
  std::vector<std::pair<std::uint64_t, std::string>> sorted;
  for (const auto& [what, times] : refusals_) sorted.emplace_back(times, what);
  std::sort(sorted.rbegin(), sorted.rend());
  if (!sorted.empty()) out << "refused most often:\n";
  for (std::size_t i = 0; i < sorted.size() && i < 12; ++i)
    out << "  " << sorted[i].first << "  " << sorted[i].second << "\n";
  for (const auto& [what, kind] : failures_)
    out << "FAILED " << kind.count << " times, first in case " << kind.first << ": " << what << "\n  "
        << kind.command << "\n"
        << (kind.shrunk.empty() ? "" : "  shrunk: " + kind.shrunk + "\n");
  out << cases() << " machines in " << runs_ << " runs: " << clean_ << " clean, " << refused_ << " refused, "
      << failed_ << " failed in " << failures_.size() << " ways; " << static_cast<std::uint64_t>(cpu_seconds_)
      << " s of processor time, "
      << "longest machine " << longest_ << " s, most memory " << peak_bytes_ / 1'048'576 << " MiB\n";
  return out.str();
}

}  // namespace strata::tb
