#pragma once

#include <algorithm>

#include "models/router_stage/router_stage_shell.h"

namespace strata {

// What every packet of a router stage passes: for the sources that call it only.

namespace detail {

// By class: all chunks when packets of the class carry data, none when they are a header.
using ChunkMasks = std::array<std::uint8_t, static_cast<int>(AccessClass::count_)>;
constexpr ChunkMasks masks_of(bool (*carries)(AccessClass)) {
  ChunkMasks masks{};
  for (std::size_t c = 0; c < masks.size(); ++c)
    if (carries(static_cast<AccessClass>(c))) masks[c] = 0xff;
  return masks;
}
inline constexpr ChunkMasks request_chunks = masks_of(carries_request_data);
inline constexpr ChunkMasks reply_chunks = masks_of(carries_reply_data);

}  // namespace detail

inline int RouterStageShell::request_flits(const Access& access) const {
  return flits_[access.chunks & detail::request_chunks[static_cast<int>(access.access_class)]];
}

inline int RouterStageShell::reply_flits(const Access& access) const {
  if (access.spare_words != 0) [[unlikely]]
    return partial_reply_flits(access);
  return flits_[access.chunks & detail::reply_chunks[static_cast<int>(access.access_class)]];
}

inline int RouterStageShell::output_of(std::uint64_t target) const {
  return output_[target < targets_ ? target : target % targets_];
}

inline int RouterStageShell::route(Access& access) {
  if (!by_line_ && access.slice != no_slice) return output_of(static_cast<std::uint64_t>(access.slice));
  return choose(access);
}

template <bool reply>
inline int RouterStageShell::enter(Access& access, int port) {
  if (reply) {
    access.flits = static_cast<std::uint8_t>(reply_flits(access));
    return access.pop_route();
  }
  access.flits = static_cast<std::uint8_t>(request_flits(access));
  access.push_route(port);
  return output_for(access, port);
}

template <bool reply>
inline Cycle RouterStageShell::without_gaps(const Access& access, int port, Cycle at) const {
  if (!meets_slower_) return at;
  const auto index = static_cast<std::size_t>(port);
  return (reply ? out_[index]->tail(at, access.flits) : in_[index]->tail(at, access.flits)) + 1 -
         access.flits;
}

// The agenda gets the next cycle of a network only: at its end, advance() names the one after.
[[gnu::always_inline]] inline void RouterStageShell::wake(Cycle due, int unit) {
  Cycle& booked = booked_[static_cast<std::size_t>(unit)];
  if (due >= booked) return;
  booked = due;
  book(due, unit);
}

// Cycles since the last charge: up to the link's latency are the link's, up to that of the pipeline the
// router's, the rest is waiting.
template <bool reply>
[[gnu::always_inline]] inline void RouterStageShell::charge(Access& access) const {
  const RouterPlaces& places = places_[reply ? 1 : 0];
  Ledger& ledger = access.ledger;
  const Cycle now = ledger_now_, link = link_limit_, router = router_limit_;  // in registers
  const Cycle mark = ledger.mark();
  if (static_cast<std::int64_t>(now - mark) >= least_dwell_) [[likely]] {
    ledger.charge(places.link, mark + link);
    ledger.charge(places.router, mark + link + router);
    ledger.charge(places.queue, now);
    return;
  }
  const Cycle end = std::max(mark, now);
  ledger.charge(places.link, std::min(mark + link, end));
  ledger.charge_split(places.router, router, places.queue, end);
}

}  // namespace strata
