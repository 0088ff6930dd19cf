#include "platforms/cli/what_if_verdict.h"

#include <algorithm>

namespace strata::cli {
namespace {

bool has(const Relief& relief, const std::string& name) {
  return std::find(relief.resources.begin(), relief.resources.end(), name) != relief.resources.end();
}

/// The busiest resource that a relaxation increases, unless the rule names another of them.
platforms::Verdict::Measure measure_of(const platforms::Verdict& verdict, const Relief& relief,
                                       const platforms::RunCounts& run) {
  platforms::Verdict::Measure one{relief.resources.front(), "", *relief.faster, relief.half};
  for (auto load = verdict.ranking.rbegin(); load != verdict.ranking.rend(); ++load)
    if (has(relief, load->name())) one.name = load->name();
  if (has(relief, verdict.relief)) one.name = verdict.relief;
  for (const platforms::ResourceLoad& load : platforms::resource_loads(run))
    if (load.name() == one.name) one.words = platforms::relief_words(load);
  return one;
}

}  // namespace

void note_measured(platforms::Verdict& verdict, const std::vector<Relief>& reliefs,
                   const platforms::RunCounts& run) {
  const Relief *best = nullptr, *named = nullptr;
  for (const Relief& relief : reliefs) {
    if (!relief.faster) continue;
    if (best == nullptr || *relief.faster > *best->faster) best = &relief;
    if (has(relief, verdict.relief) && (named == nullptr || *relief.faster > *named->faster)) named = &relief;
  }
  if (best == nullptr) return;
  verdict.measured = {measure_of(verdict, *best, run)};
  if (named != nullptr && named != best) verdict.measured.push_back(measure_of(verdict, *named, run));
}

}  // namespace strata::cli
