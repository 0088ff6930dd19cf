#include "platforms/report/compare_sentence.h"

#include <algorithm>
#include <cmath>

#include "platforms/report/results_files.h"
#include "platforms/report/text_table.h"

namespace strata::platforms {
namespace {

std::string value_text(double value) {
  if (value == std::floor(value) && std::fabs(value) < 1e15 && value >= 0)
    return grouped(static_cast<std::uint64_t>(value));
  return rounded(value);
}

std::string signed_text(double value, int digits) {
  return (value > 0 ? "+" : "") + rounded(value, digits);
}

struct Step {
  std::string row;
  double cycles;
};

/// Places where an access of the group spends more or fewer cycles, the largest change first.
std::vector<Step> steps(const RunGroup& from, const RunGroup& to, const std::string& accesses) {
  std::vector<Step> all;
  for (const std::string& row : ledger_rows({from, to}, accesses)) {
    const auto one = from.ledger(accesses, row), other = to.ledger(accesses, row);
    if (!one && !other) continue;
    all.push_back({row, (other ? other->mean : 0) - (one ? one->mean : 0)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Step& a, const Step& b) { return std::fabs(a.cycles) > std::fabs(b.cycles); });
  return all;
}

/// The kind of access that spends most cycles in total.
std::string heaviest(const RunGroup& group) {
  std::string name;
  double most = 0;
  for (int g = 0; g < LedgerTotals::group_count; ++g) {
    const std::string accesses(group_name(g));
    const double latency =
        group.first().stats["ledger"].value(accesses, nlohmann::ordered_json::object()).value("latency", 0.0);
    if (latency > most) most = latency, name = accesses;
  }
  return name;
}

}  // namespace

std::string sample_text(const Sample& sample) {
  const std::string mean = value_text(sample.size > 1 ? std::stod(rounded(sample.mean, 6)) : sample.mean);
  return sample.half ? mean + plus_minus(*sample.half) : mean;
}

std::string change_text(const Sample& from, const Sample& to) {
  if (from.mean == to.mean) return "=";
  if (from.mean == 0) return "new";
  const Difference change = difference(from, to);
  const std::string text = signed_text(100 * change.value / from.mean, 3) + " %";
  if (!change.half) return text;
  if (change.within_noise()) return text + ", within noise";
  return text + plus_minus(std::fabs(100 * *change.half / from.mean));
}

std::vector<std::string> ledger_rows(const std::vector<RunGroup>& groups, const std::string& accesses) {
  using Json = nlohmann::ordered_json;
  std::vector<std::string> rows;
  for (const RunGroup& group : groups)
    for (const ComparedRun* run : group.runs) {
      const Json cycles =
          run->stats["ledger"].value(accesses, Json::object()).value("cycles", Json::object());
      for (const auto& row : cycles.items())
        if (std::find(rows.begin(), rows.end(), row.key()) == rows.end()) rows.push_back(row.key());
    }
  return rows;
}

std::string difference_sentence(const RunGroup& from, const RunGroup& to) {
  const auto before = from.sample("cycles"), after = to.sample("cycles");
  std::string text = to.label() + " against " + from.label() + ": ";
  if (!before || !after || before->mean == 0) return text + "cycles cannot be compared.";
  const Difference change = difference(*before, *after);
  if (change.value == 0) return text + "the same number of cycles.";
  text += change_text(*before, *after);
  if (change.within_noise()) return text + ", in cycles.";
  text += " in cycles";
  constexpr std::size_t shown = 3;
  constexpr double little = 0.05;  // cycles per access
  const std::string accesses = heaviest(from);
  const auto one = from.ledger(accesses, ""), other = to.ledger(accesses, "");
  if (!one || !other) return text + "; there is no ledger to explain it.";
  const double longer = other->mean - one->mean;
  text += "; mean latency of " + accesses + " " + signed_text(longer, 3) + " cycles";
  std::string parts;
  const std::vector<Step> all = steps(from, to, accesses);
  for (std::size_t i = 0; i < all.size() && i < shown && std::fabs(all[i].cycles) >= little; ++i)
    parts += (parts.empty() ? ": " : ", ") + signed_text(all[i].cycles, 3) + " in " + all[i].row;
  return text +
         (parts.empty() ? ", the same at every place: the number of accesses or instructions differs, or "
                          "how many run at a time"
                        : parts) +
         ".";
}

}  // namespace strata::platforms
