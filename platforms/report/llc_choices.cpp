#include "platforms/report/llc_choices.h"

#include <cstdio>

#include "models/llc_control/llc_control.h"

namespace strata::platforms {
namespace {

void add_lines(const LlcChoice& choice, std::string& text) {
  const std::string head = std::to_string(choice.at) + "," + choice.why + "," +
                           (choice.mode == LlcMode::private_ ? "private," : "shared,") +
                           std::to_string(choice.degree);
  if (choice.degrees.empty()) text += head + ",,,,\n";
  for (std::size_t i = 0; i < choice.degrees.size(); ++i) {
    char numbers[96] = ",,";
    if (i < choice.bandwidths.size())
      std::snprintf(numbers, sizeof numbers, "%.6f,%.4f,%.3f", choice.miss_rates[i], choice.lsps[i],
                    choice.bandwidths[i]);
    text += head + "," + std::to_string(choice.degrees[i]) + "," + numbers + "\n";
  }
}

}  // namespace

std::string llc_choices_csv(const Platform& platform) {
  std::string text;
  for (const PlatformInstance& instance : platform.of_kind("llc_control"))
    for (const LlcChoice& choice : dynamic_cast<const LlcControl&>(*instance.block).policy().choices())
      add_lines(choice, text);
  if (text.empty()) return text;
  return "cycle,why,mode,degree,compared_degree,miss_rate,lsp,bytes_per_cycle\n" + text;
}

}  // namespace strata::platforms
