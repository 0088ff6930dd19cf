#include "models/tlm/module_kind.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <string>

#include "models/common/faults.h"

namespace strata {
namespace {

constexpr auto own_roles = static_cast<std::size_t>(Role::count_);

/// In the order of Role. Rows keep their place in memory.
std::deque<RoleRow>& role_rows() {
  static std::deque<RoleRow> rows = {
      {"none", "takes no part in figures of the whole machine", "", {}},
      {"dispatcher", "hands the work of a trace out", "", {}},
      {"sm",
       "executes instructions and sends line accesses",
       "sm",
       {Cause::queue, Cause::reconfiguration, Cause::external},
       "#d7d0f2"},
      {"generator", "sends line accesses in place of SMs", "sm", {}, "#d7d0f2"},
      {"l1",
       "caches lines for one SM or for a few",
       "l1",
       {Cause::port, Cause::pipeline, Cause::full, Cause::merge, Cause::miss_queue, Cause::fill},
       "#f4e1b4"},
      {"router",
       "carries requests and replies between the SMs' side and the LLC",
       "noc",
       {Cause::request_link, Cause::request_serial, Cause::request_router, Cause::request_queue,
        Cause::reply_link, Cause::reply_serial, Cause::reply_router, Cause::reply_queue},
       "#c0dbf1",
       true},
      {"llc",
       "caches lines on the memory's side for all SMs",
       "llc",
       {Cause::queue, Cause::pipeline, Cause::full, Cause::merge, Cause::reply_port},
       "#b9ded7"},
      {"control", "decides how the LLC is organized", "", {}},
      {"memory",
       "schedules the requests of a memory channel",
       "memory",
       {Cause::queue, Cause::activate, Cause::conflict, Cause::access, Cause::bus},
       "#f2c8d3"},
      {"channel", "a DRAM channel", "", {}, "#f2c8d3"},
      {"observer", "counts what others do, and takes no time", "", {}},
  };
  return rows;
}

}  // namespace

const RoleRow& row_of(Role role) {
  return role_rows().at(static_cast<std::size_t>(role));
}

int role_count() {
  return static_cast<int>(role_rows().size());
}

Role add_role(const RoleRow& row) {
  std::deque<RoleRow>& rows = role_rows();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const RoleRow& one) { return one.name == row.name; });
  const auto place = static_cast<std::size_t>(found - rows.begin());
  if (place < own_roles)
    throw ConfigError("the role '" + std::string(row.name) + "' is one of Strata; give yours another name");
  if (place > std::numeric_limits<std::uint8_t>::max()) throw ConfigError("there are too many roles");
  if (found == rows.end()) rows.push_back(row);
  return static_cast<Role>(place);
}

const LedgerPlaces& nominal_places() {
  static const LedgerPlaces places = [] {
    LedgerPlaces all;
    for (int r = 0; r < static_cast<int>(Role::count_); ++r)
      for (const Cause cause : causes_of(Role(r))) all.add(place_of(Role(r)), cause);
    return all;
  }();
  return places;
}

}  // namespace strata
