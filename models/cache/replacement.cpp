#include "models/cache/replacement.h"

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

PolicyTable<ReplacementPolicy>& ReplacementPolicy::table() {
  static PolicyTable<ReplacementPolicy> rows = {
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
  const int row = replacement_policies().find(name);
  assert(row >= 0);
  return row;
}

void replacement_param(ParamVisitor& visitor, int& row) {
  const std::string sentence = "line of a full set that is evicted: " + replacement_policies().sentences();
  replacement_policies().param(visitor, {"replacement", "", sentence}, row);
}

}  // namespace strata
