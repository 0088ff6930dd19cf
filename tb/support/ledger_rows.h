#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "models/common/ledger.h"

namespace strata::tb {

/// The row called "noc.request_queue", which must be there: a test of a row that nobody has holds nothing.
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

}  // namespace strata::tb
