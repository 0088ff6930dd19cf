#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/ledger.h"
#include "models/common/stats.h"

namespace strata::tb {

/// Statistics of test blocks that count nothing.
struct NoStats final : StatSet {
  void for_each_stat(StatVisitor&) const override {}
};

/// The row called "noc.request_queue", which must exist: a test of an unknown row would check nothing.
inline Place row_called(const LedgerPlaces& places, std::string_view name) {
  if (const auto place = places.find(name)) return *place;
  throw std::logic_error("no ledger has a row " + std::string(name));
}

inline std::uint64_t cycles_at(const LedgerPlaces& places, const Ledger& ledger, std::string_view row) {
  return ledger.cycles(row_called(places, row));
}
inline std::uint64_t cycles_at(const LedgerPlaces& places, const LedgerSums& sums, std::string_view row) {
  return sums[row_called(places, row)];
}

/// Over all places.
inline std::uint64_t cycles_of(const LedgerPlaces& places, const LedgerSums& sums, Cause cause) {
  std::uint64_t cycles = 0;
  for (const Place place : places.on_the_way())
    if (places.cause(place) == cause) cycles += sums[place];
  return cycles;
}

/// By row; those without cycles are left out.
inline std::map<std::string, std::uint64_t> cycles_by_row(const LedgerPlaces& places,
                                                          const LedgerSums& sums) {
  std::map<std::string, std::uint64_t> rows;
  for (const Place place : places.on_the_way())
    if (sums[place] != 0) rows[places.name(place)] = sums[place];
  return rows;
}

/// Counters of a block by name, and its laws.
struct StatNames final : StatVisitor {
  explicit StatNames(const StatSet& stats) { stats.for_each_stat(*this); }
  void counter(const StatInfo& info, const std::uint64_t& value) override {
    counters[std::string(info.name)] = value;
  }
  void histogram(const StatInfo&, const Histogram&) override {}
  void ratio(const StatInfo&, std::uint64_t, std::uint64_t) override {}
  void law(std::string_view text) override { laws.emplace_back(text); }

  bool holds(const std::string& law) const {
    std::istringstream words(law);
    std::uint64_t sides[2] = {0, 0};
    int side = 0;
    bool equal = true;
    for (std::string word; words >> word;) {
      if (word == "+") continue;
      if (word == "=" || word == ">=") {
        equal = word == "=";
        side = 1;
      } else if (word.find_first_not_of("0123456789") == std::string::npos) {
        sides[side] += std::stoull(word);
      } else {
        sides[side] += counters.at(word);
      }
    }
    return equal ? sides[0] == sides[1] : sides[0] >= sides[1];
  }

  std::map<std::string, std::uint64_t> counters;
  std::vector<std::string> laws;
};

/// The laws of a block that do not hold, e.g. "a = b + c".
inline std::vector<std::string> broken_laws(const StatSet& stats) {
  const StatNames names(stats);
  std::vector<std::string> broken;
  for (const std::string& law : names.laws)
    if (!names.holds(law)) broken.push_back(law);
  return broken;
}

inline std::map<std::string, std::uint64_t> counters(const StatSet& stats) {
  return StatNames(stats).counters;
}

}  // namespace strata::tb
