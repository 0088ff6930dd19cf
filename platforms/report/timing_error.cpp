#include "platforms/report/timing_error.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/common/faults.h"

namespace strata::platforms {
namespace {

using Json = nlohmann::ordered_json;

Json read(const std::string& directory) {
  std::ifstream file(directory + "/stats.json", std::ios::binary);
  const Json stats = Json::parse(file, nullptr, false);
  if (!stats.is_object() || !stats.contains("summary") || !stats.contains("ledger"))
    throw ConfigError(directory + ": no results here");
  return stats;
}

double summary(const Json& stats, const char* name) {
  const Json& value = stats.at("summary").at(name);
  return value.is_number() ? value.get<double>() : 0.0;
}

/// Of the latencies of all accesses, within its power of two by proportion.
double percentile_95(const Json& stats) {
  std::vector<double> buckets;
  double samples = 0;
  for (const auto& group : stats.at("ledger").items()) {
    const Json& counts = group.value().at("latency_histogram").at("buckets");
    buckets.resize(std::max(buckets.size(), counts.size()));
    for (std::size_t i = 0; i < counts.size(); ++i) {
      buckets[i] += counts[i].get<double>();
      samples += counts[i].get<double>();
    }
  }
  double left = 0.95 * samples;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (left <= buckets[i] && buckets[i] > 0) {
      const double low = i == 0 ? 0.0 : std::ldexp(1.0, static_cast<int>(i) - 1);
      return low + low * left / buckets[i];
    }
    left -= buckets[i];
  }
  return 0.0;
}

double percent(double lt, double at) {
  return at == 0.0 ? 0.0 : 100.0 * (lt / at - 1.0);
}

/// The columns of a line, in their order.
struct Errors {
  static constexpr std::size_t count = 7;
  static constexpr const char* names[count] = {"cycles %",   "IPC %",       "latency %", "p95 %",
                                               "L1 hits pp", "LLC hits pp", "speed"};
  double values[count];
};

Errors errors_of(const Json& at, const Json& lt) {
  const auto relative = [&](const char* name) { return percent(summary(lt, name), summary(at, name)); };
  const auto points = [&](const char* name) { return 100.0 * (summary(lt, name) - summary(at, name)); };
  const double seconds = std::max(summary(lt, "cpu_seconds"), 1e-6);
  return {{relative("cycles"), relative("ipc"), relative("mean_latency"),
           percent(percentile_95(lt), percentile_95(at)), points("l1_hit_rate"), points("llc_hit_rate"),
           summary(at, "cpu_seconds") / seconds}};
}

std::string cell(double value, bool sign) {
  char text[32];
  std::snprintf(text, sizeof text, sign ? "%+12.1f" : "%12.2f", value);
  return text;
}

std::string line(const std::string& name, const Errors& errors, bool sign, std::size_t width) {
  std::string text = name + std::string(width - name.size(), ' ');
  for (std::size_t i = 0; i < Errors::count; ++i)
    text += cell(errors.values[i], sign && i + 1 < Errors::count);
  return text + "\n";
}

/// Cycles of a mean load by cause, where the two differ by a tenth of a cycle at least.
std::string ledger_lines(const Json& at, const Json& lt) {
  const Json& ours = at.at("ledger").at("loads");
  const Json& theirs = lt.at("ledger").at("loads");
  const double accesses = std::max(ours.at("accesses").get<double>(), 1.0);
  const double others = std::max(theirs.at("accesses").get<double>(), 1.0);
  std::string text = "\ncycles of a load          at          lt  difference\n";
  for (const auto& cause : ours.at("cycles").items()) {
    const double a = cause.value().get<double>() / accesses;
    const double b = theirs.at("cycles").at(cause.key()).get<double>() / others;
    if (std::abs(a - b) < 0.1) continue;
    char row[96];
    std::snprintf(row, sizeof row, "%-16s%12.1f%12.1f%+12.1f\n", cause.key().c_str(), a, b, b - a);
    text += row;
  }
  return text;
}

}  // namespace

std::string timing_errors(const std::vector<TimingPair>& pairs) {
  std::size_t width = 8;
  for (const TimingPair& pair : pairs) width = std::max(width, pair.trace.size() + 2);
  std::string text = "lt against at" + std::string(width > 13 ? width - 13 : 0, ' ');
  if (width < 13) width = 13;
  for (const char* name : Errors::names) text += std::string(12 - std::string(name).size(), ' ') + name;
  text += "\n";
  Errors mean{}, worst{};
  for (const TimingPair& pair : pairs) {
    const Json at = read(pair.at);
    const Json lt = read(pair.lt);
    const Errors errors = errors_of(at, lt);
    text += line(pair.trace, errors, true, width);
    for (std::size_t i = 0; i < Errors::count; ++i) {
      const bool speed = i + 1 == Errors::count;
      const double size = std::abs(errors.values[i]);
      mean.values[i] += size / static_cast<double>(pairs.size());
      if (&pair == &pairs.front())
        worst.values[i] = size;
      else
        worst.values[i] = speed ? std::min(worst.values[i], size) : std::max(worst.values[i], size);
    }
    if (pairs.size() == 1) text += ledger_lines(at, lt);
  }
  if (pairs.size() > 1) text += line("mean size", mean, false, width) + line("worst", worst, false, width);
  return text;
}

}  // namespace strata::platforms
