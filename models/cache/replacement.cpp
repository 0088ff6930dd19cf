#include "models/cache/replacement.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "models/cache/replacement_lru.h"
#include "models/cache/replacement_nru.h"
#include "models/cache/replacement_nru_random.h"
#include "models/cache/replacement_random.h"
#include "models/cache/replacement_srrip.h"

namespace strata {
namespace {

template <class Policy>
ReplacementPolicy row(std::string_view name, std::string_view sentence) {
  const auto make = [](const ReplacementShape& shape) -> std::unique_ptr<Replacement> {
    return std::make_unique<Policy>(shape);
  };
  return {name, sentence, make, Policy::bits};
}

}  // namespace

const std::vector<ReplacementPolicy>& replacement_policies() {
  static const std::vector<ReplacementPolicy> rows = {
      row<ReplacementLru>("lru", "the one used longest ago"),
      row<ReplacementNru>("nru", "the first not used since all others were"),
      row<ReplacementNruRandom>("nru_random",
                                "any of those not used since all others were, drawn from the run's seed"),
      row<ReplacementSrrip>("srrip",
                            "the first that is least expected back, as only hits make lines expected"),
      row<ReplacementRandom>("random", "any, drawn from the run's seed"),
  };
  return rows;
}

int replacement_row(std::string_view name) {
  const auto& rows = replacement_policies();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [=](const ReplacementPolicy& row) { return row.name == name; });
  assert(found != rows.end());
  return static_cast<int>(found - rows.begin());
}

void replacement_param(ParamVisitor& visitor, int& row) {
  std::vector<std::string> names;
  std::string sentence = "line of a full set that is evicted:";
  for (const ReplacementPolicy& policy : replacement_policies()) {
    sentence +=
        (names.empty() ? " " : "; ") + std::string(policy.sentence) + " (" + std::string(policy.name) + ")";
    names.emplace_back(policy.name);
  }
  visitor.choice_index({"replacement", "", sentence}, row, names);
}

}  // namespace strata
