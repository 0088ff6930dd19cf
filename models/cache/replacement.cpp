#include "models/cache/replacement.h"

#include <string>

#include "models/cache/replacement_lru.h"
#include "models/cache/replacement_nru.h"
#include "models/cache/replacement_random.h"
#include "models/cache/replacement_srrip.h"

namespace strata {
namespace {

template <class Policy>
std::unique_ptr<Replacement> make(const ReplacementShape& shape) {
  return std::make_unique<Policy>(shape);
}

}  // namespace

const std::vector<ReplacementPolicy>& replacement_policies() {
  static const std::vector<ReplacementPolicy> rows = {
      {"lru", "the one used longest ago", make<Lru>},
      {"nru", "the first not used since all others were", make<Nru>},
      {"srrip", "the first that is least expected back, as only hits make lines expected", make<Srrip>},
      {"random", "any, drawn from the run's seed", make<RandomReplacement>},
  };
  return rows;
}

void replacement_param(ParamVisitor& visitor, int& row) {
  std::vector<std::string> names;
  std::string sentence = "line of a full set that makes room:";
  for (const ReplacementPolicy& policy : replacement_policies()) {
    sentence +=
        (names.empty() ? " " : "; ") + std::string(policy.sentence) + " (" + std::string(policy.name) + ")";
    names.emplace_back(policy.name);
  }
  visitor.choice_index({"replacement", "", sentence}, row, names);
}

}  // namespace strata
