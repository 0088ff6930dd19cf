#include <array>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// The message update as it is defined: products over the other clauses of each variable, in double precision.
void survey_propagation(HostData& data) {
  const std::int64_t clauses = data.value("clauses"), rounds = data.value("rounds");
  const auto first = data.i32("first"), edges = data.i32("edges"), literal = data.i32("literal", clauses * 3);
  const auto survey = data.f32("survey", clauses * 3), next = data.f32("next", clauses * 3);
  std::vector<double> now(survey.begin(), survey.end()), then(now.size());
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::int64_t c = 0; c < clauses; ++c) {
      std::array<double, 3> warn{};
      for (std::int64_t i = 0; i < 3; ++i) {
        const std::int64_t own = 3 * c + i, v = literal[own] >> 1;
        double same = 1, other = 1;
        for (std::int32_t at = first[v]; at < first[v + 1]; ++at) {
          if (edges[at] == own) continue;
          ((literal[edges[at]] & 1) == (literal[own] & 1) ? same : other) *= 1 - now[edges[at]];
        }
        const double unsatisfied = (1 - other) * same, satisfied = (1 - same) * other, none = same * other;
        warn[i] = unsatisfied / (unsatisfied + satisfied + none);
      }
      then[3 * c] = warn[1] * warn[2];
      then[3 * c + 1] = warn[0] * warn[2];
      then[3 * c + 2] = warn[0] * warn[1];
    }
    now.swap(then);
  }
  for (std::size_t i = 0; i < now.size(); ++i) survey[i] = static_cast<float>(now[i]);
  for (std::size_t i = 0; i < now.size(); ++i) next[i] = static_cast<float>(then[i]);
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
