#include "platforms/report/llc_choices.h"

#include <cstdio>

#include "models/llc_control/llc_control.h"

namespace strata::platforms {
namespace {

std::string column(const std::vector<double>& values, std::size_t i, const char* format) {
  if (i >= values.size()) return ",";
  char number[32];
  std::snprintf(number, sizeof number, format, values[i]);
  return std::string(",") + number;
}

void add_lines(const LlcChoice& choice, const std::string& application, std::string& text) {
  const std::string head = application + std::to_string(choice.at) + "," + choice.why + "," +
                           (choice.mode == LlcMode::private_ ? "private," : "shared,") +
                           std::to_string(choice.degree);
  if (choice.degrees.empty()) text += head + ",,,,,\n";
  for (std::size_t i = 0; i < choice.degrees.size(); ++i)
    text += head + "," + std::to_string(choice.degrees[i]) + column(choice.miss_rates, i, "%.6f") +
            column(choice.lsps, i, "%.4f") + column(choice.bandwidths, i, "%.3f") +
            column(choice.ipcs, i, "%.3f") + "\n";
}

}  // namespace

std::string llc_choices_csv(const Platform& platform) {
  std::string text;
  bool several = false;
  for (const PlatformInstance& instance : platform.instances()) {
    const auto* found = dynamic_cast<const LlcControl*>(instance.block);
    if (found == nullptr) continue;
    const LlcControl& control = *found;
    several = control.application_count() > 1;
    for (int a = 0; a < control.application_count(); ++a)
      for (const LlcChoice& choice : control.policy(a).choices())
        add_lines(choice, several ? std::to_string(a) + "," : std::string(), text);
  }
  if (text.empty()) return text;
  return std::string(several ? "application," : "") +
         "cycle,why,mode,degree,compared_degree,miss_rate,lsp,bytes_per_cycle,instructions_per_cycle\n" +
         text;
}

}  // namespace strata::platforms
