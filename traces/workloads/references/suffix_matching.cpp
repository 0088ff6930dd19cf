#include <algorithm>
#include <numeric>
#include <string_view>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// Occurrences of each query, counted in the text itself.
void suffix_matching(HostData& data) {
  const auto text = data.u8("text"), queries = data.u8("queries");
  const auto length = static_cast<std::size_t>(data.value("query_length"));
  const auto counts = data.i32("counts", queries.size() / length);
  const std::string_view whole(reinterpret_cast<const char*>(text.data()), text.size());
  for (std::size_t q = 0; q < queries.size() / length; ++q) {
    const std::string_view query(reinterpret_cast<const char*>(queries.data()) + q * length, length);
    counts[q] = 0;
    for (std::size_t at = whole.find(query); at != std::string_view::npos; at = whole.find(query, at + 1))
      ++counts[q];
  }
}

// A text over four letters, its suffix array, and queries of which every other one is cut from the text.
void prepare_suffix_matching(HostData& data) {
  const auto text = data.u8("text"), queries = data.u8("queries");
  const auto suffixes = data.i32("suffixes", text.size());
  const auto length = static_cast<std::size_t>(data.value("query_length"));
  RandomStream random(data.seed_of("text"));
  for (std::uint8_t& letter : text) letter = static_cast<std::uint8_t>("ACGT"[random.below(4)]);
  for (std::size_t q = 0; q < queries.size() / length; ++q) {
    const std::size_t from = random.below(text.size() - length);
    for (std::size_t i = 0; i < length; ++i)
      queries[q * length + i] =
          q % 2 == 0 ? text[from + i] : static_cast<std::uint8_t>("ACGT"[random.below(4)]);
  }
  const std::string_view whole(reinterpret_cast<const char*>(text.data()), text.size());
  std::iota(suffixes.begin(), suffixes.end(), 0);
  std::sort(suffixes.begin(), suffixes.end(), [&](std::int32_t a, std::int32_t b) {
    return whole.substr(static_cast<std::size_t>(a)) < whole.substr(static_cast<std::size_t>(b));
  });
}

}  // namespace strata::traces::references
