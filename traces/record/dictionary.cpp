#include "traces/record/dictionary.h"

namespace strata::traces::record {

std::uint32_t Dictionary::code(const StaticPart& part) {
  const auto inserted = codes_.emplace(part, size());
  if (inserted.second) entries_.push_back({part, from_static_part(part)});
  return inserted.first->second;
}

}  // namespace strata::traces::record
