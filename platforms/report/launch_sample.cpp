#include "platforms/report/launch_sample.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "models/common/faults.h"
#include "platforms/report/sample_statistics.h"

namespace strata::platforms {
namespace {

struct Row {
  LaunchTime launch;
  double began = 0, ended = 0;
};

Row row_of(const std::string& line, const std::string& what) {
  enum Column { number, name, application, ctas, began, ended, complete, columns };
  std::vector<std::string> cells;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
  if (cells.size() < columns) throw ConfigError(what + ": '" + line + "' is no line of kernels.csv");
  if (cells[application] != "0") throw ConfigError(what + ": launches of several applications");
  if (cells[complete] != "yes") throw ConfigError(what + ": launch " + cells[number] + " has not ended");
  return {{std::stoull(cells[number]), cells[name], 0}, std::stod(cells[began]), std::stod(cells[ended])};
}

}  // namespace

std::vector<LaunchTime> launch_times(const std::string& kernels_csv, const std::string& what) {
  std::istringstream lines(kernels_csv);
  std::string line;
  std::getline(lines, line);  // skips the column names
  std::vector<LaunchTime> launches;
  for (double end = 0; std::getline(lines, line);) {
    Row row = row_of(line, what);
    if (row.began < end) throw ConfigError(what + ": launches run side by side");
    row.launch.cycles = row.ended - end;
    end = row.ended;
    launches.push_back(std::move(row.launch));
  }
  return launches;
}

LaunchSample sample_launches(const std::vector<LaunchTime>& run, std::size_t most) {
  LaunchSample sample;
  sample.launches = run.size();
  std::map<std::string, std::vector<std::size_t>> of_kernel;
  for (std::size_t i = 0; i < run.size(); ++i) of_kernel[run[i].kernel].push_back(i);
  std::vector<bool> taken(run.size());
  for (const auto& [name, launches] : of_kernel) {
    const std::size_t count = std::min(most, launches.size());
    for (std::size_t j = 0; j < count; ++j)  // the middle of each of `count` equal ranges
      taken[launches[(2 * j + 1) * launches.size() / (2 * count)]] = true;
  }
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const auto [at, is_new] = place.emplace(run[i].kernel, sample.kernels.size());
    if (is_new) sample.kernels.push_back({run[i].kernel, 0, 0, {}});
    LaunchSample::Kernel& kernel = sample.kernels[at->second];
    ++kernel.launches;
    kernel.cycles += run[i].cycles;
    if (!taken[i]) continue;
    kernel.sampled.push_back(sample.numbers.size());
    sample.numbers.push_back(run[i].number);
  }
  return sample;
}

SampledGain sampled_gain(const LaunchSample& sample, const std::vector<double>& before,
                         const std::vector<double>& after) {
  double all_before = 0, all_after = 0, variance = 0, squares = 0;
  for (const LaunchSample::Kernel& kernel : sample.kernels) {
    double sum_before = 0, sum_after = 0, residuals = 0;
    for (const std::size_t i : kernel.sampled) sum_before += before[i], sum_after += after[i];
    if (sum_before <= 0) continue;  // a kernel without time
    const double ratio = sum_after / sum_before;
    all_before += kernel.cycles;
    all_after += kernel.cycles * ratio;
    const auto n = static_cast<double>(kernel.sampled.size());
    if (kernel.sampled.size() == kernel.launches || n < 2) continue;
    for (const std::size_t i : kernel.sampled)
      residuals += (after[i] - ratio * before[i]) * (after[i] - ratio * before[i]);
    const double mean = sum_before / n, part = 1 - n / static_cast<double>(kernel.launches);
    const double own = kernel.cycles * kernel.cycles * part * residuals / ((n - 1) * n * mean * mean);
    variance += own;
    squares += own * own / (n - 1);
  }
  if (all_after <= 0) return {};
  SampledGain gain{all_before / all_after - 1, 0};
  if (variance > 0)
    gain.half = student_quantile(variance * variance / squares) * std::sqrt(variance) * all_before /
                (all_after * all_after);
  return gain;
}

}  // namespace strata::platforms
