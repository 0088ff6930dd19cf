#include <array>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// The message update in the kernel's precision and order, multiply-adds fused as nvcc fuses them. Dividing a
// variable's product by 1 - survey magnifies rounding where a survey is near 1, so that no tolerance would
// fit a product over the other clauses; in the same arithmetic the results are equal to the bit.
void survey_propagation(HostData& data) {
  const std::int64_t clauses = data.value("clauses"), variables = data.value("variables"),
                     rounds = data.value("rounds");
  const auto first = data.i32("first"), edges = data.i32("edges"), literal = data.i32("literal", clauses * 3);
  const auto survey = data.f32("survey", clauses * 3), next = data.f32("next", clauses * 3);
  std::vector<float> now(survey.begin(), survey.end()), then(now.size());
  std::vector<std::array<float, 2>> product(
      static_cast<std::size_t>(variables));  // positive, negative occurrences
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::int64_t v = 0; v < variables; ++v) {
      product[v] = {1, 1};
      for (std::int32_t at = first[v]; at < first[v + 1]; ++at)
        product[v][literal[edges[at]] & 1] *= 1 - now[edges[at]];
    }
    for (std::int64_t c = 0; c < clauses; ++c) {
      std::array<float, 3> warn{};
      for (std::int64_t i = 0; i < 3; ++i) {
        const std::int64_t own = 3 * c + i;
        const std::array<float, 2>& all = product[literal[own] >> 1];
        const int sign = literal[own] & 1;
        const float same = all[sign] / (1 - now[own]), other = all[1 - sign];
        const float unsatisfied = (1 - other) * same;
        warn[i] = unsatisfied / std::fma(other, same, std::fma(other, 1 - same, unsatisfied));
      }
      then[3 * c] = warn[1] * warn[2];
      then[3 * c + 1] = warn[0] * warn[2];
      then[3 * c + 2] = warn[0] * warn[1];
    }
    now.swap(then);
  }
  for (std::size_t i = 0; i < now.size(); ++i) survey[i] = now[i];
  for (std::size_t i = 0; i < now.size(); ++i) next[i] = then[i];
}

// Random 3-SAT: three different variables a clause, each negated with probability one half.
void prepare_survey_propagation(HostData& data) {
  const std::int64_t clauses = data.value("clauses"), variables = data.value("variables");
  const auto first = data.i32("first", variables + 1), edges = data.i32("edges", clauses * 3),
             literal = data.i32("literal", clauses * 3);
  RandomStream random(data.seed_of("literal"));
  std::vector<std::int32_t> degree(static_cast<std::size_t>(variables) + 1, 0);
  for (std::int64_t c = 0; c < clauses; ++c) {
    for (std::int64_t i = 0; i < 3; ++i) {
      bool fresh = false;
      std::int64_t v = 0;
      while (!fresh) {
        v = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(variables)));
        fresh = true;
        for (std::int64_t j = 0; j < i; ++j) fresh &= literal[3 * c + j] >> 1 != v;
      }
      literal[3 * c + i] = static_cast<std::int32_t>(2 * v + static_cast<std::int64_t>(random.below(2)));
      ++degree[v];
    }
  }
  first[0] = 0;
  for (std::int64_t v = 0; v < variables; ++v) first[v + 1] = first[v] + degree[v];
  std::vector<std::int32_t> filled(first.begin(), first.end());
  for (std::int64_t edge = 0; edge < 3 * clauses; ++edge)
    edges[filled[literal[edge] >> 1]++] = static_cast<std::int32_t>(edge);
}

}  // namespace strata::traces::references
